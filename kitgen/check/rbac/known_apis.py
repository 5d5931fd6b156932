"""What is known of APIs beside some objects, and what of their words nothing has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import NamedTuple

from kitgen.check.context import CheckContext
from kitgen.check.rbac.api_groups import (
    FOREIGN,
    GONE,
    OF_CRDS,
    OLD,
    SHARED,
    Below,
    find_subresources,
    hint_for_group,
    hint_for_resource,
    hint_for_subresource,
    is_within_groups,
)
from kitgen.crd.definition import is_crd
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredCrd, collect_resource_names
from kitgen.kit.permissions import VIRTUAL, check_resource
from kitgen.kube.crds import CrdView
from kitgen.kube.definitions import Kind, list_api_groups
from kitgen.kube.rbac.rules import ALL, Permit, format_resource
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import JsonObject

MANY = 200
"""How many words of one rule are worth a look."""


class UnknownWord(NamedTuple):
    """A word that stands for nothing."""

    told: bool
    """Whether specs are told of it when they are read, or know more: a kit may have other CRDs."""
    what: str
    hint: str


class CrdNames(NamedTuple):
    """What a CRD of any shape is called; what it does not say is empty."""

    group: str
    kind: str
    plural: str
    singular: str
    versions: tuple[str, ...]
    subresources: frozenset[str]


def collect_subresources(crds: Iterable[CrdNames]) -> Below:
    """Return what CRDs have below their resources, in any of their versions."""
    found: Below = {}
    for each in crds:
        key = each.group, each.plural
        found[key] = found.get(key, frozenset()) | each.subresources
    return found


class KnownApis:
    """What is known of APIs: Kubernetes', and the CRDs of all that is checked together."""

    def __init__(self, minors: tuple[int, ...], crds: Sequence[CrdNames], names: Sequence[str]) -> None:
        """Take in minors, newest first, with what CRDs are called and the names of their objects."""
        keys = ("kind", "plural", "singular")
        found = [
            DeclaredCrd(each.group, {key: getattr(each, key) for key in keys}, each.versions)
            for each in crds
            if each.kind
        ]
        kinds = {Kind(each.group, version, each.names["kind"]) for each in found for version in each.versions}
        self.apis = Apis(minors, frozenset(kinds), collect_resource_names(found))
        self._subresources = collect_subresources(crds)
        self._names = names
        facts = [minors, [(*each[:-1], sorted(each.subresources)) for each in crds], names]
        self.digest = blake2b(repr(facts).encode(errors="backslashreplace"), digest_size=8).hexdigest()
        """The same in every run in which as much is known."""
        self._known: dict[str, bool] = {}
        self._groups: dict[str, UnknownWord | None] = {}
        self._resources: dict[tuple[str, str], UnknownWord | None] = {}

    def is_known_group(self, group: str) -> bool:
        """Return whether it is known which resources a group has."""
        if group not in self._known:
            self._known[group] = self.apis.is_kubernetes(group) or self.apis.is_declared(group)
        return self._known[group]

    def check_group(self, group: str) -> UnknownWord | None:
        """Report that a group is unknown."""
        if group not in self._groups:
            self._groups[group] = self._check_group(group)
        return self._groups[group]

    def _check_group(self, group: str) -> UnknownWord | None:
        if group in ("", ALL, *OLD) or self.apis.is_kubernetes(group) or self.apis.is_declared(group):
            return None
        if any(name.endswith(f".{group}") for name in self._names):
            return None  # the CRD says another group than its name does, and is refused
        if group in FOREIGN:
            return None
        if problem := self.apis.check_group(group, ""):
            # A hint that speaks of what follows the group is for specs.
            hint = 'the core group is written ""' if "core" in problem.hint else problem.hint
            return UnknownWord(True, quote_text(group), hint)
        meant = hint_for_group(group)
        return UnknownWord(True, quote_text(group), meant) if meant else None

    def find_declared_group(self, permit: Permit) -> str | None:
        """Return the group of a CRD here that has a resource of a rule, if the rule's are all unknown."""
        if any(
            group == ALL or self.is_known_group(group) or is_within_groups(group, FOREIGN)
            for group in permit.groups
        ):
            return None
        names = {each.partition("/")[0] for each in permit.resources[:MANY]}
        return next((group for group, plurals in self._declared_plurals if names & plurals), None)

    @cached_property
    def _declared_plurals(self) -> list[tuple[str, frozenset[str]]]:
        here = sorted({kind.group for kind in self.apis.declared})
        return [(group, frozenset(self.apis.plurals(group))) for group in here]

    def check_resource(self, group: str, resource: str) -> UnknownWord | None:
        """Report that a group has no such resource, or, if its resources are not known, cannot have it."""
        if (key := (group, resource)) not in self._resources:
            self._resources[key] = self._check_resource(group, resource)
        return self._resources[key]

    def _check_resource(self, group: str, resource: str) -> UnknownWord | None:
        said = format_resource(group, resource)
        if not self.is_known_group(group):
            hint = hint_for_resource(group, resource)
            return UnknownWord(False, quote_text(said), hint) if hint else None
        name, slash, _ = resource.partition("/")
        if group not in OLD and name in (ALL, *VIRTUAL.get(group or "core", ())):
            return None
        is_shared = is_within_groups(group, SHARED)
        if name in self.apis.resources(group).values():
            known = find_subresources(group, name, self._subresources) if slash and not is_shared else None
            hint = hint_for_subresource(resource, known) if known is not None else None
            return UnknownWord(False, quote_text(said), hint) if hint else None
        wrong = check_resource(group or "core", resource, self.apis)
        if is_shared and not (wrong and wrong.sure):
            return None
        told = wrong is not None or not self.apis.is_kubernetes(group)
        hint = wrong.hint if wrong else self._describe_removal(group, resource)
        return UnknownWord(told, quote_text(said), hint)

    def find_kubernetes_group(self, resource: str) -> str | None:
        """Return the group of Kubernetes that has a resource."""
        return self._kubernetes_groups.get(resource.partition("/")[0])

    @cached_property
    def _kubernetes_groups(self) -> dict[str, str]:
        """Return the first group that has a resource."""
        own = sorted({each for minor in self.apis.minors for each in list_api_groups(minor)}, reverse=True)
        return {plural: group for group in own for plural in self.apis.plurals(group)}

    def _describe_removal(self, group: str, resource: str) -> str:
        """Return since when Kubernetes lacks a resource, and which of its groups has it."""
        there = self.find_kubernetes_group(resource)
        minor = OLD.get(group) or GONE.get((group, resource.partition("/")[0]))
        what = "group" if group in OLD else "resource"
        gone = f"the {what} is gone since Kubernetes {minor}" if minor else ""
        meant = f"did you mean {format_resource(there, resource)!r}?" if there is not None else ""
        return "; ".join(filter(None, (gone, meant)))


