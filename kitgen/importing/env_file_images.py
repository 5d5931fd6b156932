"""Images in env files of a tree that no object uses, and that would be lost for mirrors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from kitgen.importing.spec import Spec, sort_sections
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.kube.image_mentions import is_image_key, is_image_reference, is_image_text
from kitgen.kube.image_reference import parse_image_reference
from kitgen.render.image_places import find_object_images
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import JsonObject

NOT_PLAIN = compile_late(r"[^a-z0-9]+")


def add_unbuilt_images(spec: Spec, reals: Collection[ShippedTree], older: Component | None) -> Spec:
    """Return the spec with the images that only env files of the trees name."""
    known = {image for real in reals for each in real.manifests for image, *_ in find_object_images(each)}
    taken = {each.name for each in older.runtime_images} if older else set()
    known |= {each.image for each in older.runtime_images} if older else set()
    found: JsonObject = {}
    alike: Counter[str] = Counter()
    for key, image, name in _find_env_file_images(reals):
        if image not in known:
            known.add(image)
            plain = NOT_PLAIN.sub("-", key.lower()).strip("-") or "image"
            # Of those that are called alike, all but the first have a number.
            while (
                free := f"{plain}-{alike[plain] + 1}" if alike[plain] else plain
            ) in taken or free in found:
                alike[plain] += 1
            found[free] = {"image": image, "source": f"{key} of {name}, which the tree does not build"}
    return replace(spec, data=sort_sections({**spec.data, "runtimeImages": found})) if found else spec


def _find_env_file_images(reals: Collection[ShippedTree]) -> Iterator[tuple[str, str, str]]:
    """Yield keys of env files whose ConfigMap is not built, their images, and what it is called.

    Of two that are called the same, the first is of the folder that builds upon the other's.
    """
    for real in reals:
        seen: set[tuple[str, str]] = set()
        for made in real.unbuilt:
            for key, value in made.values.items():
                if (made.name, key) not in seen and _is_image(key, value.strip()):
                    yield key, value.strip(), made.name
                seen.add((made.name, key))


def _is_image(key: str, value: str) -> bool:
    """Return whether a value of an env file is an image that can be declared: with a tag or a digest."""
    found = parse_image_reference(value)
    whole = is_image_text(value) or (is_image_key(key) and is_image_reference(value))
    return found is not None and bool(found.tag or found.digest) and whole
