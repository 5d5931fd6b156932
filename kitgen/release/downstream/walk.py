"""Find the files behind names that people give: within bounds, and no link leads out of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
from os.path import realpath
from pathlib import Path

from msgspec import Struct

from kitgen.files.read import MAX_BYTES, NoPlainFileError, TooBigError, read_file
from kitgen.files.tree import FILE_ENCODING, FILE_SIZE, NO_FILE, decoded, inside
from kitgen.findings import Finding, Origin, Problem
from kitgen.findings.errors import KitgenError
from kitgen.kit.manifests import ALL_TOO_BIG, LEADS_OUT, MAX_FILES, Intake, exists, folders_in
from kitgen.release.downstream.records import AGAINST_NOTHING, DownstreamFile, FilePlace


class FileFilter(Enum):
    """Whether a file is wanted, by its name."""

    NO = auto()
    PERHAPS = auto()
    SURELY = auto()
    """What cannot be read of it is worth a finding."""


class WalkedFolder(Struct, frozen=True, kw_only=True):
    """A folder, as it is shown and as the steps of its whole path."""

    name: str
    place: FilePlace


class Walked(Struct, frozen=True, kw_only=True):
    """What is behind names."""

    files: tuple[DownstreamFile, ...]
    folders: tuple[WalkedFolder, ...]
    left: tuple[str, ...]
    """Files that were not looked at, and could not be."""
    findings: tuple[Finding, ...]


def walk(names: Iterable[str], wanted: Callable[[str], FileFilter], intake: Intake) -> Walked:
    """Read the files behind names; of folders, those whose own name is wanted."""
    found = _Walk(wanted, intake)
    for name in names:
        found.look(name)
    return Walked(
        files=tuple(found.files.values()),
        folders=tuple(found.folders.values()),
        left=tuple(found.left),
        findings=tuple(found.findings),
    )


class _Walk:
    """One run: what was found so far."""

    def __init__(self, wanted: Callable[[str], FileFilter], intake: Intake) -> None:
        self.wanted = wanted
        self.intake = intake
        self.files: dict[str, DownstreamFile] = {}
        self.folders: dict[str, WalkedFolder] = {}
        self.left: list[str] = []
        self.findings: list[Finding] = []

    def look(self, name: str) -> None:
        """Look behind a name; what was named and cannot be read is a finding."""
        path = Path(name)
        if not exists(path):
            self.findings.append(AGAINST_NOTHING("no such file or folder").at(Origin(name)))
        elif path.is_dir():
            self._folder(path)
        else:
            above = steps(path)[:-1]
            found = _read(path, FilePlace(folder=above, root=above), self.intake, named=True)
            if isinstance(found, DownstreamFile):
                self.files[found.name] = found
            else:
                self.findings.append(found.at(Origin(name)))

    def _folder(self, top: Path) -> None:
        root, count = steps(top), 0
        for folder, inner in folders_in(str(top)):
            place = FilePlace(folder=steps(folder), root=root)
            self.folders[folder] = WalkedFolder(name=folder, place=place)
            count += len(inner)
            if count > MAX_FILES:
                raise KitgenError(f"cannot read {top}: found more than {MAX_FILES} files")
            for each in inner:
                path, wanted = Path(folder, each), self.wanted(each)
                found = self._inside(top, path, place) if wanted is not FileFilter.NO else None
                if found is ALL_TOO_BIG:
                    self.findings.append(ALL_TOO_BIG.at(Origin(str(top))))
                    return
                if isinstance(found, DownstreamFile):
                    self.files.setdefault(found.name, found)
                elif found is not None and wanted is FileFilter.SURELY:
                    self.findings.append(found.at(Origin(str(path))))
                else:
                    self.left.append(str(path))

    def _inside(self, top: Path, path: Path, place: FilePlace) -> DownstreamFile | Problem:
        """Read a file of a folder, unless a link leads elsewhere."""
        if path.is_symlink() and inside(top, path.relative_to(top)) is None:
            return LEADS_OUT
        return _read(path, place, self.intake, named=False)


def steps(path: str | Path) -> tuple[str, ...]:
    """Return the steps of a whole path, behind all links."""
    return Path(realpath(path)).parts[1:]


def _read(path: Path, place: FilePlace, intake: Intake, *, named: bool) -> DownstreamFile | Problem:
    try:
        data = read_file(path, MAX_BYTES, links=True)
    except NoPlainFileError:
        return NO_FILE
    except TooBigError as error:
        return FILE_SIZE(str(error.strerror), line=1)
    except OSError as error:
        if not named:
            return NO_FILE
        raise KitgenError(f"cannot read {path}: {error.strerror}") from error
    if not intake.takes(len(data)):
        return ALL_TOO_BIG
    text = decoded(data, "utf-8-sig")
    if isinstance(text, Problem):
        return text
    if "\0" in text:
        return FILE_ENCODING("found a file that is not text", line=1)
    return DownstreamFile(name=str(path), text=text, place=place, named=named)
