"""Differences between the compiled spec and the trees: patches, and objects that no family makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.objects.compare import Comparison
from kitgen.compare.objects.difference import ABSENT, Difference
from kitgen.importing.patches import build_empty_patch, build_patch, can_apply_patch, describe_patch
from kitgen.importing.places import COMPONENT, distinct, reserve_name
from kitgen.importing.spec import Spec
from kitgen.importing.trees import GivenTree, InvertedTree
from kitgen.kube.identity import ObjectId
from kitgen.render.labels import find_unlabelled
from kitgen.text.yaml import JsonObject

CRD = "CustomResourceDefinition"
UNCHANGED = "Namespace"
"""What no patch changes, since kustomize names it."""
Made: TypeAlias = Mapping[tuple[str, str, str], JsonObject]
"""Group, kind and name → the object before kustomize gives it a namespace and the labels of all."""


def add_patches(
    spec: Spec,
    givens: Sequence[GivenTree],
    found: Sequence[Comparison],
    made: Sequence[Made],
    alone: Made,
    taken: Iterable[str],
) -> Spec:
    """Return the spec with patches for what is left."""
    needed: dict[ObjectId, dict[str, JsonObject]] = {}
    for given, comparison, objects in zip(givens, found, made, strict=True):
        for identity, patch in _build_patches(given, comparison, objects):
            needed.setdefault(replace(identity, namespace=""), {})[given.who] = patch
    return _insert_patches(spec, needed, [given.who for given in givens], alone, taken)


def add_unlabelled_patches(
    spec: Spec, reads: Sequence[InvertedTree], alone: Made, taken: Iterable[str]
) -> Spec:
    """Return the spec with patches for what label rules are to leave alone."""
    needed: dict[ObjectId, dict[str, JsonObject]] = {}
    for read in reads:
        before = find_unlabelled(read.given.older) if read.given.older else ()
        for identity in sorted(each for each in read.found.spared if str(each) not in before):
            words = {"unlabelled": True}
            patch = {**build_empty_patch(identity), **words, "why": describe_patch(words)}
            needed.setdefault(replace(identity, namespace=""), {})[read.given.who] = patch
    return _insert_patches(spec, needed, [read.given.who for read in reads], alone, taken)


def _insert_patches(
    spec: Spec,
    needed: Mapping[ObjectId, Mapping[str, JsonObject]],
    whos: Sequence[str],
    alone: Made,
    taken: Iterable[str],
) -> Spec:
    """Return the spec with patches of objects that some trees need.

    `alone` is the component by itself: it has no patch of what only features make. `taken` are names of
    patches that there are already.
    """
    names = {*taken, *(each["name"] for each in spec.data.get("patches", ()))}
    names |= {each["name"] for some in spec.settings.values() for each in some.get("patches", ())}
    own: list[JsonObject] = []
    settings = {who: dict(each) for who, each in spec.settings.items()}
    features: dict[str, JsonObject] = {}
    for identity, patches in needed.items():
        base = alone.get((identity.group, identity.kind, identity.name))
        for patch in distinct(patches.values()):
            who = [each for each, one in patches.items() if one == patch]
            named = {**patch, "name": reserve_name(patch["name"], names)}
            known = identity.kind == CRD or (base is not None and can_apply_patch(patch, base))
            if who == whos and (COMPONENT in who or known):
                own.append(named)
            elif COMPONENT not in who:
                for each in who:
                    kept = settings.setdefault(each, {})
                    kept["patches"] = [*kept.get("patches", ()), named]
            else:
                features.setdefault(" ".join(who), {"who": who, "patches": []})["patches"].append(named)
    data = dict(spec.data)
    if own:
        data["patches"] = [*data.get("patches", ()), *own]
    for feature in features.values():
        _add_patch_feature(data, settings, feature, whos)
    return replace(spec, data=data, settings=settings)


def _build_patches(
    given: GivenTree, comparison: Comparison, made: Made
) -> Iterable[tuple[ObjectId, JsonObject]]:
    bodies = {ObjectId.of(body): body for body in given.bodies}
    by_object: dict[ObjectId, list[Difference]] = {}
    for difference in comparison.differences:
        by_object.setdefault(difference.object, []).append(difference)
    for identity, some in by_object.items():
        whole = not some[0].field or (some[0].left is ABSENT and not some[0].path)
        before, real = made.get((identity.group, identity.kind, identity.name)), bodies.get(identity)
        if identity.kind != UNCHANGED and not whole and before is not None and real is not None:
            patch = build_patch(identity, some, real, before)
            yield from ((identity, patch),) if patch else ()


def _add_patch_feature(
    data: JsonObject, settings: dict[str, JsonObject], feature: JsonObject, whos: Sequence[str]
) -> None:
    """Make a feature of patches that the component by itself needs, and only some targets do."""
    known: JsonObject = dict(data.get("features", {}))
    name = reserve_name("-".join(filter(None, feature["who"])) or "upstream", set(known))
    known[name] = {"about": "", "default": True, "patches": feature["patches"]}
    data["features"] = known
    for who in whos:
        if who and who not in feature["who"]:
            kept = settings.setdefault(who, {})
            given = kept.get("features") or []
            on = given if isinstance(given, dict) else dict.fromkeys(given, True)
            kept["features"] = {**on, name: False}
