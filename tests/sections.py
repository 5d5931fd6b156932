"""Sections of specs in small kits that are held in memory: what they make, and what inverses make of that."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, reduce
from itertools import product
from operator import getitem

from msgspec.structs import replace

from kitgen.files.tree import Memory
from kitgen.findings import Path
from kitgen.kit.apis import Apis, collect_apis
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.load import load_kit
from kitgen.kit.model import Kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.identity import ObjectId
from kitgen.render.families.table import get_inverses
from kitgen.render.inverse import Inverse, SectionChange, TreeObjects
from kitgen.render.session import Session
from kitgen.text.yaml import Json, JsonObject, dump_yaml

KIT = {"kit": "small", "format": 2, "kubernetes": ">=1.29 <=1.30"}
BY_KEY: dict[str, Inverse] = get_inverses()
PERMISSIONS = ("serviceAccount", "serviceAccounts", "leaderElection", "accessRoles", "roles", "bindings")
"""Keys that say who may do what."""
Objects = dict[ObjectId, JsonObject]


def made(*versions: JsonObject, prefix: str = "x-") -> Objects:
    """Return the objects of the last of some versions, each of which builds on the one before."""
    files = {"kit.yaml": dump_yaml(KIT)}
    for number, sections in enumerate(versions):
        own: JsonObject = {"version": f"v1.{number}.0"}
        if number:
            own["from"] = f"v1.{number - 1}.0"
        else:
            images, containers = {"manager": "quay.io/x/x:v1"}, {"manager": {"image": "manager"}}
            deployment = {"name": "manager", "containers": containers}
            own |= {"component": "x", "about": "A component", "prefix": prefix, "images": images}
            own["deployment"] = deployment
        files[f"components/x/v1.{number}.0/component.yaml"] = dump_yaml({**own, **sections})
    kit = _loaded(files)
    unit = Session(kit).compile_alone(kit.components["x"][f"v1.{len(versions) - 1}.0"])
    return {each.id: each.body for each in unit.assembled}


def _loaded(files: dict[str, str]) -> Kit:
    return load_kit(SpecFiles(Memory({name: text.encode() for name, text in files.items()})))


@cache
def apis() -> Apis:
    """Return what the small kits know of APIs."""
    return collect_apis(_loaded({"kit.yaml": dump_yaml(KIT)}))


def scene(objects: Iterable[Json] | Objects, prefix: str = "x-", **more: Json) -> TreeObjects:
    """Return what a tree with some objects is to inverses."""
    known = objects if isinstance(objects, dict) else {ObjectId.of(each): each for each in objects}
    return TreeObjects(prefix=prefix, objects=known, everything=known, resources=DeclaredResources(), **more)


def recognised(given: TreeObjects) -> tuple[JsonObject, TreeObjects]:
    """Return what the inverses of permissions find, by key, and the scene without that."""
    for key, inverse in BY_KEY.items():
        found = inverse.recognise(given) if key in PERMISSIONS else None
        if found is not None:
            left = {at: body for at, body in given.objects.items() if at not in found.objects}
            known = {**given.found, key: found.section}
            given = replace(given, objects=left, found=known, account=found.account or given.account)
    return dict(given.found), given


def normal(sections: JsonObject) -> JsonObject:
    """Return sections of a spec in their normal forms."""
    return {key: BY_KEY[key].normal(section) for key, section in sections.items()}


def words(new: JsonObject) -> JsonObject:
    """Say normal forms in the words of a spec that builds on nothing."""
    said = {key: BY_KEY[key].terms(SectionChange(new=section)) for key, section in new.items()}
    assert not any(each.remove for each in said.values())
    return {key: each.section for key, each in said.items() if each.section is not None}


def step(old: JsonObject, new: JsonObject, *, leaves: bool = False) -> JsonObject:
    """Say what leads from the words of one spec to the normal forms of another.

    With leaves, every part of what goes is named by itself.
    """
    said: JsonObject = {}
    remove: list[str] = []
    for key in dict.fromkeys((*old, *new)):
        before = BY_KEY[key].normal(old[key]) if key in old else None
        fresh, gone = difference(before, new.get(key))
        if leaves and key != "serviceAccounts":  # an account may have no parts
            gone = tuple(leaf for path in gone for leaf in _leaves(reduce(getitem, path, before), path))
        terms = BY_KEY[key].terms(SectionChange(new=fresh, gone=gone, old=old.get(key)))
        if terms.section is not None:
            said[key] = terms.section
        remove += [f"/{key}/{path}" if path else f"/{key}" for path in terms.remove]
    return {**said, **({"remove": remove} if remove else {})}


def _leaves(value: Json, path: Path) -> list[Path]:
    """Return the places of all that is below a place of a value."""
    if not isinstance(value, dict):
        return [path]
    return [leaf for key, each in value.items() for leaf in _leaves(each, (*path, key))]


def difference(old: Json, new: Json, path: Path = ()) -> tuple[Json, tuple[Path, ...]]:
    """Return what comes or changes, and the places that go."""
    if new is None:
        return None, () if old is None else (path,)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return (None if old == new else new), ()
    fresh: JsonObject = {}
    gone: list[Path] = [(*path, key) for key in old if key not in new]
    for key, value in new.items():
        if key not in old:
            fresh[key] = value
            continue
        below, less = difference(old[key], value, (*path, key))
        gone += less
        if below is not None:
            fresh[key] = below
    return fresh or None, tuple(gone)


def as_seen(objects: Objects) -> dict[ObjectId, Json]:
    """Return objects as a cluster sees them: roles by what they grant."""
    return {at: _seen(body) for at, body in objects.items()}


def _seen(body: JsonObject) -> Json:
    if body.get("kind") not in ("Role", "ClusterRole"):
        return body
    grants = set()
    for rule in body.get("rules") or ():
        lists = ("apiGroups", "resources", "verbs")
        names = rule.get("resourceNames") or ["any"]
        grants |= {*product(*(rule.get(key, ()) for key in lists), names)}
        grants |= {*product(rule.get("nonResourceURLs", ()), rule["verbs"])}
    return {**body, "rules": grants}
