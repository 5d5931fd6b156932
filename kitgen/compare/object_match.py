"""Match objects: which object of one side is which object of the other.

The one matcher of objects, for comparisons, upgrades, reviews and imports. Three questions, each a function:

- `index_objects(*sides)`: the bodies of each side by what matches them where names are known (`match_key_of`:
  without the hash of a generated ConfigMap, and without a namespace where the kind has none). Equal keys are
  one object.
- `match_objects(before, now)`: what became of the objects of before: kept, replaced by the one of the next
  version (`heirs`), moved between namespaces, renamed or gone; and what came.
- `find_moved_namespaces(left, right)`: which namespace of the right is which one of the left.

`select_best_pairs` chooses among likenesses, whatever is alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.crd_match import group_and_kind
from kitgen.crd.definition import is_crd
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.kube.names import HASHED
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs, map_at, value_at
from kitgen.text.yaml import Json, JsonObject

Pair: TypeAlias = tuple[Manifest, Manifest]
"""An object as it was, and as it is now."""
Leaf: TypeAlias = tuple[tuple[str, ...], str]
T = TypeVar("T", bound=Hashable)

HEIRS = {
    ("extensions", "DaemonSet"): "apps",
    ("extensions", "Deployment"): "apps",
    ("extensions", "Ingress"): "networking.k8s.io",
    ("extensions", "NetworkPolicy"): "networking.k8s.io",
    ("extensions", "ReplicaSet"): "apps",
}
"""Kinds that Kubernetes serves in another group than before: one object is to be had in both."""
STEMS: dict[tuple[str, str], re.Pattern[str]] = {
    ("", "ConfigMap"): HASHED,
    ("", "Secret"): HASHED,
    ("operators.coreos.com", "ClusterServiceVersion"): compile_late(r"(?<=.)[.-]v?\d+\.\d+\.\d+.*"),
}
"""Kinds whose names may end in what changes with every version, and how that end looks."""
MOST_PAIRS, MOST_LEAVES = 2_500, 2_000
ALIKE, VERY_ALIKE, SAME = 0.5, 0.8, 0.9
ENOUGH = 5
WORDS = compile_late(r"[a-z0-9]+")


def match_key_of(name: ObjectId) -> ObjectId:
    """Return what an object is matched by."""
    match name.kind:
        case "ConfigMap":
            return replace(name, name=HASHED.sub("", name.name))
        case "SecurityContextConstraints":
            return replace(name, namespace="")
    return name


def index_objects(*sides: Sequence[JsonObject]) -> list[dict[ObjectId, JsonObject]]:
    """Return the objects of each side by what matches them; where several would, by their whole names."""
    names = [[ObjectId.of(body) for body in side] for side in sides]
    counts = [Counter(map(match_key_of, side)) for side in names]
    several = {key for count in counts for key, number in count.items() if number > 1}
    return [
        {
            name if match_key_of(name) in several else match_key_of(name): body
            for name, body in zip(*both, strict=True)
        }
        for both in zip(names, sides, strict=True)
    ]


def find_moved_namespaces(left: Iterable[Manifest], right: Iterable[Manifest]) -> dict[str, str]:
    """Return the namespaces of the right that are another one on the left, by the objects of both."""
    here, there = (
        {_key_without_namespace(each): each.id.namespace for each in side} for side in (left, right)
    )
    found = group_pairs(
        (space, home) for key, space in there.items() if space and (home := here.get(key)) and home != space
    )
    return {space: Counter(homes).most_common(1)[0][0] for space, homes in found.items()}


class ObjectMatches(Struct, frozen=True, kw_only=True):
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


def match_objects(
    before: Iterable[Manifest], now: Iterable[Manifest], groups: Mapping[tuple[str, str], str] | None = None
) -> ObjectMatches:
    """Hold the objects of before against those of now; `groups` says which kinds went to which group."""
    old, new = _index_named_objects(before), _index_named_objects(now)
    same = [(old.pop(key), new.pop(key)) for key in [*old] if key in new]
    rest = _Unmatched([*old.values()], [*new.values()])
    heirs = [
        *rest.pair_by_key(_key_without_version),
        *rest.pair_by_key(lambda one: _key_across_groups(one, groups or {})),
    ]
    elsewhere = rest.pair_by_key(_key_without_namespace)
    moved = [pair for pair in elsewhere if all(each.id.namespace for each in pair)]
    # One of two that does not say its namespace is in that of the other: whoever applies it says so.
    same += [pair for pair in elsewhere if not all(each.id.namespace for each in pair)]
    renamed = rest.pair_by_similarity()
    return ObjectMatches(kept=same, heirs=heirs, moved=moved, renamed=renamed, gone=rest.old, added=rest.new)


def _index_named_objects(manifests: Iterable[Manifest]) -> dict[ObjectId, Manifest]:
    """Return the objects that have a name, by their identity; of two with one identity the first counts."""
    found: dict[ObjectId, Manifest] = {}
    for each in manifests:
        if each.id.name and value_at(each.body, "metadata", "name"):
            name = each.id
            group = HEIRS.get((name.group, name.kind), name.group)
            space = name.namespace if is_namespaced(group, name.kind) else ""
            found.setdefault(ObjectId(group, name.kind, space, name.name), each)
    return found


class _Unmatched:
    """The objects of both sides that are not matched yet."""

    def __init__(self, old: list[Manifest], new: list[Manifest]) -> None:
        self.old, self.new = old, new

    def pair_by_key(self, key: Callable[[Manifest], Hashable | None]) -> list[Pair]:
        """Return those that are alone on their sides in having a key, and have them no more."""
        here, there = (_select_unique(side, key) for side in (self.old, self.new))
        return self._remove_pairs([(one, there[found]) for found, one in here.items() if found in there])

    def pair_by_similarity(self) -> list[Pair]:
        """Return those of a kind that are much alike, the most first, and have them no more."""
        # The name of a CRD is what it is.
        old, new = (
            group_pairs(((each.id.group, each.id.kind), each) for each in side if not is_crd(each.body))
            for side in (self.old, self.new)
        )
        both = ((some, new[kind]) for kind, some in old.items() if kind in new)
        few = [pair for pair in both if len(pair[0]) * len(pair[1]) <= MOST_PAIRS]
        return self._remove_pairs([pair for some, others in few for pair in _pair_similar(some, others)])

    def _remove_pairs(self, pairs: list[Pair]) -> list[Pair]:
        taken = {id(each) for pair in pairs for each in pair}
        self.old, self.new = ([e for e in side if id(e) not in taken] for side in (self.old, self.new))
        return pairs


def _select_unique(
    manifests: Iterable[Manifest], key: Callable[[Manifest], Hashable | None]
) -> dict[Hashable, Manifest]:
    found = group_pairs((key(each), each) for each in manifests)
    return {name: some[0] for name, some in found.items() if name is not None and len(some) == 1}


def _key_without_version(manifest: Manifest) -> Hashable | None:
    name = manifest.id
    pattern = STEMS.get((name.group, name.kind))
    found = pattern.search(name.name) if pattern else None
    return (name.group, name.kind, name.namespace, name.name[: found.start()]) if found else None


def _key_across_groups(manifest: Manifest, groups: Mapping[tuple[str, str], str]) -> Hashable | None:
    """Return what stays the same of a CRD, or of a resource of its kind, when the kind changes groups."""
    if not groups:
        return None
    name, crd = manifest.id, is_crd(manifest.body)
    group, kind = group_and_kind(manifest.body) if crd else (name.group, name.kind)
    return (crd, groups.get((group, kind), group), kind, name.namespace, "" if crd else name.name)


def _key_without_namespace(manifest: Manifest) -> Hashable:
    return manifest.id.group, manifest.id.kind, manifest.id.name


def _pair_similar(some: Sequence[Manifest], others: Sequence[Manifest]) -> Iterator[Pair]:
    mine, theirs = ([(each.id, _collect_leaves(each.body)) for each in side] for side in (some, others))
    scores = [
        ((-score, one[0], other[0]), first, second)
        for first, one in enumerate(mine)
        for second, other in enumerate(theirs)
        if (score := _compute_similarity(one, other))
    ]
    yield from ((some[first], others[second]) for first, second in select_best_pairs(scores).items())


def select_best_pairs(scored: Iterable[tuple[Any, T, T]]) -> dict[T, T]:
    """Return which of some is which of others, each once: those that rank first are paired first."""
    found: dict[T, T] = {}
    taken: set[T] = set()
    for _, one, other in sorted(scored):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def _compute_similarity(one: tuple[ObjectId, set[Leaf]], other: tuple[ObjectId, set[Leaf]]) -> float:
    """Return how much two objects of a kind are alike; 0 if that is not enough to be taken for one."""
    (name, left), (again, right) = one, other
    share = len(left & right) / len(left | right) if left | right else 1.0
    words, others = set(WORDS.findall(name.name.lower())), set(WORDS.findall(again.name.lower()))
    named = len(words & others) / max(len(words | others), 1)
    within = bool(words and others) and (words <= others or others <= words)
    alike = (
        (share >= ALIKE and within)
        or (share >= VERY_ALIKE and named >= ALIKE)
        or (share >= SAME and len(left) >= ENOUGH)
    )
    return share + named if alike else 0.0


def _collect_leaves(body: JsonObject) -> set[Leaf]:
    """Return the values of an object with their fields, its own name aside."""
    found: set[Leaf] = set()
    meta = map_at(body, "metadata")
    todo: list[tuple[tuple[str, ...], Json]] = [
        *(
            ((str(key),), value)
            for key, value in body.items()
            if key not in ("apiVersion", "kind", "metadata")
        ),
        *((("metadata", key), meta.get(key)) for key in ("labels", "annotations")),
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
