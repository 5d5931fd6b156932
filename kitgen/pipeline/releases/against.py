"""Hold files of others to releases of the kit: the part `--against` of `kitgen release check`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from kitgen.check.downstream import Terms, hold
from kitgen.findings import Finding
from kitgen.load.downstream import read_downstream
from kitgen.load.tags import Tags, load_tags
from kitgen.model import Release
from kitgen.pipeline.opened import Opened


class Against(Struct, frozen=True, kw_only=True):
    """What came of it."""

    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files that were read, for the lines of findings."""
    remarks: tuple[str, ...] = ()


def held_against(
    opened: Opened, names: Iterable[str], release: Release | None, target: str | None
) -> Against:
    """Hold files to a release, or without one to that which each says it is of."""
    found = read_downstream(names)
    terms = Terms(
        kit=opened.kit,
        # What is wrong with them is told where the release itself is looked at.
        tags=load_tags(opened.files)[0] if opened.files else Tags(),
        release=release,
        target=opened.target(target) if target is not None else None,
    )
    held = hold(terms, found)
    return Against(
        findings=(*found.findings, *held.findings),
        texts=found.texts,
        remarks=(*held.remarks, *found.remarks),
    )
