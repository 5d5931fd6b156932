"""Names for the images of the operator's containers."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.compile.inverse import Scene
from kitgen.yamlio import JsonObject

MANAGER = "manager"


def image_names(scene: Scene, containers: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return container → the name of its image: that of an older spec, manager, or the container's own."""
    images = {name: each["image"] for name, each in containers.items() if each.get("image")}
    first = MANAGER if MANAGER in images else next(iter(images), "")
    order = sorted(images, key=lambda name: (images[name] not in scene.images, name != first))
    named: dict[str, str] = {}
    for name in order:
        image = images[name]
        if image not in named:
            likely = [*_known(scene, image), *([MANAGER] if name == first else []), name]
            free = (each for each in likely if each not in named.values())
            named[image] = next(free, f"{name}-{len(named)}")
    return {name: named[image] for name, image in images.items()}


def _known(scene: Scene, image: str) -> list[str]:
    """Return the names that a spec has for an image, or for one of its repository or last name."""
    if image in scene.images:
        return [scene.images[image]]
    alike = [name for known, name in scene.images.items() if repository(known) == repository(image)]
    last = repository(image).rpartition("/")[2]
    alike += [name for known, name in scene.images.items() if repository(known).rpartition("/")[2] == last]
    return list(dict.fromkeys(alike))


def repository(image: str) -> str:
    """Return an image without its tag and digest."""
    path, _, last = image.partition("@")[0].rpartition("/")
    name = last.partition(":")[0]
    return f"{path}/{name}" if path else name
