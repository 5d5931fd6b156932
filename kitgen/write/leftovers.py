"""Find files that look as if kitgen had written them, and that it knows nothing of.

That happens when the list goes back and the files do not, as after `git checkout .`. They are only
named: the mark can be copied, so it does not prove that nobody wants them.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from itertools import islice
from pathlib import Path

from kitgen.findings import Chapter, Finding, Origin, Rule, Severity
from kitgen.mark import PARAMS, marked
from kitgen.reading import head
from kitgen.schema.wording import counted
from kitgen.write.listing import HEAD, listed
from kitgen.write.paths import DEEPEST, Kind, kind

FILE_LEFTOVER = Rule(
    id="file-leftover",
    chapter=Chapter.FILE,
    checks=(
        "Every file in the rendered folder that says that kitgen generated it is one that kitgen renders "
        "or has on its list. Others are left when the list goes back and they do not, as after `git "
        "checkout .`, and kitgen deletes only what is on its list."
    ),
    fix="Remove it: nothing that kitgen renders refers to it.",
    severity=Severity.WARNING,
)

MAX_FILES = 20_000
"""How many entries of the folder are looked at; a rendered tree is far smaller."""
SHOWN = 10


def leftovers(out: Path, tree: Collection[str] = ()) -> list[Finding]:
    """Return a warning for every file or folder that kitgen seems to have left behind.

    Files without a mark cannot say that they were generated: one counts if a leftover stands beside it.
    """
    found = _Walk(out, {*tree, *listed(out)}).look("")[0] if kind(out) is Kind.FOLDER else []
    name = out.absolute().name
    findings = [_finding(f"{name}/{path}", count) for path, count in found[:SHOWN]]
    if len(found) > SHOWN:
        message = f"found {len(found) - SHOWN} more files and folders like the others that are named"
        findings.append(FILE_LEFTOVER(message, hint="remove those first").at(Origin(name, (), 1)))
    return findings


def _finding(path: str, count: int) -> Finding:
    what = f"a folder of {counted(count, 'generated file')}" if count else "a generated file"
    hint = f"nothing that kitgen renders refers to it: rm {'-r ' if count else ''}{path}"
    return FILE_LEFTOVER(f"found {what} that kitgen no longer knows", hint=hint).at(Origin(path, (), 1))


class _Walk:
    """One look through a folder; symlinks and hidden entries are somebody else's."""

    def __init__(self, out: Path, known: Collection[str]) -> None:
        self.out = out
        self.known = known
        self.seen = 0

    def look(self, folder: str) -> tuple[list[tuple[str, int]], bool]:
        """Return files left behind (0), folders of such files alone (how many), and if there is more.

        What cannot be looked at counts as more.
        """
        entries = self._entries(folder)
        found: list[tuple[str, int]] = []
        beside: list[tuple[str, int]] = []
        others = entries is None
        for entry in entries or ():
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or entry.is_symlink():
                others = True
            elif entry.is_dir():
                inner, more = self.look(path)
                files = sum(count or 1 for _, count in inner)
                found += [(path, files)] if files and not more else inner
                others = others or more
            elif entry.name == PARAMS and path not in self.known:
                beside.append((path, 0))
            elif self._is_left(path, entry):
                found.append((path, 0))
            else:
                others = True
        left = any(not count and path.rpartition("/")[0] == folder for path, count in found)
        return ([*found, *beside], others) if left else (found, others or bool(beside))

    def _entries(self, folder: str) -> list[os.DirEntry[str]] | None:
        if self.seen > MAX_FILES or folder.count("/") > DEEPEST:
            return None
        try:
            with os.scandir(self.out / folder) as entries:
                listed = sorted(islice(entries, MAX_FILES + 1), key=lambda entry: entry.name)
        except OSError:
            return None
        self.seen += len(listed)
        return listed if self.seen <= MAX_FILES else None

    def _is_left(self, path: str, entry: os.DirEntry[str]) -> bool:
        try:
            return path not in self.known and entry.is_file() and marked(head(self.out / path, HEAD))
        except OSError:
            return False
