"""Names that say of a value that it is an image: of fields, keys, variables, parameters and options."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 300
"""No field and no variable has so long a name."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", re.ASCII)
"""A word of a name, whether humps, dashes or underscores part it from the others."""
OPTION = re.compile(r"--?(?:[a-z0-9-]+-)?(?:image|img)", re.ASCII)
ARGUMENT = re.compile(rf"{OPTION.pattern}=(.+)", re.ASCII)
"""The same with what it is set to."""
ALONE = re.compile(r"image|[a-z][A-Za-z0-9]*Image|RELATED_IMAGE_\w+|(?:[A-Z0-9]+_)*IMAGE", re.ASCII)
"""What holds one image and nothing else, so that a name alone is one."""
ENDS = ("image", "images", "img", "imgs")
OTHERS = frozenset(
    {
        *("registry", "registries", "repo", "repository", "repositories", "hub", "org", "prefix", "suffix"),
        *("tag", "tags", "version", "versions", "digest", "stream", "streams", "mirror", "mirrors"),
        *("pull", "push", "policy", "secret", "secrets", "host", "server", "service", "endpoint", "port"),
        *("path", "dir", "directory", "file", "type", "size", "format", "desc", "description", "selection"),
        *("namespace", "label", "labels", "time", "timeout", "period", "interval"),
    }
)
"""Words that say of something else that it has to do with images."""

MARKS = frozenset({"auto", "default", "none", "true", "false", "yes", "no", "always", "never", "custom"})
"""What stands for an image that something else says, or tells whether there is one."""


@lru_cache(maxsize=4096)
def says_image(name: str) -> bool:
    """Tell whether a name speaks of images, and of nothing that they only have."""
    if len(name) > LONGEST or not ("mage" in name or "img" in name or "IM" in name):
        return False
    words = [each.lower() for each in WORD.findall(name.rpartition("/")[2])]
    spoken = any(each in ENDS for each in words) or bool(words and words[-1].endswith(("image", "images")))
    return spoken and OTHERS.isdisjoint(words)


def holds_image(name: str, value: object) -> bool:
    """Tell whether a value that is a name alone is an image, by what it stands under."""
    return isinstance(value, str) and value not in MARKS and ALONE.fullmatch(name[:LONGEST]) is not None
