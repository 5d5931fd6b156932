"""Check rendered trees: the CRDs that a target builds, and those that it would lose.

A tool that prunes deletes lost CRDs, and with them all of their objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from posixpath import join, normpath
from typing import NamedTuple, TypeAlias

from kitgen.files.root import CRDS
from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.model import Target
from kitgen.render.file_tree import component_of
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, list_at, map_at, text_at
from kitgen.text.wording import join_words
from kitgen.text.yaml import JsonObject, YamlError, read_yaml

CRD = compile_late(r"^kind: CustomResourceDefinition$", re.MULTILINE)
METADATA = compile_late(r"^metadata:\n(?: .*\n)+", re.MULTILINE)
HEAD = 4096
WHOLE = 2**20
MAX_PLACES = 10_000
"""A rendered target has far fewer files; another tree may lead on without end."""
Read: TypeAlias = Callable[[str, int], str | None]
"""Returns how a file of a tree begins, None where there is none."""
NOWHERE: Mapping[str, str] = {}
GUARD = "first: kubectl annotate crd NAME argocd.argoproj.io/sync-options=Prune=false"


class RenderedCrd(NamedTuple):
    """A CRD of a target: the component that brings it, and whether the target does not build it itself."""

    component: str
    bundled: bool


Crds: TypeAlias = dict[str, RenderedCrd]
"""The CRDs of a target, by their names."""


def find_built_crds(folder: str, text: Read, *, bundled: bool = False) -> Crds:
    """Return the CRDs that a rendered kustomization builds; what cannot be read brings none."""
    found: Crds = {}
    gone: set[str] = set()
    todo = [folder]
    seen: set[str] = set()
    while todo and len(seen) < MAX_PLACES:
        if (place := todo.pop()) in seen:
            continue
        seen.add(place)
        if (head := text(place, HEAD)) is not None:
            name = (_parse_name(head) or _parse_name(text(place, WHOLE) or "")) if CRD.search(head) else ""
            if name:
                found[name] = RenderedCrd(component_of(place), bundled)
            continue
        data = _parse_mapping(text(f"{place}/kustomization.yaml", WHOLE) or "")
        todo += [normpath(join(place, str(name))) for name in list_at(data, "resources")]
        for _, patch in entries_at(data, "patches"):
            if path := text_at(patch, "path"):
                gone.add(_parse_deleted_name(text(normpath(join(place, path)), HEAD) or ""))
    return {name: crd for name, crd in found.items() if name not in gone}


def _parse_name(head: str) -> str:
    """Return the name that the metadata of an object give it, if they are there as a whole."""
    metadata = METADATA.search(head)
    return text_at(_parse_mapping(metadata[0]), "metadata", "name") if metadata else ""


@cache
def _parse_mapping(text: str) -> JsonObject:
    try:
        return map_at(read_yaml(text))
    except YamlError:
        return {}


def _parse_deleted_name(patch: str) -> str:
    """Return the name of the CRD that a patch takes out of the build, if it does."""
    data = _parse_mapping(patch) if CRD.search(patch) else {}
    return text_at(data, "metadata", "name") if data.get("$patch") == "delete" else ""


def find_target_crds(name: str, text: Read) -> Crds:
    """Return the CRDs of a target: those that it builds, and those for a bundle."""
    return {**find_built_crds(f"{name}/{CRDS}", text, bundled=True), **find_built_crds(name, text)}


def check_lost_crds(
    before: Mapping[str, Crds],
    after: Read,
    targets: Mapping[str, Target],
    out: str,
    moves: Mapping[str, str] = NOWHERE,
) -> Iterator[Finding]:
    """Yield a warning for the CRDs that targets had before and no longer have.

    For those that a migration moves, `moves` has what tells how.
    """
    for name, old in before.items():
        new = find_target_crds(name, after)
        moved = {crd for crd in old.keys() & new.keys() if new[crd].bundled and not old[crd].bundled}
        gone = old.keys() - new.keys()
        parts = [(moved, f"{out}/{name}/{CRDS}", ""), (gone - moves.keys(), "", "")]
        parts += [
            ({crd for crd in gone if moves.get(crd) == way}, "", way) for way in dict.fromkeys(moves.values())
        ]
        for crds, bundle, way in parts:
            if crds:
                components = {old[crd].component for crd in crds}
                yield _report_lost_crds(
                    f"{out}/{name}",
                    sorted(crds),
                    _find_origin(targets.get(name), Origin(f"{out}/{name}", (), 1), components),
                    bundle,
                    way,
                )


def _report_lost_crds(folder: str, names: list[str], origin: Origin, bundle: str, way: str) -> Finding:
    many = len(names) > 1
    what = f"the CRD{'s' if many else ''} {join_words(names, last='and', most=len(names))}"
    place = f"{'they are' if many else 'it is'} in {bundle}, which it does not build; " if bundle else ""
    them = "them" if many else "it"
    effect = (
        f"a sync that prunes deletes {them}, and with {'a CRD' if many else 'it'} every object of its kind"
    )
    bring = f"whoever installs the ODH operator applies {them}: see to that before a sync"
    hint = bring if bundle else f"to keep {them}, {GUARD}"
    if way:
        what = f"{what}, which {'move' if many else 'moves'} by a migration"
        hint = f"{way} tells when {'they' if many else 'it'} may go; {hint}"
    return make_problem("crd-leaves", f"{folder} loses {what}; {place}{effect}", hint=hint).to_finding(origin)


def _find_origin(target: Target | None, gone: Origin, components: set[str]) -> Origin:
    """Return what the target says of the one component that brought the CRDs, or else the target."""
    if target is None:
        return gone
    name, *others = components
    return target.origin if others or name not in target.settings else target.origin.at("components", name)
