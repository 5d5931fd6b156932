"""Names that bring nothing at all: what was to print it may have failed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kitgen.findings import Finding, Origin
from kitgen.load.exports.spool import EXPORT_EMPTY
from kitgen.load.foreign import documents_of
from kitgen.load.gathering import Gathered
from kitgen.load.manifests import Intake

FAILED = "what was to print it may have failed; a list without objects has items: []"


def silent(name: str, gathered: Gathered, intake: Intake) -> Iterator[Finding]:
    """Yield that a name brings nothing; a list without objects says something, and so does a patch."""
    if gathered.aside or gathered.findings or any(gathered.parts):
        return
    documents = (documents_of(file, text, intake)[0] for file, text in gathered.texts.items())
    if any(each is not None for some in documents for each in some):
        return
    if Path(name).is_dir():
        yield EXPORT_EMPTY("found a folder without manifests, expected objects").at(Origin(name))
    else:
        yield EXPORT_EMPTY("found nothing, expected objects", (), FAILED, 1).at(Origin(name))
