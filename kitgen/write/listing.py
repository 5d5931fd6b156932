"""Read and write the list of files that kitgen generated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from kitgen.write.paths import LISTING, STATE, Kind, environment, kind, unsafe

CONFLICT_MARK = re.compile(r"(<{7}|\|{7}|={7}|>{7})( |$)")


def read_listing(out: Path) -> dict[str, int]:
    """Return the listed paths and their lines; the marks of a git conflict do not count."""
    if kind(out / STATE) is not Kind.FOLDER or kind(out / LISTING) is not Kind.FILE:
        return {}
    lines = (out / LISTING).read_text(encoding="utf-8", errors="replace").split("\n")
    return {line: number for number, line in enumerate(lines, 1) if line and not CONFLICT_MARK.match(line)}


def listed(out: Path) -> list[str]:
    """Return the paths that kitgen says it wrote into a folder; the list may be anybody's."""
    with environment("read the folder"):
        return [path for path in read_listing(out) if not unsafe(path)]


def listing_text(paths: Iterable[str]) -> bytes:
    """Write the list: one path a line, sorted, so that branches merge."""
    return "".join(f"{path}\n" for path in sorted(set(paths))).encode()
