"""Which images the parts of a component make use of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kitgen.model.component import Part
from kitgen.yamlio import Json

IMAGES = re.compile(r"\bimages\b(.?)")


def uses_image(name: str, parts: Iterable[Part], values: Iterable[Json] = ()) -> bool:
    """Tell whether a container runs an image, a parameter holds it, or an expression may read it.

    Expressions stand in the parts, and in further values that a target sets.
    """
    known = list(parts)
    takers = [layer.data.get("containers", {}) for part in known for layer in part.layers("deployment")]
    takers += [layer.data.get("keys", {}) for part in known for layer in part.layers("params")]
    if any(each.get("image") == name for some in takers for each in some.values()):
        return True
    own = (layer.data for part in known for key in part.sections for layer in part.layers(key))
    return any(_reads(text, name) for value in (*values, *own) for text in _texts(value))


def _reads(text: str, name: str) -> bool:
    """Tell whether an expression in a text says the name of an image, or takes all images."""
    after = IMAGES.findall(text) if "{{" in text else []
    return bool(after) and (name in text or any(sign not in (".", "[") for sign in after))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
