"""Sources of spec files: a folder on disk, or files in memory, such as those of a revision."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from kitgen.files import reads
from kitgen.files.paths import parents
from kitgen.files.read import MAX_BYTES, FileTooLargeError, NoPlainFileError, describe_excess_size, read_file
from kitgen.files.root import PATH_SYMLINK
from kitgen.findings import Problem, get_rule, make_problem
from kitgen.findings.errors import KitgenError

FILE_SIZE = get_rule("file-size")

MAX_LINKS = 40
"""As many as the system follows on the way to a file."""
LEADS_OUT = PATH_SYMLINK("a symbolic link leads out of the kit", line=1)
LOOP = PATH_SYMLINK("a symbolic link leads round in a circle", line=1)
MISSING = make_problem("file-missing", "no such file", line=1)
NO_FILE = make_problem("file-kind", "found something that is not a file", line=1)


class Files(Protocol):
    """The files of one kit; a path is relative to its root, with slashes."""

    def list_names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none if there is no such folder."""

    def is_folder(self, name: str) -> bool | Problem:
        """Return whether a path is a folder's, or why that is unknown."""

    def exists(self, name: str) -> bool:
        """Return whether something has this path, even a link that leads nowhere."""

    def read(self, name: str) -> bytes | Problem:
        """Return a file's content, or why it must not be read."""


class Disk(Struct, frozen=True, dict=True):
    """The files below a folder."""

    root: Path

    @cached_property
    def resolved_root(self) -> str:
        """Return the folder behind all links, resolved once: every path must be inside it."""
        return os.path.realpath(self.root)

    def list_names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none if there is no such folder, or a link leads out."""
        try:
            if (place := resolve_inside(self.root, folder, self.resolved_root)) is None:
                reads.note_unrecorded()
                return []
            found = sorted(os.listdir(place))  # noqa: PTH208 # no entry is asked for more than its name
        except FileNotFoundError:
            found, place = [], self._join(folder)
        except OSError as error:
            raise KitgenError(f"cannot read the folder {folder}: {error.strerror}") from error
        if place == self._join(folder):
            reads.note_names(self.resolved_root, folder, found)
        else:
            reads.note_unrecorded()
        return found

    def is_folder(self, name: str) -> bool | Problem:
        """Return whether a path is a folder's; one that may not be looked at is an error."""
        reads.note_kind(self._join(name))
        try:
            if resolve_inside(self.root, name, self.resolved_root) is None:
                return LEADS_OUT
            return stat.S_ISDIR((self.root / name).stat().st_mode)
        except FileNotFoundError:
            return False
        except OSError as error:
            if error.errno == errno.ELOOP:
                return LOOP
            raise KitgenError(f"cannot read {name}: {error.strerror}") from error

    def exists(self, name: str) -> bool:
        """Return whether something has this path, even a link that leads nowhere."""
        reads.note_kind(self._join(name))
        return os.path.lexists(self.root / name)

    def read(self, name: str) -> bytes | Problem:
        """Return a file's content, or why it must not be read."""
        if wrong := _check_path(name):
            return wrong
        if (place := resolve_inside(self.root, name, self.resolved_root)) is None:
            reads.note_unrecorded()
            return LEADS_OUT
        plain = place == self._join(name)
        try:
            found = read_file(place, MAX_BYTES, noted=plain)
            if plain:
                reads.note_content(self.resolved_root, name, found)
            return found
        except NoPlainFileError:
            return NO_FILE
        except FileTooLargeError as error:
            return _report_size(str(error.strerror))
        except OSError as error:
            if error.errno == errno.ELOOP:
                return LOOP
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                if plain:
                    reads.note_content(self.resolved_root, name, None)
                return MISSING
            raise KitgenError(f"cannot read {name}: {error.strerror}") from error

    def _join(self, name: str) -> str:
        """Return the path that a name has if it is behind no link."""
        return f"{self.resolved_root.rstrip('/')}/{name}"


class Memory(Struct, frozen=True):
    """Files that are held in memory, and links among them, which lead as they would on disk."""

    files: Mapping[str, bytes | int]
    """Content by path; of one that is too big, the size."""
    links: Mapping[str, str] = field(default_factory=dict)
    """What each symbolic link says."""

    def list_names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none if there is no such folder."""
        if (place := self._resolve_links(folder)) in self.files:
            raise KitgenError(f"cannot read the folder {folder}: {os.strerror(errno.ENOTDIR)}")
        below = self._list_below(place) if isinstance(place, str) else []
        return sorted({path.removeprefix(f"{place}/").partition("/")[0] for path in below})

    def is_folder(self, name: str) -> bool | Problem:
        """Return whether a path is a folder's."""
        place = self._resolve_links(name)
        return place if isinstance(place, Problem) else bool(self._list_below(place))

    def exists(self, name: str) -> bool:
        """Return whether something has this path, even a link that leads nowhere."""
        place = name if name in self.links else self._resolve_links(name)
        return isinstance(place, str) and (
            place in self.files or place in self.links or bool(self._list_below(place))
        )

    def read(self, name: str) -> bytes | Problem:
        """Return a file's content, or why it must not be read."""
        if isinstance(place := _check_path(name) or self._resolve_links(name), Problem):
            return place
        if (found := self.files.get(place)) is None:
            return NO_FILE if bool(self._list_below(place)) else MISSING
        size = found if isinstance(found, int) else len(found)
        return _report_size(describe_excess_size(size, MAX_BYTES)) if size > MAX_BYTES else bytes(found)

    def _list_below(self, folder: str) -> list[str]:
        return [path for path in (*self.files, *self.links) if path.startswith(f"{folder}/")]

    def _resolve_links(self, name: str) -> str | Problem:
        """Return the path that links on the way lead to."""
        place = posixpath.normpath(name)
        for _ in range(MAX_LINKS + 1):
            if place.startswith("/") or place.split("/")[0] == "..":
                return LEADS_OUT
            link = next((each for each in (*parents(place), place) if each in self.links), None)
            if link is None:
                return place
            there = posixpath.join(posixpath.dirname(link), self.links[link])
            place = posixpath.normpath(there + place.removeprefix(link))
        return LOOP


def resolve_inside(root: Path, name: str | Path, top: str = "") -> str | None:
    """Return where links on the way to a path of a folder lead, None if that is elsewhere."""
    top = top or os.path.realpath(root)
    if (plain := _resolve_without_links(top, os.fspath(name))) is not None:
        return plain
    place = os.path.realpath(root / name)
    return place if place == top or place.startswith(f"{top.rstrip('/')}/") else None


def _resolve_without_links(top: str, name: str) -> str | None:
    """Return the path of what is there and behind no link, as most is: it is found in fewer steps."""
    place = top.rstrip("/")
    for part in name.split("/"):
        if part in ("", os.curdir, os.pardir):
            return None
        place = f"{place}/{part}"
        try:
            if stat.S_ISLNK(os.lstat(place).st_mode):
                return None
        except (OSError, ValueError):
            return None
    return place


def _check_path(name: str) -> Problem | None:
    leaves = ".." in name.split("/") or name.startswith("/")
    return make_problem("path-outside", "the path leaves the kit", line=1) if leaves else None


def _report_size(size: str) -> Problem:
    return FILE_SIZE(size, hint="a spec names what is particular, nothing else", line=1)


def decode_text(data: bytes, encoding: str = "utf-8") -> str | Problem:
    """Return a file's text, or where it is none."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        return make_problem(
            "file-encoding", "found bytes that are not UTF-8", line=data.count(b"\n", 0, error.start) + 1
        )
