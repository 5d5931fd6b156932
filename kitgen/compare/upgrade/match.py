"""Which object of before is which object now: the same one, one that moved or got another name, or none."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject

Pair: TypeAlias = tuple[Manifest, Manifest]
"""An object as it was, and as it is now."""
Leaf: TypeAlias = tuple[tuple[str, ...], str]

HEIRS = {
    ("extensions", "DaemonSet"): "apps",
    ("extensions", "Deployment"): "apps",
    ("extensions", "Ingress"): "networking.k8s.io",
    ("extensions", "NetworkPolicy"): "networking.k8s.io",
    ("extensions", "ReplicaSet"): "apps",
}
"""Kinds that Kubernetes serves in another group than before: one object is to be had in both."""
HASHED = re.compile(r"(.+)-[bcdfghkmt2456789]{10}")
RELEASED = re.compile(r"(.+?)[.-]v?\d+\.\d+\.\d+.*")
STEMS: dict[tuple[str, str], re.Pattern[str]] = {
    ("", "ConfigMap"): HASHED,
    ("", "Secret"): HASHED,
    ("operators.coreos.com", "ClusterServiceVersion"): RELEASED,
}
"""Kinds whose names may end in what changes with every version, and how that looks."""
MOST_PAIRS, MOST_LEAVES = 2_500, 2_000
ALIKE, VERY_ALIKE, SAME = 0.5, 0.8, 0.9
ENOUGH = 5
WORDS = re.compile(r"[a-z0-9]+")


class Matched(Struct, frozen=True, kw_only=True):
    """What became of the objects of before."""

    kept: list[Pair]
    """The same object."""
    heirs: list[Pair]
    """Another one on purpose: each version has its own name, or its kind is now in another group."""
    moved: list[Pair]
    """In another namespace."""
    renamed: list[Pair]
    """Much alike under another name."""
    gone: list[Manifest]
    added: list[Manifest]

    @property
    def pairs(self) -> list[Pair]:
        """Return everything that is there still, whatever it is called."""
        return [*self.kept, *self.heirs, *self.moved, *self.renamed]


def match(
    before: Iterable[Manifest], now: Iterable[Manifest], groups: Mapping[tuple[str, str], str] | None = None
) -> Matched:
    """Hold the objects of before against those of now; `groups` says which kinds went to which group."""
    old, new = _known(before), _known(now)
    kept = [(old.pop(key), new.pop(key)) for key in [each for each in old if each in new]]
    left, came = list(old.values()), list(new.values())
    heirs = [*_by(left, came, _stem), *_by(left, came, lambda one: _grouped(one, groups or {}))]
    moved = list(_by(left, came, _anywhere))
    kept += [pair for pair in moved if _nowhere(pair)]
    moved = [pair for pair in moved if not _nowhere(pair)]
    renamed = list(_alike(left, came))
    return Matched(kept=kept, heirs=heirs, moved=moved, renamed=renamed, gone=left, added=came)


def _known(manifests: Iterable[Manifest]) -> dict[ObjectId, Manifest]:
    """Return the objects that have a name, by their identity; of two with one identity the first counts."""
    found: dict[ObjectId, Manifest] = {}
    for each in manifests:
        if value_at(each.body, "metadata", "name"):
            name = each.id
            group = HEIRS.get((name.group, name.kind), name.group)
            space = name.namespace if is_namespaced(group, name.kind) else ""
            found.setdefault(ObjectId(group, name.kind, space, name.name), each)
    return found


def _by(
    old: list[Manifest], new: list[Manifest], key: Callable[[Manifest], Hashable | None]
) -> Iterator[Pair]:
    """Take those out of both that are alone in having a key there, and yield them."""
    sides: list[dict[Hashable, list[Manifest]]] = [{}, {}]
    for side, manifests in zip(sides, (old, new), strict=True):
        for each in manifests:
            if (found := key(each)) is not None:
                side.setdefault(found, []).append(each)
    taken: set[int] = set()
    for found, some in sides[0].items():
        others = sides[1].get(found, [])
        if len(some) == len(others) == 1:
            taken |= {id(some[0]), id(others[0])}
            yield some[0], others[0]
    for manifests in (old, new):
        manifests[:] = [each for each in manifests if id(each) not in taken]


def _stem(manifest: Manifest) -> Hashable | None:
    name = manifest.id
    pattern = STEMS.get((name.group, name.kind))
    found = pattern.fullmatch(name.name) if pattern else None
    return (name.group, name.kind, name.namespace, found[1]) if found else None


def _grouped(manifest: Manifest, groups: Mapping[tuple[str, str], str]) -> Hashable | None:
    """Return what stays the same of a CRD, or of a resource of its kind, when the kind changes groups."""
    if not groups:
        return None
    name, crd = manifest.id, is_crd(manifest.body)
    spec = manifest.body.get("spec") if crd else None
    said = (value_at(spec, "group"), value_at(spec, "names", "kind")) if crd else (name.group, name.kind)
    group, kind = str(said[0]), str(said[1])
    return (crd, groups.get((group, kind), group), kind, name.namespace, "" if crd else name.name)


def _anywhere(manifest: Manifest) -> Hashable:
    return manifest.id.group, manifest.id.kind, manifest.id.name


def _nowhere(pair: Pair) -> bool:
    """Tell whether one of two does not say its namespace: whoever applies it does."""
    return not (pair[0].id.namespace and pair[1].id.namespace)


def _alike(old: list[Manifest], new: list[Manifest]) -> Iterator[Pair]:
    """Take those out of both that are much alike, the most first, and yield them."""
    kinds: dict[Hashable, tuple[list[Manifest], list[Manifest]]] = {}
    for side, manifests in enumerate((old, new)):
        for each in manifests:
            if not is_crd(each.body):  # its name is what it is
                kinds.setdefault((each.id.group, each.id.kind), ([], []))[side].append(each)
    taken: set[int] = set()
    for some, others in kinds.values():
        if 0 < len(some) * len(others) <= MOST_PAIRS:
            for one, other in _best(some, others):
                taken |= {id(one), id(other)}
                yield one, other
    for manifests in (old, new):
        manifests[:] = [each for each in manifests if id(each) not in taken]


def _best(some: Sequence[Manifest], others: Sequence[Manifest]) -> Iterator[Pair]:
    leaves = {id(each): _leaves(each.body) for each in (*some, *others)}
    scores = [
        (score, one, other)
        for one in some
        for other in others
        if (score := _likeness(one.id, other.id, leaves[id(one)], leaves[id(other)]))
    ]
    taken: set[int] = set()
    for _, one, other in sorted(scores, key=lambda each: (-each[0], each[1].id, each[2].id)):
        if not taken & {id(one), id(other)}:
            taken |= {id(one), id(other)}
            yield one, other


def _likeness(one: ObjectId, other: ObjectId, left: set[Leaf], right: set[Leaf]) -> float:
    """Return how much two objects of a kind are alike; 0 if that is not enough to be taken for one."""
    share = len(left & right) / len(left | right) if left | right else 1.0
    words, others = set(WORDS.findall(one.name.lower())), set(WORDS.findall(other.name.lower()))
    named = len(words & others) / max(len(words | others), 1)
    within = bool(words and others) and (words <= others or others <= words)
    if (
        (share >= ALIKE and within)
        or (share >= VERY_ALIKE and named >= ALIKE)
        or (share >= SAME and len(left) >= ENOUGH)
    ):
        return share + named
    return 0.0


def _leaves(body: JsonObject) -> set[Leaf]:
    """Return the values of an object with their fields, its own name aside."""
    found: set[Leaf] = set()
    meta: Json = body.get("metadata")
    meta = {key: meta.get(key) for key in ("labels", "annotations")} if isinstance(meta, dict) else None
    todo: list[tuple[tuple[str, ...], Json]] = [
        *(
            ((str(key),), value)
            for key, value in body.items()
            if key not in ("apiVersion", "kind", "metadata")
        ),
        (("metadata",), meta),
    ]
    while todo and len(found) < MOST_LEAVES:
        path, value = todo.pop()
        if isinstance(value, dict):
            todo += [((*path, str(key)), item) for key, item in value.items()]
        elif isinstance(value, list):
            todo += [(path, item) for item in value]
        elif value is not None:
            found.add((path, str(value)[:200]))
    return found
