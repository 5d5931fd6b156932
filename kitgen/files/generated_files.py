"""The list of files that kitgen generated.

The list may come with a foreign kit, so it does not suffice to own a file: the content must not contradict
it. Unlisted files, as after `git checkout .` of the list, stay: a header can be copied, so it does not prove
that nobody wants them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from kitgen.files.paths import (
    IGNORE,
    IGNORED,
    LISTING,
    MOST_PATHS,
    PathKind,
    find_path_fault,
    has_state_folder,
    path_kind,
    wrap_os_errors,
)
from kitgen.files.read import OWN_LIMIT, FileTooLargeError, read_file, read_head
from kitgen.files.root import is_generated_file
from kitgen.findings.errors import KitgenError
from kitgen.text.patterns import compile_late

CONFLICT_MARK = compile_late(r"(<{7}|\|{7}|={7}|>{7})( |$)")
HEAD = 4096


def read_listing(out: Path) -> dict[str, int]:
    """Return the listed paths and their lines; the marks of a git conflict do not count."""
    if not has_state_folder(out) or path_kind(out / LISTING) is not PathKind.FILE:
        return {}
    try:
        lines = read_file(out / LISTING, OWN_LIMIT).decode(errors="replace").split("\n")
    except FileTooLargeError as error:
        raise _make_unreadable_error(out, error.strerror) from error
    if len(lines) > 2 * MOST_PATHS:  # a conflict may have put most of them there twice
        raise _make_unreadable_error(out, f"found {len(lines)} lines, expected at most {2 * MOST_PATHS}")
    return {line: number for number, line in enumerate(lines, 1) if line and not CONFLICT_MARK.match(line)}


def _make_unreadable_error(out: Path, reason: object) -> KitgenError:
    return KitgenError(
        f"cannot read {out / LISTING}: {reason}", hint="bring it back from git, or delete it and render again"
    )


def list_generated_files(out: Path) -> list[str]:
    """Return the paths that kitgen says it wrote into a folder; the list may be anybody's."""
    with wrap_os_errors("read the folder"):
        return [path for path in read_listing(out) if not find_path_fault(path)]


def render_listing(paths: Iterable[str]) -> bytes:
    """Write the list: one path a line, sorted, so that branches merge."""
    return "".join(f"{path}\n" for path in sorted(set(paths))).encode()


def is_managed_file(out: Path, path: str, listed: Collection[str]) -> bool:
    """Return whether a path is listed and the file there, if there is one, was written by kitgen."""
    if path not in listed:
        return False
    return path_kind(out / path) is not PathKind.FILE or is_generated_file(path, read_head(out / path, HEAD))


def render_own_files(paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files that kitgen keeps for itself in a folder of some files."""
    yield from ((LISTING, render_listing(paths)), (IGNORE, IGNORED))
