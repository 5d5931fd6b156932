"""What texts hold, each read once: from version to version of a package, most files stay the same."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections import OrderedDict
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Severity
from kitgen.load.foreign import documents_of
from kitgen.load.manifests import Intake
from kitgen.yamlio import Dialect, Json, YamlError, read_all
from kitgen.yamlio.rules import YAML_DUPLICATE

KEPT = 32 * 1024 * 1024
"""Characters of texts whose content is remembered."""
GZIP = 31
"""What zlib calls the largest window, with the header of gzip."""
ENDS = (" \n", "\t\n", " \r", "\t\r")
"""How lines end that have spaces there; the last one is looked at by itself."""
SHOWN = 100
"""Lines of a file that are worth a word."""


class Content(Struct, frozen=True, kw_only=True):
    """What a text holds, whichever file it is in."""

    documents: tuple[Json, ...]
    """Those that say something."""
    size: int
    """Bytes where OLM keeps it: compressed, then as text."""
    untidy: tuple[int, ...]
    """Lines that end in spaces; the last one if its end is missing."""


class Contents:
    """Remembers what texts hold, as far as there is room."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.known: OrderedDict[str, Content] = OrderedDict()
        self.kept = 0

    def of(self, file: str, text: str, intake: Intake) -> tuple[Content, list[Finding]]:
        """Return what a text holds, and why it could not be read."""
        if (known := self.known.get(text)) is not None:
            self.known.move_to_end(text)
            return known, []
        documents, findings = _documents(file, text, intake)
        said = tuple(each for each in documents if each is not None)
        content = Content(documents=said, size=packed_size(text), untidy=_untidy(text))
        if documents and not findings:
            self.known[text] = content
            self.kept += len(text)
            while self.kept > KEPT:
                self.kept -= len(self.known.popitem(last=False)[0])
        return content, findings


def _documents(file: str, text: str, intake: Intake) -> tuple[list[Json], list[Finding]]:
    """Return the documents of a text; keys that come twice are told, and the last counts, as to OLM."""
    documents, findings = documents_of(file, text, intake)
    if findings and all(each.rule is YAML_DUPLICATE for each in findings):
        try:
            documents = read_all(text, dialect=Dialect.TEXT, values=intake.values)
        except YamlError:
            return [], findings  # it is too large besides
        findings = [replace(each, graded=Severity.WARNING) for each in findings]
    return documents, findings


def packed_size(text: str) -> int:
    """Return how many bytes a file takes in the ConfigMap that OLM unpacks a bundle into."""
    packer = zlib.compressobj(wbits=GZIP)
    return len(b64encode(packer.compress(text.encode()) + packer.flush()))


def _untidy(text: str) -> tuple[int, ...]:
    found: list[int] = []
    if any(end in text for end in ENDS):
        lines = enumerate(text.split("\n"), 1)
        ends = (number for number, line in lines if line.removesuffix("\r").endswith((" ", "\t")))
        found = [*islice(ends, SHOWN)]
    if text and not text.endswith("\n"):
        found.append(text.count("\n") + 1)
    return tuple(dict.fromkeys(found))
