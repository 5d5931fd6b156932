"""Find the files behind names that people give: within bounds, and no link leads out of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os.path import realpath
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from kitgen.files.read import MAX_BYTES, FileTooLargeError, NoPlainFileError, read_file
from kitgen.files.tree import FILE_SIZE, NO_FILE, decode_text, resolve_inside
from kitgen.findings import Finding, Origin, Problem, make_problem
from kitgen.findings.errors import KitgenError
from kitgen.kit.manifests import ALL_TOO_BIG, LEADS_OUT, MAX_FILES, ReadBudget, exists, walk_folders
from kitgen.release.downstream.records import DownstreamFile, FileKind, FilePlace

Behind: TypeAlias = DownstreamFile | FilePlace | Finding | str


class WalkedFiles(Struct, frozen=True, kw_only=True):
    """What is behind names."""

    files: tuple[DownstreamFile, ...]
    folders: frozenset[tuple[str, ...]]
    left: tuple[str, ...]
    """Files that were not looked at, and could not be."""
    findings: tuple[Finding, ...]


def walk_files(names: Iterable[str], kinds: Sequence[FileKind], intake: ReadBudget) -> WalkedFiles:
    """Read the files behind names; of folders, those that may be of some kinds, by their own names."""
    found = [each for name in names for each in _walk_name(name, kinds, intake)]
    files: dict[str, DownstreamFile] = {}
    for each in found:
        if isinstance(each, DownstreamFile) and (each.named or each.name not in files):
            files[each.name] = each
    return WalkedFiles(
        files=tuple(files.values()),
        folders=frozenset(each.folder for each in found if isinstance(each, FilePlace)),
        left=tuple(each for each in found if isinstance(each, str)),
        findings=tuple(each for each in found if isinstance(each, Finding)),
    )


def _walk_name(name: str, kinds: Sequence[FileKind], intake: ReadBudget) -> Iterator[Behind]:
    """Yield what is behind a name; what was named and cannot be read is a finding."""
    path = Path(name)
    if not exists(path):
        yield make_problem("against-nothing", "no such file or folder").to_finding(Origin(name))
    elif path.is_dir():
        yield from _walk_folder(path, kinds, intake)
    else:
        above = resolve_path_parts(path)[:-1]
        found = _read_file(path, FilePlace(folder=above, root=above), intake, named=True)
        yield found if isinstance(found, DownstreamFile) else found.to_finding(Origin(name))


def _walk_folder(top: Path, kinds: Sequence[FileKind], intake: ReadBudget) -> Iterator[Behind]:
    """Yield the folders in one and their files; as a text, the name of one that is not looked at."""
    root, count = resolve_path_parts(top), 0
    for folder, inner in walk_folders(str(top)):
        place = FilePlace(folder=resolve_path_parts(folder), root=root)
        yield place
        count += len(inner)
        if count > MAX_FILES:
            raise KitgenError(f"cannot read {top}: found more than {MAX_FILES} files")
        for each in inner:
            path = Path(folder, each)
            if not (fitting := [kind for kind in kinds if kind.matches_name(each)]):
                yield str(path)
                continue
            leads_out = path.is_symlink() and resolve_inside(top, path.relative_to(top)) is None
            found = LEADS_OUT if leads_out else _read_file(path, place, intake, named=False)
            if found is ALL_TOO_BIG:
                yield ALL_TOO_BIG.to_finding(Origin(str(top)))
                return
            if isinstance(found, DownstreamFile):
                yield found
            else:
                yield (
                    found.to_finding(Origin(str(path)))
                    if any(not kind.sign for kind in fitting)
                    else str(path)
                )


def resolve_path_parts(path: str | Path) -> tuple[str, ...]:
    """Return the steps of a whole path, behind all links."""
    return Path(realpath(path)).parts[1:]


def _read_file(path: Path, place: FilePlace, intake: ReadBudget, *, named: bool) -> DownstreamFile | Problem:
    try:
        data = read_file(path, MAX_BYTES, links=True)
    except NoPlainFileError:
        return NO_FILE
    except FileTooLargeError as error:
        return FILE_SIZE(str(error.strerror), line=1)
    except OSError as error:
        if not named:
            return NO_FILE
        raise KitgenError(f"cannot read {path}: {error.strerror}") from error
    if not intake.consume(len(data)):
        return ALL_TOO_BIG
    if isinstance(text := decode_text(data, "utf-8-sig"), Problem):
        return text
    if "\0" in text:
        return make_problem("file-encoding", "found a file that is not text", line=1)
    return DownstreamFile(name=str(path), text=text, place=place, named=named)
