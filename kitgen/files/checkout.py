"""Find which files of a checkout equal what git has.

git would run filters to compare contents, so it is only asked for names: those of the index and the last
commit, and untracked ones. Contents are read and hashed here. A file that a filter changes therefore counts
as modified.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from functools import cache
from os.path import lexists, realpath
from pathlib import Path

from msgspec import Struct

from kitgen.files.git import LINK, run_git
from kitgen.files.programs import ProgramResult
from kitgen.files.read import LARGEST, read_file
from kitgen.findings.errors import KitgenError

EXECUTABLE, SUBMODULE = "100755", "160000"
UNMERGED, WATCHED = "M", "H"
OFF = frozenset({"false", "no", "off", "0", ""})
MAX_READ = 16 * LARGEST
"""For all files of a checkout together."""
MAX_SUBMODULES = 100
SHA1 = 40
"""Letters of a name; with SHA-256, there are 64."""


class IndexEntry(Struct, frozen=True, kw_only=True):
    """A path as the index or a commit has it."""

    mode: str
    name: str
    """The hash of what it holds."""
    flag: str = WATCHED
    """As `git ls-files -v` has it; neither of the two if git was told not to look at the file."""


def count_uncommitted_files(root: Path, paths: Iterable[str]) -> dict[str, int]:
    """Return below which paths the last commit does not have all files as they are, and how many of them.

    A file that differs by its line ends alone is the same: git converts these in many a checkout.
    """
    asked = [*paths]
    index, commit, checkout = _read_index(root, asked), _read_commit(root, asked), Checkout(root)
    changed = [
        path
        for path in index.keys() | commit.keys()
        if index.get(path) is None or checkout.is_modified(path, index[path], commit.get(path))
    ]
    changed += _parse_records(run_git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *asked))
    counts = {path: sum(each == path or each.startswith(f"{path}/") for each in changed) for path in asked}
    return {path: count for path, count in counts.items() if count}


class Checkout:
    """The files of a checkout, as git looks at them."""

    def __init__(self, root: Path) -> None:
        self.root, self.left, self.submodules = root, MAX_READ, 0
        self.folder = Path(realpath(root))
        self.settings = _read_settings(root)
        self.is_real = cache(lambda folder: realpath(folder) == str(folder))
        """Whether no symlink leads there: to git, nothing is behind one."""

    def is_modified(self, path: str, entry: IndexEntry, committed: IndexEntry | None) -> bool:
        """Return whether a file is not what the index has, or that not what the commit has."""
        if committed is None or (entry.mode, entry.name) != (committed.mode, committed.name):
            return True
        if entry.flag != WATCHED:
            return entry.flag == UNMERGED
        if entry.mode == SUBMODULE:
            return not self._is_submodule_at(self.folder / path, entry.name)
        data = self.read(path, entry)
        return data is None or not (
            _matches_object_name(data, entry) or _matches_object_name(data.replace(b"\r\n", b"\n"), entry)
        )

    def read(self, path: str, entry: IndexEntry) -> bytes | None:
        """Return what a file holds, or where a link leads; None if it is gone, or of another kind."""
        place = self.folder / path
        try:
            found = place.lstat()
            if not self.is_real(place.parent) or not self._matches_mode(found.st_mode, entry):
                return None
            self.left -= found.st_size
            if self.left < 0:
                raise KitgenError(
                    f"found more than {MAX_READ / 1e6:.0f} MB in files that git has below {self.root}"
                )
            return os.fsencode(place.readlink()) if stat.S_ISLNK(found.st_mode) else read_file(place, LARGEST)
        except OSError:
            return None

    def _matches_mode(self, mode: int, entry: IndexEntry) -> bool:
        """Return whether a file is of the kind that git has it as, as far as the file system can tell."""
        if stat.S_ISLNK(mode) or (entry.mode == LINK and self._is_setting_on("symlinks")):
            return stat.S_ISLNK(mode) and entry.mode == LINK
        executable = bool(mode & stat.S_IXUSR) == (entry.mode == EXECUTABLE)
        return stat.S_ISREG(mode) and (
            executable or entry.mode == LINK or not self._is_setting_on("filemode")
        )

    def _is_submodule_at(self, place: Path, commit: str) -> bool:
        """Return whether a submodule is at a commit, or not there yet; changes inside it are ignored."""
        if not place.is_dir() or not self.is_real(place):
            return False
        if not lexists(place / ".git"):
            return True
        self.submodules += 1
        if self.submodules > MAX_SUBMODULES:
            raise KitgenError(f"found more than {MAX_SUBMODULES} submodules below {self.root}")
        prefix, _, head = run_git(place, "rev-parse", "--show-prefix", "HEAD").stdout.partition("\n")
        return bool(prefix) or head.strip() == commit  # with a prefix, it is no repository of its own

    def _is_setting_on(self, setting: str) -> bool:
        return self.settings.get(setting, "true").lower() not in OFF


def _read_settings(root: Path) -> dict[str, str]:
    """Return what the repository says of file systems; the last word counts."""
    answer = run_git(root, "config", "-z", "--get-regexp", r"^core\.(filemode|symlinks)$")
    lines = (each.partition("\n") for each in answer.stdout.split("\0"))
    return {key.removeprefix("core."): value if equals else "true" for key, equals, value in lines}


def _read_index(root: Path, paths: Iterable[str]) -> dict[str, IndexEntry]:
    """Return what the index has below some paths."""
    listed = _parse_entries(run_git(root, "ls-files", "--stage", "-v", "-z", "--", *paths), 4)
    return {path: IndexEntry(mode=mode, name=name, flag=flag) for path, (flag, mode, name, _) in listed}


def _read_commit(root: Path, paths: Iterable[str]) -> dict[str, IndexEntry]:
    """Return what the last commit has below some paths; nothing before the first one."""
    if not run_git(root, "rev-parse", "--verify", "--quiet", "HEAD").is_successful:
        return {}
    listed = _parse_entries(run_git(root, "ls-tree", "-r", "-z", "HEAD", "--", *paths), 3)
    return {path: IndexEntry(mode=mode, name=name) for path, (mode, _, name) in listed}


def _parse_records(answer: ProgramResult) -> list[str]:
    """Return what git lists, with file names as Python has them."""
    if not answer.is_successful:
        raise KitgenError(f"git cannot tell what is committed: {answer.error_message}")
    return [os.fsdecode(each) for each in answer.out.split(b"\0") if each]


def _parse_entries(answer: ProgramResult, size: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the paths that git lists, each with so many words that it says of it."""
    for record in _parse_records(answer):
        head, _, path = record.partition("\t")
        if len(words := head.split(" ")) != size:
            raise KitgenError(
                "git answers with something else than a list of files",
                hint="check that the program of this name is git",
            )
        yield path, words


def _matches_object_name(data: bytes, entry: IndexEntry) -> bool:
    """Return whether git has some content under the name of an entry."""
    make = hashlib.sha1 if len(entry.name) == SHA1 else hashlib.sha256
    return make(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest() == entry.name
