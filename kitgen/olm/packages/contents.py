"""What texts hold, each read once: from version to version of a package, most files stay the same.

Read the labels that a Dockerfile gives an image, each with its line.
"""

from __future__ import annotations

import shlex
import zlib
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, Origin, Severity
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifests import ReadBudget
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import Dialect, Json, YamlError, read_yaml_documents
from kitgen.text.yaml.rules import YAML_DUPLICATE

Value = TypeVar("Value")
GZIP = 31
"""What zlib calls the largest window, with the header of gzip."""
ENDS = (" \n", "\t\n", " \r", "\t\r")
"""How lines end that have spaces there; the last one is looked at by itself."""
SHOWN = 100
"""Lines of a file that are worth a word."""


class TextContent(Struct, frozen=True, kw_only=True):
    """What a text holds, whichever file it is in."""

    documents: tuple[Json, ...]
    """Those that say something."""
    size: int
    """Bytes where OLM keeps it: compressed, then as text."""
    untidy: tuple[int, ...]
    """Lines that end in spaces; the last one if its end is missing."""


class Recent(Generic[Value]):
    """Remembers values by name, those that were used last, as far as there is room."""

    def __init__(self, room: int) -> None:
        """Know nothing yet."""
        self.room = room
        self.size = 0
        self.values: OrderedDict[str, tuple[Value, int]] = OrderedDict()

    def get(self, name: str) -> Value | None:
        """Return a value, if it is known still."""
        if (found := self.values.get(name)) is None:
            return None
        self.values.move_to_end(name)
        return found[0]

    def put(self, name: str, value: Value, size: int) -> None:
        """Remember a value, and forget others where it takes their room."""
        self.values[name] = (value, size)
        self.size += size
        while self.size > self.room and len(self.values) > 1:
            self.size -= self.values.popitem(last=False)[1][1]


def parse_content(
    file: str, text: str, intake: ReadBudget, known: Recent[TextContent]
) -> tuple[TextContent, list[Finding]]:
    """Return what a text holds, and why it could not be read; what is right is remembered."""
    if (found := known.get(text)) is not None:
        return found, []
    documents, findings = _parse_documents(file, text, intake)
    said = tuple(each for each in documents if each is not None)
    content = TextContent(documents=said, size=packed_size(text), untidy=_find_untidy_lines(text))
    if documents and not findings:
        known.put(text, content, len(text))
    return content, findings


def _parse_documents(file: str, text: str, intake: ReadBudget) -> tuple[list[Json], list[Finding]]:
    """Return the documents of a text; keys that come twice are told, and the last counts, as to OLM."""
    documents, findings = parse_documents(file, text, intake)
    if findings and all(each.rule is YAML_DUPLICATE for each in findings):
        try:
            documents = read_yaml_documents(text, dialect=Dialect.TEXT, values=intake.values)
        except YamlError:
            return [], findings  # it is too large besides
        findings = [replace(each, graded=Severity.WARNING) for each in findings]
    return documents, findings


def packed_size(text: str) -> int:
    """Return how many bytes a file takes in the ConfigMap that OLM unpacks a bundle into."""
    packer = zlib.compressobj(wbits=GZIP)
    return len(b64encode(packer.compress(text.encode()) + packer.flush()))


def _find_untidy_lines(text: str) -> tuple[int, ...]:
    found: list[int] = []
    if any(end in text for end in ENDS):
        lines = enumerate(text.split("\n"), 1)
        ends = (number for number, line in lines if line.removesuffix("\r").endswith((" ", "\t")))
        found = [*islice(ends, SHOWN)]
    if text and not text.endswith("\n"):
        found.append(text.count("\n") + 1)
    return tuple(dict.fromkeys(found))


LABEL = "LABEL"
LONGEST = 100_000
"""Characters of one instruction that are looked at."""


def parse_image_labels(file: str, text: str) -> Manifest:
    """Return the labels below `labels`; of two for one key the last counts, as in the image."""
    found: dict[str, tuple[str, int]] = {}
    for line, words in _find_label_instructions(text):
        for key, value in _parse_label_pairs(words):
            found[key] = (value, line)
    cause = Cause(CauseKind.MANIFEST)
    whole = FieldSource(path=(), cause=cause, origin=Origin(file, (), 1))
    sources = [
        FieldSource(path=("labels", key), cause=cause, origin=Origin(file, (), line))
        for key, (_, line) in found.items()
    ]
    return Manifest(
        body={"labels": {key: value for key, (value, _) in found.items()}}, sources=(whole, *sources)
    )


def _find_label_instructions(text: str) -> Iterator[tuple[int, str]]:
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
            if found := _parse_label_instruction(parts):
                yield start, found
            parts = []
    if found := _parse_label_instruction(parts):
        yield start, found


def _parse_label_instruction(parts: list[str]) -> str:
    word, _, rest = " ".join(parts)[:LONGEST].strip().partition(" ")
    return rest if word.upper() == LABEL else ""


def _parse_label_pairs(words: str) -> Iterator[tuple[str, str]]:
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
