"""Find the owner of a tree: the component itself, or a target of the kit.

A tree is matched by its repository, branch or folder, and else by what is nearest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from msgspec.structs import replace

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.importing.survey import main_namespace
from kitgen.kit.crd_names import collect_resource_names, list_declared_crds
from kitgen.kit.manifests import STDIN
from kitgen.kit.model import Component, NamespaceSetting, PlatformSource, Setting, Settings
from kitgen.kit.repositories import CheckedOutRepository, find_checkout
from kitgen.render.context import RenderContext
from kitgen.render.settings import build_context
from kitgen.render.unit import Unit
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import JsonObject
from kitgen.workspace.compilation import build_target_placement, compile_source
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.sources import SourceKind, SourceName

CRD = "CustomResourceDefinition"
WHOLE = 10
"""How many fields an object counts for that only one side has."""


def build_render_contexts(
    opened: OpenedKit, component: Component, version: str, who: str, prefix: str, namespace: str
) -> tuple[RenderContext, RenderContext]:
    """Return a component as a target has it, or by itself, and the same with all features on.

    It is as a new version of it would be that changes nothing but the prefix and the namespace: settings and
    expressions go by the version.
    """
    names = collect_resource_names(list_declared_crds(opened.kit))
    newer = replace(component, version=version, prefix=prefix)
    settings, of = Settings(origin=component.origin), None
    if who:
        placement = build_target_placement(opened, opened.target(who), {component.name: component.version})
        settings, of = placement.settings_for(newer), (placement.target, placement.release)
        place = settings.namespace or Setting(value=NamespaceSetting(name=""), origin=component.origin)
        if namespace and namespace != (place.value.name or component.namespace):
            settings = replace(settings, namespace=replace(place, value=replace(place.value, name=namespace)))
    elif namespace:
        newer = replace(newer, namespace=namespace)
    every = {name: Setting(value=True, origin=component.origin) for name in component.features}
    full = replace(settings, features=every)
    return build_context(newer, settings, of, names).value, build_context(newer, full, of, names).value


def find_target_namespace(opened: OpenedKit, name: str, version: str, who: str) -> str:
    """Return the namespace that a target says for a version of a component; empty if it says none."""
    target = opened.target(who)
    first, *more = target.settings.get(name, target.settings[""])
    said = [first, *(each for each in more if each.applies_to(version, target.release))]
    found = [each.settings.namespace.value.name for each in said if each.settings.namespace]
    return found[-1] if found else ""


def replace_prefix(bodies: Sequence[JsonObject], now: str, before: str) -> Sequence[JsonObject]:
    """Return objects that are called as they were with another prefix."""
    if now == before:
        return bodies
    metas = (each["metadata"] for each in bodies)
    names = (re.sub(f"^{re.escape(now)}", lambda _: before, str(meta["name"])) for meta in metas)
    return [
        {**each, "metadata": {**each["metadata"], "name": name}}
        for each, name in zip(bodies, names, strict=True)
    ]


def find_nearest_target(
    bodies: Sequence[JsonObject], opened: OpenedKit, component: Component, among: Iterable[str]
) -> str:
    """Return the target whose objects are nearest to a tree; empty for the component by itself."""
    own = [each for each in bodies if each.get("kind") != CRD]
    distances: dict[str, int] = {}
    for who in among:
        if (objects := compile_objects(opened, component, who)) is not None:
            theirs = [each for each in objects if each.get("kind") != CRD]
            compared = compare_object_sets(_drop_main_namespace(theirs), _drop_main_namespace(own))
            distances[who] = sum(1 if each.field else WHOLE for each in compared.differences)
            distances[who] += WHOLE * (main_namespace(theirs) != main_namespace(own))
    return min(distances, key=lambda who: distances[who], default="")


def _drop_main_namespace(objects: Sequence[JsonObject]) -> list[JsonObject]:
    """Return objects that do not say the namespace in which most of them are."""
    home = ("namespace", main_namespace(objects))
    metas = (dict(each for each in body["metadata"].items() if each != home) for body in objects)
    return [{**body, "metadata": meta} for body, meta in zip(objects, metas, strict=True)]


def compile_objects(
    opened: OpenedKit, component: Component, who: str, versions: Mapping[str, str] | None = None
) -> list[JsonObject] | None:
    """Return what a target gets of a component, its CRDs included; None if it does not have it."""
    if not who:
        name = SourceName(kind=SourceKind.COMPONENT, name=component.name, version=component.version)
        return [each.body for each in compile_source(opened, name, others=versions).objects]
    if unit := compile_unit(opened, component, who, versions or {}):
        return [each.body for each in unit.final]
    placement = build_target_placement(
        opened, opened.target(who), {**(versions or {}), component.name: component.version}
    )
    if not placement.settings_for(component).is_managed:
        return None
    return [each.body for each in opened.session.compile_labelled_crds(placement, component)]


def compile_unit(
    opened: OpenedKit, component: Component, who: str, versions: Mapping[str, str]
) -> Unit | None:
    """Return a component as it is compiled for a target, or by itself; None if it is nothing there."""
    if not who:
        return opened.session.compile_alone(component)
    placement = build_target_placement(
        opened, opened.target(who), {**versions, component.name: component.version}
    )
    if not placement.settings_for(component).is_managed or placement.carrier_of(component) is not component:
        return None
    return opened.session.compile_component(placement, component)


WORD = compile_late(r"[a-z]{3,}")
EXPRESSION = compile_late(r"\{\{.*?\}\}")
COMMON = frozenset({"main", "master", "release", "stable", "dev", "develop", "head", "config"})
"""Words of branches that say nothing of whose they are."""
NEAR = 2
"""How many folders above a tree are looked at: mostly its repository, and the owner of that."""


class TargetClaims:
    """What trees of a component may say of targets."""

    def __init__(self, opened: OpenedKit, component: str, version: str) -> None:
        """Take the targets that say something of the component."""
        self.opened, self.component, self.version = opened, component, version
        self.sources: dict[str, list[PlatformSource]] = {
            name: [each.settings.source.value for each in target.settings[component] if each.settings.source]
            for name, target in opened.kit.targets.items()
            if component in target.settings
        }

    def find_targets(self, real: str, namespace: str) -> dict[str, str]:
        """Return the targets that a tree says it is of, by the best that it says, each with what that is."""
        if real == STDIN:
            return {}
        checkout = find_checkout(real)
        if checkout and self.opened.root.is_relative_to(checkout.top):
            checkout = None  # its branch is the kit's
        homes = {
            name: find_target_namespace(self.opened, self.component, self.version, name)
            for name in self.sources
        }
        for way in (self._match_checkout(checkout) if checkout else (), self._match_folder(real)):
            if fitting := {name: why for name, why in way if namespace in ("", homes[name] or namespace)}:
                return fitting
        return {}

    def _collect_words(self, name: str) -> set[str]:
        """Return what a target, and branches that its manifests come from, are called."""
        refs = " ".join(EXPRESSION.sub("", each.ref) for each in self.sources[name])
        return {name, *(each for each in WORD.findall(refs.lower()) if each not in COMMON)}

    def _match_checkout(self, checkout: CheckedOutRepository) -> Iterator[tuple[str, str]]:
        for name, sources in self.sources.items():
            for each in sources:
                remotes = (url.replace(":", "/").removesuffix(".git") for url in checkout.remotes)
                if any(url.endswith(f"/{each.repository}") for url in remotes):
                    yield name, f"its repository {each.repository}"
            if _split_words(checkout.branch) & self._collect_words(name):
                yield name, f"its branch {checkout.branch}"

    def _match_folder(self, real: str) -> Iterator[tuple[str, str]]:
        for name, sources in self.sources.items():
            owners = {each.repository.partition("/")[0] for each in sources}
            for part in _list_parent_folders(
                real, [each.path for some in self.sources.values() for each in some]
            ):
                if part in owners or _split_words(part) & self._collect_words(name):
                    yield name, f"its path {part}"


def _list_parent_folders(real: str, inner: Sequence[str]) -> list[str]:
    """Return the names of the folders that a tree is in, without those inside of its repository."""
    path = PurePath(real) if Path(real).is_dir() else PurePath(real).with_suffix("")
    parts = [each for each in path.parts if each not in ("/", ".", "..")]
    roots = {each.partition("/")[0] for each in inner}
    cut = max((at for at, part in enumerate(parts) if part in roots), default=len(parts))
    return parts[max(0, cut - NEAR) : cut]


def _split_words(text: str) -> set[str]:
    return {*re.split(r"[^a-z0-9]+", text.lower())}
