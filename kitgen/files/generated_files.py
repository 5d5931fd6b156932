"""The list of files that kitgen generated, and files that look generated but are not on it.

The list may come with a foreign kit, so it does not suffice to own a file: the content must not contradict
it. Unlisted files, as after `git checkout .` of the list, are only reported: the header can be copied, so it
does not prove that nobody wants them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path

from kitgen.files.paths import (
    DEEPEST,
    IGNORE,
    IGNORED,
    LISTING,
    MOST_PATHS,
    PathKind,
    environment,
    half_done,
    has_state,
    kind,
    parents,
    unsafe,
)
from kitgen.files.read import LARGEST, OWN_LIMIT, TooBigError, head, read_file
from kitgen.files.root import PARAMS, generated, marked
from kitgen.findings import Finding, Origin, problem
from kitgen.findings.errors import KitgenError
from kitgen.text.wording import counted

CONFLICT_MARK = re.compile(r"(<{7}|\|{7}|={7}|>{7})( |$)")
HEAD = 4096


def read_listing(out: Path) -> dict[str, int]:
    """Return the listed paths and their lines; the marks of a git conflict do not count."""
    if not has_state(out) or kind(out / LISTING) is not PathKind.FILE:
        return {}
    try:
        lines = read_file(out / LISTING, OWN_LIMIT).decode(errors="replace").split("\n")
    except TooBigError as error:
        raise _unreadable(out, error.strerror) from error
    if len(lines) > 2 * MOST_PATHS:  # a conflict may have put most of them there twice
        raise _unreadable(out, f"found {len(lines)} lines, expected at most {2 * MOST_PATHS}")
    return {line: number for number, line in enumerate(lines, 1) if line and not CONFLICT_MARK.match(line)}


def _unreadable(out: Path, reason: object) -> KitgenError:
    return KitgenError(
        f"cannot read {out / LISTING}: {reason}", hint="bring it back from git, or delete it and render again"
    )


def listed(out: Path) -> list[str]:
    """Return the paths that kitgen says it wrote into a folder; the list may be anybody's."""
    with environment("read the folder"):
        return [path for path in read_listing(out) if not unsafe(path)]


def listing_text(paths: Iterable[str]) -> bytes:
    """Write the list: one path a line, sorted, so that branches merge."""
    return "".join(f"{path}\n" for path in sorted(set(paths))).encode()


def is_ours(out: Path, path: str, listed: Collection[str]) -> bool:
    """Return whether a path is listed and the file there, if there is one, was written by kitgen."""
    if path not in listed:
        return False
    return kind(out / path) is not PathKind.FILE or generated(path, head(out / path, HEAD))


def digest(out: Path) -> str:
    """Return a hash of the listed files as they are on disk; any edit, loss or half-done write shows."""
    with environment("read the folder"):
        found = _hashed((path, _content(out, path)) for path in (*listed(out), LISTING, IGNORE))
        return found + ("half done" if half_done(out) else "")


def digest_of(tree: Mapping[str, str]) -> str:
    """Return the hash of a folder that holds a tree just as it was rendered."""
    own = ((LISTING, listing_text(tree)), (IGNORE, IGNORED))
    return _hashed([*((path, tree[path].encode()) for path in sorted(tree)), *own])


def _content(out: Path, path: str) -> bytes:
    for step in ("", *parents(path)):
        if (what := kind(f"{out}/{step}".rstrip("/"))) is not PathKind.FOLDER:
            return f"\0{step} is {what}".encode()
    if (what := kind(f"{out}/{path}")) is not PathKind.FILE:
        return f"\0{what}".encode()
    content = head(f"{out}/{path}", LARGEST + 1)
    # Nothing that was rendered is as large, so it is not worth a look at the rest.
    return content if len(content) <= LARGEST else b"\0too large"


def _hashed(contents: Iterable[tuple[str, bytes]]) -> str:
    from hashlib import blake2b

    total = blake2b(digest_size=32)
    for path, content in contents:
        total.update(f"{path}\0{len(content)}\0".encode(errors="surrogateescape"))
        total.update(content)
    return total.hexdigest()


MAX_FILES = 20_000
"""How many entries of the folder are looked at; a rendered tree is far smaller."""
SHOWN = 10


def leftovers(out: Path, tree: Collection[str] = ()) -> list[Finding]:
    """Return a warning for every file or folder that kitgen seems to have left behind.

    Files without a mark cannot say that they were generated: one counts if a leftover stands beside it.
    """
    found = _Walk(out, {*tree, *listed(out)}).look("")[0] if kind(out) is PathKind.FOLDER else []
    name = out.absolute().name
    findings = [_finding(f"{name}/{path}", count) for path, count in found[:SHOWN]]
    if len(found) > SHOWN:
        findings.append(
            problem(
                "file-leftover",
                f"found {len(found) - SHOWN} more files and folders like the others that are named",
                hint="remove those first",
            ).at(Origin(name, (), 1))
        )
    return findings


def _finding(path: str, count: int) -> Finding:
    what = f"a folder of {counted(count, 'generated file')}" if count else "a generated file"
    return problem(
        "file-leftover",
        f"found {what} that kitgen no longer knows",
        hint=f"nothing that kitgen renders refers to it: rm {'-r ' if count else ''}{path}",
    ).at(Origin(path, (), 1))


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
