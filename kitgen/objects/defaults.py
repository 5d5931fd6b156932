"""The images that a CRD gives by default to who names none."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.objects.loose import loosely
from kitgen.objects.mentions import mappings, mentions, named_under, values_in
from kitgen.yamlio import Json, JsonObject


def by_default(crd: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield the images in defaults of a CRD's fields; what descriptions say are examples."""
    for path, value in _defaults(crd.get("spec")):
        name = str(path[-2])
        found = {
            **dict.fromkeys(image for _, image in loosely({name: value})),
            **dict.fromkeys(each.image for each in mentions(mappings(value))),
            **dict.fromkeys(
                image
                for _, text in values_in(value)
                if isinstance(text, str)
                for image in named_under(name, text)
            ),
        }
        yield from ((("spec", *path), image) for image in found)


def _defaults(value: Json) -> Iterator[tuple[Path, Json]]:
    """Yield what fields have by default that could name an image, with its place."""
    todo: list[tuple[Path, Json]] = [((), value)]
    while todo:
        path, each = todo.pop()
        if isinstance(each, list):
            todo += [((*path, at), item) for at, item in enumerate(each) if isinstance(item, dict)]
        elif isinstance(each, dict):
            fields = bool(path) and path[-1] == "properties"
            if not fields and len(path) > 1 and isinstance(each.get("default"), str | dict | list):
                yield (*path, "default"), each["default"]
            todo += [
                ((*path, key), item)
                for key, item in each.items()
                if isinstance(item, dict | list) and (fields or key != "default")
            ]
