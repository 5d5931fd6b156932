"""What the kit knows of APIs: Kubernetes' own in its range of minors, and those that its CRDs declare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kitgen.crds.types.names import VERSION, Resources, resources
from kitgen.findings import near
from kitgen.kubernetes import Kind, groups, kinds
from kitgen.model import Component, Kit
from kitgen.yamlio import Json, JsonObject

EVERYWHERE = re.compile(r"DeleteOptions$|WatchEvent$|List$")
"""Kinds that every group has, and that are no resources."""


@dataclass(frozen=True, slots=True)
class Apis:
    """Groups, kinds and resources that a spec may name."""

    minors: tuple[int, ...]
    """Newest first: most names are there, so that older ones need not be read."""
    declared: frozenset[Kind]
    names: Resources

    def is_kubernetes(self, group: str) -> bool:
        """Tell whether a group is Kubernetes' own."""
        return any(group in groups(minor) for minor in self.minors)

    def is_declared(self, group: str) -> bool:
        """Tell whether a CRD of the kit is of this group."""
        return any(kind.group == group for kind in self.declared)

    def has(self, kind: Kind) -> bool:
        """Tell whether Kubernetes or a CRD of the kit has a kind."""
        return kind in self.declared or any(kind in kinds(minor) for minor in self.minors)

    def kinds(self, group: str) -> list[Kind]:
        """Return the kinds of a group whose objects are resources, in order."""
        own = {kind for minor in self.minors for kind in kinds(minor) if kind.group == group}
        here = {kind for kind in self.declared if kind.group == group}
        return sorted(kind for kind in own | here if not EVERYWHERE.search(kind.kind))

    def plurals(self, group: str, version: str = "") -> list[str]:
        """Return the resources of a group, or of one of its versions."""
        found = [kind for kind in self.kinds(group) if version in ("", kind.version)]
        return sorted({self.names.plural(group, kind.kind) for kind in found})

    def wrong_group(self, group: str, rest: str) -> tuple[str, str] | None:
        """Say what is wrong with a group as specs write it, with a hint; `rest` is what follows it."""
        # The group of a CRD or of an API server beside Kubernetes' own always has a dot.
        if group in ("core", "*") or "." in group or (group and self.is_kubernetes(group)):
            return None
        message = f"found the group {group!r}, which Kubernetes does not have"
        if VERSION.fullmatch(group):
            return message, f"the core group is written core: did you mean 'core/{rest}'?"
        own = {each for minor in self.minors[:1] for each in groups(minor) if each}
        whole = sorted(each for each in own if each.startswith(f"{group}."))
        short = sorted({"core"} | {each for each in own if "." not in each})
        hint = f"did you mean {whole[0]!r}?" if whole else near(group, short)
        return message, hint or f"groups without a dot are {', '.join(short)}"


def apis_of(kit: Kit) -> Apis:
    """Collect what a kit knows of APIs."""
    components = [each for versions in kit.components.values() for each in versions.values()]
    declared = {
        Kind(data["group"], version, data["names"]["kind"])
        for component in components
        for _, data in component.crds
        for version in data["versions"]
    }
    whole = [body for component in components for body in _whole_crds(component)]
    declared |= {
        Kind(body["group"], version["name"], body["names"]["kind"])
        for body in whole
        for version in body["versions"]
    }
    declarations = [*whole, *(data for component in components for _, data in component.crds)]
    # With an unreadable range there are no minors; the range is a finding, so that nothing gets through.
    return Apis(tuple(sorted(kit.minors, reverse=True)), frozenset(declared), resources(declarations))


def _whole_crds(component: Component) -> Iterator[JsonObject]:
    """Yield the spec of every CRD that stands among the objects of a component, if it has the usual form."""
    parts = (component.part, *(feature.part for feature in component.features.values()))
    for item in (item for part in parts for item in part.objects):
        data = item.layers[0].data
        spec: Json = data.get("spec")
        if data.get("kind") == "CustomResourceDefinition" and isinstance(spec, dict):
            names: Json = spec.get("names")
            versions: Json = spec.get("versions")
            fits = (
                isinstance(names, dict) and isinstance(versions, list) and isinstance(spec.get("group"), str)
            )
            if fits and isinstance(names.get("kind"), str) and all(map(_is_named, versions)):
                yield spec


def _is_named(version: Json) -> bool:
    return isinstance(version, dict) and isinstance(version.get("name"), str)
