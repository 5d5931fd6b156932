"""Invert a tree: apply the inverses of the families, one after the other, until no object is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.kube.identity import ObjectId
from kitgen.render.families.table import get_inverses
from kitgen.render.inverse import TreeObjects
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json, JsonObject


class InvertedSpec(Struct, frozen=True, kw_only=True):
    """A tree in the words of a spec."""

    sections: dict[str, Json]
    """Key → its normal form."""
    images: dict[str, str]
    """Name → image, of all that the containers run."""
    config_fields: JsonObject
    """What config.yaml must declare besides what it does."""
    made: dict[ObjectId, str]
    """Object → the key that stands for it."""


def invert_objects(scene: TreeObjects, *, verbatim: bool = False, untyped: bool = False) -> InvertedSpec:
    """Apply every inverse, or only the last one, which takes objects as they are.

    What says that it is in no namespace, no family makes. `untyped`, the configuration is an object too.
    """
    sections: dict[str, Json] = {}
    images: dict[str, str] = {}
    fields: JsonObject = {}
    made: dict[ObjectId, str] = {}
    known = {name: image for image, name in scene.images.items()}
    nowhere = {k: body for k, body in scene.objects.items() if value_at(body, "metadata", "namespace") == ""}
    scene = replace(scene, objects={key: body for key, body in scene.objects.items() if key not in nowhere})
    for section, inverse in get_inverses().items():
        if (untyped and section == "config") or (verbatim and section not in ("crds", "objects")):
            continue
        if section == "objects":
            scene = replace(scene, objects={**scene.objects, **nowhere})
        if (found := inverse.recognise(scene)) is None:
            continue
        sections[section] = found.section
        images |= found.images
        fields = fields or found.config_fields
        made |= dict.fromkeys(found.objects, section)
        scene = replace(
            scene,
            objects={key: body for key, body in scene.objects.items() if key not in found.objects},
            found={**scene.found, section: found.section},
            account=found.account or scene.account,
        )
    images = {**{name: known[name] for name in list_container_images(sections) if name in known}, **images}
    return InvertedSpec(sections=sections, images=images, config_fields=fields, made=made)


def list_container_images(sections: Mapping[str, Json]) -> Iterator[str]:
    """Yield the names of the images that containers run."""
    for container in map_at(sections.get("deployment"), "containers").values():
        if isinstance(container.get("image"), str):
            yield container["image"]
