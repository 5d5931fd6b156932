"""APIs that a kit knows: Kubernetes' own in its range, its CRDs, and shipped CRDs of other projects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec import Struct, field

from kitgen.crd.declaration import expand_crds
from kitgen.crd.schema_edits import find_schema_references
from kitgen.crd.types import VERSION
from kitgen.findings import Finding, Origin, Problem, is_typo, make_problem, suggest_word
from kitgen.findings.errors import KitgenError
from kitgen.kit.crd_names import DeclaredResources, collect_resource_names, list_declared_crds
from kitgen.kit.file_changes import apply_spec_changes
from kitgen.kit.merge import SpecValue
from kitgen.kit.model import Kit
from kitgen.kube import foreign_kinds
from kitgen.kube.definitions import Kind, list_api_groups, list_kinds
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject

EVERYWHERE = compile_late(r"DeleteOptions$|WatchEvent$|List$")
"""Kinds that every group has, and that are no resources."""


class Apis(Struct, frozen=True):
    """Groups, kinds and resources that a spec may name."""

    minors: tuple[int, ...]
    """Newest first: most names are there, so that older ones need not be read."""
    declared: frozenset[Kind]
    names: DeclaredResources
    known: dict[str, dict[str, str]] = field(default_factory=dict)
    """The resources of groups that were asked for before."""
    similar: dict[str, str] = field(default_factory=dict)
    """The groups that such groups look like."""

    def is_kubernetes(self, group: str) -> bool:
        """Return whether a group is Kubernetes' own."""
        return any(group in list_api_groups(minor) for minor in self.minors)

    def is_declared(self, group: str) -> bool:
        """Return whether a CRD of the kit is of this group."""
        return any(kind.group == group for kind in self.declared)

    def has_kind(self, kind: Kind) -> bool:
        """Return whether Kubernetes or a CRD of the kit has a kind."""
        return kind in self.declared or any(kind in list_kinds(minor) for minor in self.minors)

    def kinds(self, group: str) -> list[Kind]:
        """Return the kinds of a group whose objects are resources, in order."""
        here = {kind for kind in self.declared if kind.group == group}
        return sorted(here.union(_group_kinds(self.minors).get(group, ())))

    def plurals(self, group: str, version: str = "") -> list[str]:
        """Return the resources of a group, or of one of its versions."""
        found = [kind for kind in self.kinds(group) if version in ("", kind.version)]
        return sorted({self.names.plural(group, kind.kind) for kind in found})

    def resources(self, group: str) -> dict[str, str]:
        """Return the resources of a group by plural, and by kind and singular as people write them."""
        if group not in self.known:
            plurals = {
                **{kind.kind.lower(): self.names.plural(group, kind.kind) for kind in self.kinds(group)},
                **{one: many for (own, many), one in self.names.singulars.items() if own == group},
            }
            self.known[group] = plurals | {plural: plural for plural in plurals.values()}
        return self.known[group]

    def check_group(self, group: str, rest: str) -> Problem | None:
        """Return what is wrong with a group as specs write it; `rest` is what follows it."""
        if group in ("core", "*") or (group and (self.is_kubernetes(group) or self.is_declared(group))):
            return None
        message = f"found the group {group!r}, which Kubernetes does not have"
        # The group of a CRD or of an API server beside Kubernetes' own always has a dot.
        if "." in group:
            meant = self._find_similar_group(group)
            message = f"found the group {group!r}, which looks misspelt"
            return make_problem("group-unknown", message, hint=f"did you mean {meant!r}?") if meant else None
        if VERSION.fullmatch(group):
            return make_problem(
                "group-unknown", message, hint=f"the core group is written core: did you mean 'core/{rest}'?"
            )
        own = {each for minor in self.minors[:1] for each in list_api_groups(minor) if each}
        whole = sorted(each for each in own if each.startswith(f"{group}."))
        short = sorted({"core"} | {each for each in own if "." not in each})
        hint = f"did you mean {whole[0]!r}?" if whole else suggest_word(group, short)
        return make_problem(
            "group-unknown", message, hint=hint or f"groups without a dot are {', '.join(short)}"
        )

    def _find_similar_group(self, group: str) -> str:
        """Return the known group with a dot that another one is misspelt for, if there is one."""
        if group not in self.similar:
            known = {kind.group for kind in self.declared}.union(*map(list_api_groups, self.minors))
            alike = (each for each in sorted(known) if "." in each and is_typo(group, each))
            self.similar[group] = next(alike, "")
        return self.similar[group]


@cache
def _group_kinds(minors: tuple[int, ...]) -> dict[str, frozenset[Kind]]:
    """Return the kinds of each of Kubernetes' groups whose objects are resources."""
    every = {kind for minor in minors for kind in list_kinds(minor)}
    found = group_pairs((kind.group, kind) for kind in every if not EVERYWHERE.search(kind.kind))
    return {group: frozenset(own) for group, own in found.items()}


def collect_apis(kit: Kit) -> Apis:
    """Collect what a kit knows of APIs."""
    declared = list_declared_crds(kit)
    kinds = {Kind(each.group, version, each.names["kind"]) for each in declared for version in each.versions}
    # With an unreadable range there are no minors; the range is a finding, so that nothing gets through.
    minors = {*kit.minors, *(minor for each in kit.releases.values() for minor in each.minors)}
    return Apis(tuple(sorted(minors, reverse=True)), frozenset(kinds), collect_resource_names(declared))


def find_shipped_crd(group: str, kind: str, *, admitted: bool = False) -> JsonObject | None:
    """Return the CRD of a kind, if kitgen has it; callers share it and must not change it.

    If `admitted`, it is as the project's own admission makes it: some ask for more than the CRD says, and
    some fill in what it requires.
    """
    if (plural := foreign_kinds.plurals_by_kind(group).get(kind)) is None:
        return None
    if admitted or plural not in foreign_kinds.read_group(group).admission:
        return foreign_kinds.read_crd(group, plural)
    return expand_shipped_crd(group, plural, admitted=False)


@cache
def expand_shipped_crd(group: str, plural: str, *, admitted: bool) -> JsonObject:
    """Expand a declaration; `make docs` keeps the results, as it takes long."""
    about = foreign_kinds.read_group(group)
    own, *others = [
        SpecValue(foreign_kinds.read_declaration(group, name), Origin(name))
        for name in _collect_dependencies(group, plural)
    ]
    wrong: list[Finding] = []
    if admitted and plural in about.admission:
        own, wrong = apply_spec_changes(own, about.admission[plural], Origin(plural), "crd")
    made = expand_crds([(each.origin, each.data) for each in (own, *others)], minor=about.minor)
    if found := [*wrong, *made.findings]:
        raise KitgenError(
            f"the declaration of {plural}.{group} is broken: {found[0].message}", hint="install kitgen again"
        )
    return made.bodies[0]


def _collect_dependencies(group: str, plural: str) -> list[str]:
    """Return a declaration and those that it takes parts of, by plural; it comes first."""
    found, todo = {plural: None}, [plural]
    while todo:
        for name in _list_used_declarations(foreign_kinds.read_declaration(group, todo.pop())):
            if name not in found:
                found[name] = None
                todo.append(name)
    return [*found]


def _list_used_declarations(declaration: JsonObject) -> Iterator[str]:
    yield from (part.partition("/")[0] for part in find_schema_references(declaration, "$use"))
    if isinstance(types := declaration.get("types"), str):
        yield types
