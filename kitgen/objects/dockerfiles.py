"""The images that a Dockerfile builds upon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.objects.mentions import is_named

NAMES = ("dockerfile", "containerfile")
FROM = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--platform=\S+[ \t]+)?(\S+)(?:[ \t]+AS[ \t]+(\S+))?",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
EMPTY = "scratch"
"""What has no image."""


def is_dockerfile(name: str) -> bool:
    """Tell whether a key or field has a Dockerfile, by its name."""
    return name.lower().startswith(NAMES) or name.lower().endswith(NAMES)


def built_upon(text: str) -> Iterator[str]:
    """Yield the images that a Dockerfile starts from, and none of its own stages."""
    stages = {EMPTY}
    for match in FROM.finditer(text):
        if match[1].lower() not in stages and is_named(match[1], sure=True):
            yield match[1]
        if match[2]:
            stages.add(match[2].lower())
