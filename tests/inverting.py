"""Take objects apart with inverses, put what they say into a small kit, and compile that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from kitgen.app.build import build_objects
from kitgen.findings.errors import FindingsError
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kube.identity import ObjectId
from kitgen.render.families.table import get_inverses
from kitgen.render.inverse import Inverse, RecognisedSection, SectionChange, TreeObjects
from kitgen.text.yaml import Json, JsonObject, dump_yaml

KIT = {"kit.yaml": 'kit: small\nformat: 2\nkubernetes: ">=1.29 <=1.30"\n'}
BY_KEY: Mapping[str, Inverse] = get_inverses()


def scene_of(bodies: Iterable[JsonObject], **more: Json) -> TreeObjects:
    """Return what inverses are asked of: objects that have lost what they have in common."""
    objects = {ObjectId.of(body): body for body in bodies}
    given = {"prefix": "", "resources": DeclaredResources(), **more}
    return TreeObjects(objects=objects, everything=objects, **given)


def recognised(scene: TreeObjects, keys: Iterable[str] = ()) -> dict[str, RecognisedSection]:
    """Return what each inverse says, one after the other."""
    found: dict[str, RecognisedSection] = {}
    for key, inverse in BY_KEY.items():
        if keys and key not in keys:
            continue
        said = inverse.recognise(scene)
        if said is None:
            continue
        found[key] = said
        left = {each: body for each, body in scene.objects.items() if each not in said.objects}
        images = {**scene.images, **{image: name for name, image in said.images.items()}}
        known = {**scene.found, key: said.section}
        scene = _with(scene, objects=left, images=images, found=known, account=said.account or scene.account)
    return found


def _with(scene: TreeObjects, **more: Json) -> TreeObjects:
    return replace(scene, **more)


def fresh(key: str, section: Json) -> Json:
    """Return the words for a section in its normal form that builds on none."""
    return BY_KEY[key].terms(SectionChange(new=section)).section


def difference(old: Json, new: Json, path: tuple[str, ...] = ()) -> tuple[JsonObject, list[tuple[str, ...]]]:
    """Return what of a normal form is new or different, and the leaves that are gone."""
    more: JsonObject = {}
    gone: list[tuple[str, ...]] = []
    for key, value in new.items():
        if key not in old:
            more[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict) and value and old[key]:
            inside, lost = difference(old[key], value, (*path, key))
            gone += lost
            more |= {key: inside} if inside else {}
        elif repr(value) != repr(old[key]):
            more[key] = value
    for key in old:
        if key not in new:
            gone += _leaves(old[key], (*path, key))
    return more, gone


def _leaves(value: Json, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    if not isinstance(value, dict) or not value:
        return [path]
    return [leaf for key, each in value.items() for leaf in _leaves(each, (*path, key))]


def compiled(folder: Path, version: str = "v1.0.0") -> list[JsonObject]:
    """Return the objects of the component x of a kit."""
    try:
        built = build_objects(folder, f"component:x@{version}")
    except FindingsError as error:
        raise AssertionError([f"{each.origin.path} {each.message}" for each in error.findings]) from None
    return [manifest.body for manifest in built.objects]


def put(folder: Path, data: JsonObject, version: str = "v1.0.0", config: JsonObject | None = None) -> Path:
    """Write a version of the component x, and its config.yaml."""
    place = folder / "components" / "x" / version
    place.mkdir(parents=True, exist_ok=True)
    (folder / "kit.yaml").write_text(KIT["kit.yaml"])
    (place / "component.yaml").write_text(dump_yaml({"component": "x", "version": version, **data}))
    if config is not None:
        (place / "config.yaml").write_text(dump_yaml(config))
    return folder
