"""Find the files behind names that people give: within bounds, and no link leads out of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from os.path import realpath
from pathlib import Path

from msgspec import Struct

from kitgen.files.read import MAX_BYTES, NoPlainFileError, TooBigError, read_file
from kitgen.files.tree import FILE_SIZE, NO_FILE, decoded, inside
from kitgen.findings import Finding, Origin, Problem, problem
from kitgen.findings.errors import KitgenError
from kitgen.kit.manifests import ALL_TOO_BIG, LEADS_OUT, MAX_FILES, Intake, exists, folders_in
from kitgen.release.downstream.records import DownstreamFile, FilePlace, WalkedFolder


class FileFilter(Enum):
    """Whether a file is wanted, by its name."""

    NO = auto()
    PERHAPS = auto()
    SURELY = auto()
    """What cannot be read of it is worth a finding."""


class Walked(Struct, frozen=True, kw_only=True):
    """What is behind names."""

    files: tuple[DownstreamFile, ...]
    folders: tuple[WalkedFolder, ...]
    left: tuple[str, ...]
    """Files that were not looked at, and could not be."""
    findings: tuple[Finding, ...]


def walk(names: Iterable[str], wanted: Callable[[str], FileFilter], intake: Intake) -> Walked:
    """Read the files behind names; of folders, those whose own name is wanted."""
    found = [each for name in names for each in _behind(name, wanted, intake)]
    files: dict[str, DownstreamFile] = {}
    for each in found:
        if isinstance(each, DownstreamFile) and (each.named or each.name not in files):
            files[each.name] = each
    return Walked(
        files=tuple(files.values()),
        folders=tuple({each.name: each for each in found if isinstance(each, WalkedFolder)}.values()),
        left=tuple(each for each in found if isinstance(each, str)),
        findings=tuple(each for each in found if isinstance(each, Finding)),
    )


def _behind(
    name: str, wanted: Callable[[str], FileFilter], intake: Intake
) -> Iterator[DownstreamFile | WalkedFolder | Finding | str]:
    """Yield what is behind a name; what was named and cannot be read is a finding."""
    path = Path(name)
    if not exists(path):
        yield problem("against-nothing", "no such file or folder").at(Origin(name))
    elif path.is_dir():
        yield from _in_folder(path, wanted, intake)
    else:
        above = steps(path)[:-1]
        found = _read(path, FilePlace(folder=above, root=above), intake, named=True)
        yield found if isinstance(found, DownstreamFile) else found.at(Origin(name))


def _in_folder(
    top: Path, wanted: Callable[[str], FileFilter], intake: Intake
) -> Iterator[DownstreamFile | WalkedFolder | Finding | str]:
    """Yield the folders in one and their files; as a text, the name of one that is not looked at."""
    root, count = steps(top), 0
    for folder, inner in folders_in(str(top)):
        place = FilePlace(folder=steps(folder), root=root)
        yield WalkedFolder(name=folder, place=place)
        count += len(inner)
        if count > MAX_FILES:
            raise KitgenError(f"cannot read {top}: found more than {MAX_FILES} files")
        for each in inner:
            path, filtered = Path(folder, each), wanted(each)
            if filtered is FileFilter.NO:
                yield str(path)
                continue
            leads_out = path.is_symlink() and inside(top, path.relative_to(top)) is None
            found = LEADS_OUT if leads_out else _read(path, place, intake, named=False)
            if found is ALL_TOO_BIG:
                yield ALL_TOO_BIG.at(Origin(str(top)))
                return
            if isinstance(found, DownstreamFile):
                yield found
            else:
                yield found.at(Origin(str(path))) if filtered is FileFilter.SURELY else str(path)


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
    if isinstance(text := decoded(data, "utf-8-sig"), Problem):
        return text
    if "\0" in text:
        return problem("file-encoding", "found a file that is not text", line=1)
    return DownstreamFile(name=str(path), text=text, place=place, named=named)
