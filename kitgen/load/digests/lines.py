"""Digests a line: crane digest, with and without the image, and skopeo sync --digestfile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Origin
from kitgen.load.digests.records import DIGEST_FORM, Found, told
from kitgen.objects.reference import reference
from kitgen.schema.wording import cut

UNSAID, SYNC = "", "skopeo sync"
"""What reported a digest: a line looks alike, whichever tool printed it, unless it names a folder."""
REGISTRY, FOLDER = "docker://", "dir:"
"""Where skopeo sync copies to."""
START = re.compile(r"sha(?:256|512):\S*(?:\s|\Z)|[^\s{\[\"'#-]\S*@sha(?:256|512):\S*(?:\s|\Z)")
"""How a line starts that tells a digest, be it right or not; no JSON or YAML of the other forms starts so."""
LONGEST = 4_000
EXPECTED = "sha256:…, IMAGE@sha256:… or sha256:… docker://IMAGE"
"""Of a copy, the place that it went to stands for the image; `--scoped` keeps the whole name in it."""


def is_lines(text: str) -> bool:
    """Tell whether the first line that says something is one of these."""
    first = next((line for _, line in said_lines(text[: 10 * LONGEST])), "")
    return START.match(first) is not None


def said_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers and without space around them."""
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if said and not said.startswith("#"):
            yield number, said


def read_lines(file: str, text: str) -> Iterator[Found]:
    """Yield what each line tells."""
    for number, line in said_lines(text):
        yield _line(line, Origin(file, (), number))


def _line(line: str, origin: Origin) -> Found:
    words = line.split(maxsplit=2) if len(line) <= LONGEST else []
    match words:
        case [word] if "@" in word:
            return told(word, word.partition("@")[2], UNSAID, origin)
        case [word]:
            return told(None, word, UNSAID, origin)
        case [digest, place] if place.startswith(REGISTRY):
            return told(place.removeprefix(REGISTRY), digest, UNSAID, origin, copied=True)
        case [digest, place] if place.startswith(FOLDER):
            return told(_in_folder(place.removeprefix(FOLDER)), digest, SYNC, origin, copied=True)
    return DIGEST_FORM(f"found {cut(line)}, expected {EXPECTED}").at(origin)


def _in_folder(path: str) -> str:
    """Return the image that a path in a folder ends with: from the first step on that may be a registry."""
    steps = path.split("/")
    ends = ("/".join(steps[at:]) for at, step in enumerate(steps[:-1]) if "." in step)
    return next((each for each in ends if reference(each)), steps[-1])
