"""Failure messages of the snapshot test: what changed in each file, and how to accept it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from itertools import islice

from kitgen.testing.files import SnapshotMismatch
from kitgen.text.secrets import redact_value
from kitgen.text.wording import escape_unprintable

MOST = 200
"""How many lines of differences are shown."""


def describe_mismatches(folder: str, wrong: list[SnapshotMismatch], command: str) -> str:
    """Return a summary, the differences, and what to do."""
    counts = {
        "changed": sum(each.was is not None and each.now is not None for each in wrong),
        "missing": sum(each.was is None and each.now is not None for each in wrong),
        "unused": sum(each.now is None for each in wrong),
    }
    summary = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    if len(lines := [*islice(_format_lines(folder, wrong), MOST + 1)]) > MOST:
        lines[MOST:] = [f"… only the first {MOST} lines are shown"]
    advice = f"if this is meant, run: {command}"
    return "\n".join([f"snapshots are not what the kit renders: {summary}", *lines, advice])


def _format_lines(folder: str, wrong: Iterable[SnapshotMismatch]) -> Iterator[str]:
    for each in wrong:
        path = f"{folder}/{each.path}"
        if each.now is None:
            yield escape_unprintable(f"unused: {path}")
        elif each.was is None:
            yield escape_unprintable(f"missing: {path}")
        else:
            before, after = (redact_value(text).splitlines() for text in (each.was, each.now))
            lines = [*unified_diff(before, after, path, f"{path} (rendered)", lineterm="")]
            yield from map(escape_unprintable, lines or [f"changed in what is not shown: {path}"])
