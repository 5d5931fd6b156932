"""The family of images: what containers run."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit, is_crd, mappings
from kitgen.findings import Chapter, Path, Rule, near
from kitgen.objects import wrong_image
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

IMAGE_TAG = Rule(
    id="image-tag",
    chapter=Chapter.IMAGE,
    title="image without tag or digest",
    checks="Every image of a container has a tag or a whole digest.",
    fix="Add the tag of the version, or better the digest.",
)

CONTAINER_IMAGE = Rule(
    id="container-image",
    chapter=Chapter.IMAGE,
    title="a container without an image",
    checks=(
        "Every container of a pod or a pod template names an image, and so does every init and ephemeral "
        "one. The API server requires it, though the schemas do not."
    ),
    fix="Add the image; in a merge patch, check the name of the container.",
)


CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def check(context: Context) -> Iterator[Hit]:
    """Yield every container without an image, or with one that may be another one tomorrow."""
    for target, manifest in context.objects():
        for path, name, others in without_image(manifest.body):
            message = f"found no image of the container {cut(name)}, expected one"
            yield Hit(target, manifest, CONTAINER_IMAGE(message, path, near(name, others)))
        for path, image in images(manifest.body):
            if problem := wrong_image(image):
                message, hint = problem
                yield Hit(target, manifest, IMAGE_TAG(message, path, hint))


def images(body: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield the images of all containers in an object, with their paths."""
    if is_crd(body):
        return
    for path, mapping in mappings(body):
        for name in CONTAINERS:
            items = mapping.get(name)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                if isinstance(item, dict) and isinstance(item.get("image"), str):
                    yield (*path, name, index, "image"), item["image"]


def without_image(body: JsonObject) -> Iterator[tuple[Path, str, list[str]]]:
    """Yield the containers of pods and pod templates without an image: path, name, the others' names."""
    if is_crd(body):
        return
    pods: set[Path] = set()
    for path, mapping in mappings(body):
        if mapping.get("kind") == "Pod" and mapping.get("apiVersion") == "v1":
            pods.add(path)
        if path[-1:] != ("spec",) or not (path[:-1] in pods or _is_template(path)):
            continue
        for name in CONTAINERS:
            found = mapping.get(name)
            items = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
            others = [str(each.get("name")) for each in items if each.get("image") is not None]
            for index, item in enumerate(items):
                if item.get("image") is None:
                    yield (*path, name, index), str(item.get("name", index)), others


def _is_template(path: Path) -> bool:
    """Tell whether a path leads into a template: `template`, or a name such as `workerTemplate`."""
    return len(path) > 1 and str(path[-2]).casefold().endswith("template")
