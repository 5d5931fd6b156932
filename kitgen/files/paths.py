"""Validate paths: whether they may be written, and whether a symlink is in the way."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from kitgen.findings.errors import KitgenError

STATE = ".kitgen"
"""The folder that holds what kitgen remembers of the tree."""
LISTING = f"{STATE}/files"
IGNORE = f"{STATE}/.gitignore"
IGNORED = b"*\n!.gitignore\n!files\n"
"""Only the list is worth a commit; the lock and half-done work are not."""
JOURNAL = f"{STATE}/journal"
STAGE = f"{STATE}/stage"
LOCK = f"{STATE}/lock"

LONGEST_NAME, LONGEST_PATH, DEEPEST = 255, 3000, 30
"""In bytes, what file systems take, and what leaves room for the way to the folder; and in folders."""
MOST_PATHS = 50_000
"""On the list of generated files, or in a journal."""
FILE_MODE = 0o644
FOLDER_MODE = 0o755
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class PathKind(StrEnum):
    """What stands at a path, without following a symlink."""

    MISSING = "nothing"
    FILE = "a file"
    FOLDER = "a folder"
    SYMLINK = "a symlink"
    OTHER = "a device or socket"


KINDS = {stat.S_IFREG: PathKind.FILE, stat.S_IFDIR: PathKind.FOLDER, stat.S_IFLNK: PathKind.SYMLINK}


def path_kind(path: Path | str) -> PathKind:
    """Return what is at a path; a path below a file is missing."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return PathKind.MISSING
    return KINDS.get(stat.S_IFMT(mode), PathKind.OTHER)


def has_state_folder(out: Path) -> bool:
    """Return whether a folder has one that kitgen keeps for itself; behind a link nothing is kitgen's."""
    return path_kind(out) is PathKind.FOLDER and path_kind(out / STATE) is PathKind.FOLDER


def has_pending_write(out: Path) -> bool:
    """Return whether a write was cut short, or is under way."""
    return path_kind(out / JOURNAL) is not PathKind.MISSING or path_kind(out / STAGE) is not PathKind.MISSING


@lru_cache(maxsize=4096)
def find_path_fault(path: str) -> str:
    """Return why a path must not be written, or an empty string."""
    parts = path.split("/", DEEPEST + 1)
    longest = max(len(part.encode(errors="surrogatepass")) for part in parts)
    reasons = {
        "expected a relative path": not path or path.startswith("/"),
        "expected no backslash in it": "\\" in path,
        "expected no control characters in it": not path.isprintable(),
        f"expected at most {DEEPEST} steps": len(parts) > DEEPEST,
        "expected a plain path, without '.', '..' or empty steps": not {"", ".", ".."}.isdisjoint(parts),
        f"expected names of at most {LONGEST_NAME} bytes, and {LONGEST_PATH} in all": (
            longest > LONGEST_NAME or len(path.encode(errors="surrogatepass")) > LONGEST_PATH
        ),
        f"expected a path outside of {STATE}, which kitgen keeps for itself": parts[0] == STATE,
    }
    return next((reason for reason, is_true in reasons.items() if is_true), "")


@lru_cache(maxsize=1024)
def parents(path: str) -> tuple[str, ...]:
    """Return the folders above a path, outermost first."""
    return tuple(accumulate(path.split("/")[:-1], lambda above, step: f"{above}/{step}"))


def is_in_scope(path: str, scope: tuple[str, ...]) -> bool:
    """Return whether a path is one of the scope's or below one; an empty scope holds everything."""
    return not scope or any(path == top or path.startswith(f"{top.rstrip('/')}/") for top in scope)


@contextmanager
def wrap_os_errors(doing: str) -> Iterator[None]:
    """Turn what the system refuses into an error that says what kitgen was doing."""
    try:
        yield
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        hint = (
            "free some space and try again"
            if error.errno in FULL
            else "check the folder and who may write it"
        )
        raise KitgenError(f"cannot {doing}:{where} {reason}", hint=hint) from error
