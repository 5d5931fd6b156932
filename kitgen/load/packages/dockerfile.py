"""Read the labels that a Dockerfile gives an image, each with its line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from kitgen.findings import By, Cause, Origin
from kitgen.objects import Manifest, Source

LABEL = "LABEL"
LONGEST = 100_000
"""Characters of one instruction that are looked at."""


def labels_of(file: str, text: str) -> Manifest:
    """Return the labels below `labels`; of two for one key the last counts, as in the image."""
    found: dict[str, tuple[str, int]] = {}
    for line, words in _instructions(text):
        for key, value in _pairs(words):
            found[key] = (value, line)
    cause = Cause(By.MANIFEST)
    whole = Source(path=(), cause=cause, origin=Origin(file, (), 1))
    sources = [
        Source(path=("labels", key), cause=cause, origin=Origin(file, (), line))
        for key, (_, line) in found.items()
    ]
    return Manifest(
        body={"labels": {key: value for key, (value, _) in found.items()}}, sources=(whole, *sources)
    )


def _instructions(text: str) -> Iterator[tuple[int, str]]:
    """Yield each LABEL instruction without that word, and the line that it starts in."""
    parts: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or (parts and not line.strip()):
            continue
        start = start if parts else number
        goes_on = line.rstrip().endswith("\\")
        parts.append(line.rstrip()[:-1] if goes_on else line)
        if not goes_on:
            if found := _label(parts):
                yield start, found
            parts = []
    if found := _label(parts):
        yield start, found


def _label(parts: list[str]) -> str:
    word, _, rest = " ".join(parts)[:LONGEST].strip().partition(" ")
    return rest if word.upper() == LABEL else ""


def _pairs(words: str) -> Iterator[tuple[str, str]]:
    try:
        parts = shlex.split(words, posix=True)
    except ValueError:
        return  # a quote without its other one; whoever builds the image is told
    if parts and "=" not in parts[0]:  # the old form: one key, and all the rest is its value
        yield parts[0], " ".join(parts[1:])
        return
    for part in parts:
        key, sign, value = part.partition("=")
        if sign and key:
            yield key, value
