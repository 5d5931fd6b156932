"""CRDs that leave what a target builds: whoever prunes deletes them, and with them every object of theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TypeAlias

from kitgen.findings import Chapter, Finding, Origin, Rule, Severity
from kitgen.model import Target
from kitgen.schema.wording import choice
from kitgen.write import peek
from kitgen.yamlio import Json, JsonObject, YamlError, read

CRD_LEAVES = Rule(
    id="crd-leaves",
    chapter=Chapter.TARGET,
    title="a CRD that a target no longer builds",
    checks=(
        "A render takes no CRD out of what a target builds. Where a sync prunes, as Argo CD and `kubectl "
        "apply --prune` can, the CRD is deleted, and with it every object of its kind."
    ),
    fix=(
        "If it is not meant, undo the change. Else guard the CRD on the cluster before the sync, such as "
        "with the annotation `argocd.argoproj.io/sync-options: Prune=false`, or see that somebody else "
        "brings it. With `crds: bundle`, CRDs are in `overlays/TARGET/crds`, for whoever installs the ODH"
        " operator."
    ),
    severity=Severity.WARNING,
)


CRD = re.compile(r"^kind: CustomResourceDefinition$", re.MULTILINE)
HEAD = 4096
WHOLE = 2**20
MOST = 10_000
"""A rendered target has far fewer files; another tree may lead on without end."""
Read: TypeAlias = Callable[[str, int], str | None]
"""Returns how a file of a tree begins, None where there is none."""
Crds: TypeAlias = dict[str, str]
"""The names of CRDs, each with the folder of the target that brings it."""
APART = "crds"
"""The folder that a target does not build itself: CRDs for the bundle of the ODH operator."""
GUARD = "to keep them, first: kubectl annotate crd NAME argocd.argoproj.io/sync-options=Prune=false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The CRDs of one target."""

    built: Crds
    apart: Crds


def on_disk(out: Path) -> Read:
    """Return what reads a tree that may be anybody's."""

    @cache
    def text(path: str, limit: int) -> str | None:
        try:
            found = peek(out, path, limit)
        except OSError:
            return None
        return None if found is None else found.decode(errors="replace")

    return text


def in_memory(tree: Mapping[str, str]) -> Read:
    """Return what reads a tree that is about to be written."""
    return lambda path, limit: text[:limit] if (text := tree.get(path)) is not None else None


def crds_built(folder: str, text: Read) -> Crds:
    """Return the CRDs that a rendered kustomization builds; what cannot be read brings none."""
    found: Crds = {}
    gone: set[str] = set()
    todo = [(folder, folder)]
    seen: set[str] = set()
    while todo and len(seen) < MOST:
        place, part = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        head = text(place, HEAD)
        if head is not None:
            if CRD.search(head):
                found[place.rpartition("/")[2].removesuffix(".yaml")] = part
            continue
        data = _mapping(text(f"{place}/kustomization.yaml", WHOLE) or "")
        for name in _list(data.get("resources")):
            inner = normpath(join(place, str(name)))
            # What a folder right below brings, by whatever way, is that component's.
            todo.append((inner, inner if dirname(inner) == folder else part))
        for patch in _list(data.get("patches")):
            path = patch.get("path") if isinstance(patch, dict) else None
            gone.add(_deleted(text(normpath(join(place, path)), HEAD) or "") if isinstance(path, str) else "")
    return {name: part for name, part in found.items() if name not in gone}


@cache
def _mapping(text: str) -> JsonObject:
    try:
        data: Json = read(text)
    except YamlError:
        return {}
    return data if isinstance(data, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _deleted(patch: str) -> str:
    """Return the name of the CRD that a patch takes out of the build, if it does."""
    data = _mapping(patch) if CRD.search(patch) else {}
    metadata = data.get("metadata")
    return str(metadata.get("name")) if data.get("$patch") == "delete" and isinstance(metadata, dict) else ""


def crds_before(out: Path, names: Iterable[str]) -> dict[str, Held]:
    """Return the CRDs of targets as they lie on the disk."""
    text = on_disk(out)
    return {name: _held(name, text) for name in names}


def _held(name: str, text: Read) -> Held:
    return Held(built=crds_built(name, text), apart=crds_built(f"{name}/{APART}", text))


def crds_leaving(
    before: Mapping[str, Held], tree: Mapping[str, str], targets: Mapping[str, Target], out: str
) -> Iterator[Finding]:
    """Yield a warning for the CRDs that targets had before and no longer have."""
    for name, old in before.items():
        new = _held(name, in_memory(tree))
        moved = {crd: part for crd, part in old.built.items() if crd not in new.built and crd in new.apart}
        had = {**old.apart, **old.built}
        gone = {crd: part for crd, part in had.items() if crd not in new.built and crd not in new.apart}
        hint = "whoever installs the ODH operator applies them: see to that before a sync"
        where = f"they are in {out}/{name}/{APART}, which it does not build; "
        for crds, place, advice in ((moved, where, hint), (gone, "", GUARD)):
            if crds:
                origin = _origin(targets.get(name), Origin(f"{out}/{name}", (), 1), crds)
                yield _leaves(f"{out}/{name}", sorted(crds), origin, place, advice)


def _leaves(folder: str, names: list[str], origin: Origin, place: str, hint: str) -> Finding:
    what = f"the CRD{'s' if len(names) > 1 else ''} {choice(names, last='and', most=len(names))}"
    effect = "a sync that prunes deletes them, and with a CRD every object of its kind"
    return CRD_LEAVES(f"{folder} loses {what}; {place}{effect}", hint=hint).at(origin)


def _origin(target: Target | None, gone: Origin, crds: Crds) -> Origin:
    """Return what the target says of the one component that brought the CRDs, or else the target."""
    if target is None:
        return gone
    names = {part.rpartition("/")[2] for part in crds.values()}
    name = names.pop()
    return target.origin.at("components", name) if not names and name in target.settings else target.origin