@lru_cache(maxsize=16)
def _collect_apis(minors: tuple[int, ...], crds: Sequence[CrdNames], names: Sequence[str]) -> KnownApis:
    return KnownApis(minors, crds, names)


def find_known_apis(context: CheckContext) -> KnownApis:
    """Return what is known beside the objects of a context; those with the same CRDs share it."""
    crds = [*context.crds, *(each.body for _, each in context.list_objects() if is_crd(each.body))]
    minors = {*context.minors, *(minor for some in context.ranges.values() for minor in some)}
    return _collect_apis(
        tuple(sorted(minors, reverse=True)),
        tuple(context.views.crds.get(read_crd_names, body) for body in crds),
        tuple(str(value_at(body, "metadata", "name")) for body in crds),
    )


def read_crd_names(body: JsonObject) -> CrdNames:
    """Return what a CRD is called."""
    crd, names = CrdView(body), map_at(body, "spec", "names")
    is_declared = isinstance(value_at(body, "spec", "group"), str)
    versions = (each.get("name") for each in crd.versions)
    return CrdNames(
        crd.group,
        crd.kind if is_declared else "",
        crd.plural,
        text_at(names, "singular"),
        tuple(each for each in versions if isinstance(each, str)),
        frozenset(each for each in OF_CRDS if crd.has_subresource(each)),
    )
