"""Compare a tree with the disk: what to create, change and delete, and what is in the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field

from kitgen.files.generated_files import is_managed_file, read_listing, render_listing
from kitgen.files.lock import shared_lock
from kitgen.files.paths import (
    DEEPEST,
    IGNORE,
    IGNORED,
    LISTING,
    STATE,
    PathKind,
    find_path_fault,
    is_in_scope,
    parents,
    path_kind,
    wrap_os_errors,
)
from kitgen.files.read import read_head
from kitgen.files.root import PATH_SYMLINK
from kitgen.findings import Finding, Origin, Rule, deduplicate_findings, get_rule

FILE_NOT_OURS = get_rule("file-not-ours")
PATH_UNSAFE = get_rule("path-unsafe")
PATH_CLASH = get_rule("path-clash")

FATES = ("create", "change", "delete", "keep")


class TreeChanges(Struct, frozen=True, kw_only=True):
    """What a write would do; paths are sorted and relative to `out`."""

    out: Path
    create: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    """Files that kitgen wrote before and that the tree no longer holds."""
    keep: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    """Of every file to create or change."""
    findings: tuple[Finding, ...] = ()
    """Each is an error: nothing is written while one stands."""

    @property
    def has_changes(self) -> bool:
        """Return whether the disk differs from the tree."""
        return bool(self.create or self.change or self.delete)

    @property
    def changed_files(self) -> tuple[str, ...]:
        """Return the files that differ, kitgen's own list aside."""
        found = (*self.create, *self.change, *self.delete)
        return tuple(path for path in found if not path.startswith(f"{STATE}/"))


def compare_tree(tree: Mapping[str, bytes | str], out: Path, *, scope: tuple[str, ...] = ()) -> TreeChanges:
    """Compare without changing anything; waits for a write that is under way."""
    with hold_changes(tree, out, scope=scope) as changes:
        return changes


@contextmanager
def hold_changes(
    tree: Mapping[str, bytes | str], out: Path, *, scope: tuple[str, ...] = ()
) -> Iterator[TreeChanges]:
    """Compare a tree with a folder, which nobody writes meanwhile."""
    with wrap_os_errors("read the folder"), shared_lock(out):
        yield compare_locked_tree(tree, out, scope)


def compare_locked_tree(tree: Mapping[str, bytes | str], out: Path, scope: tuple[str, ...]) -> TreeChanges:
    """Compare; the caller holds the lock."""
    files = {
        path: content.encode() if isinstance(content, str) else content
        for path, content in tree.items()
        if is_in_scope(path, scope)
    }
    comparison = _Comparison(out, files, read_listing(out), scope)
    findings = [*comparison.check_paths(), *comparison.check_listing()]
    fates = list(comparison.decide_fates()) if not findings else []
    findings += [fate for _, fate in fates if isinstance(fate, Finding)]
    done = {name: tuple(sorted(path for path, fate in fates if fate == name)) for name in FATES}
    return TreeChanges(
        out=out,
        **done,
        contents={path: comparison.files[path] for path in sorted(done["create"] + done["change"])},
        findings=tuple(deduplicate_findings(findings)),
    )


class _Comparison:
    """One tree against one folder."""

    def __init__(
        self, out: Path, files: dict[str, bytes], listed: dict[str, int], scope: tuple[str, ...]
    ) -> None:
        self.out = out
        self.name = out.absolute().name
        self.listed = listed
        self.surplus = {path for path in listed if path not in files and is_in_scope(path, scope)}
        listing = render_listing([*files, *(path for path in listed if not is_in_scope(path, scope))])
        self.tree = files
        self.files = {**files, IGNORE: IGNORED, LISTING: listing}
        self.kinds: dict[str, PathKind] = {}

    @cached_property
    def folders(self) -> set[str]:
        return {folder for path in self.files for folder in parents(path)}

    def build_finding(self, rule: Rule, path: str, message: str, hint: str = "") -> Finding:
        return rule(message, hint=hint, line=1).to_finding(Origin(f"{self.name}/{path}"))

    def find_kind(self, path: str) -> PathKind:
        if path not in self.kinds:
            self.kinds[path] = path_kind(f"{self.out}/{path}")
        return self.kinds[path]

    def check_paths(self) -> Iterator[Finding]:
        """Yield a finding for every path of the tree that must not be written."""
        if path_kind(self.out) is PathKind.SYMLINK:
            yield PATH_SYMLINK(
                "found a symlink, expected a folder", hint="name the folder that it points to", line=1
            ).to_finding(Origin(self.name))
        for path in self.tree:
            if reason := find_path_fault(path):
                yield self.build_finding(PATH_UNSAFE, ascii(path)[1:-1], f"found the path {path!r}, {reason}")
            elif path in self.folders:
                yield self.build_finding(PATH_CLASH, path, "found both a file and a folder of this name")

    def check_listing(self) -> Iterator[Finding]:
        """Yield a finding for every line of the list that kitgen cannot have written."""
        for path, line in self.listed.items():
            if reason := find_path_fault(path):
                yield PATH_UNSAFE(f"found the path {path!r}, {reason}", hint="remove the line").to_finding(
                    Origin(f"{self.name}/{LISTING}", line=line)
                )

    def decide_fates(self) -> Iterator[tuple[str, str | Finding]]:
        """Yield what becomes of every path, or a finding where nothing may be done."""
        # What kitgen did not write stays, whoever listed it, and is listed no more.
        self.surplus = {path for path in self.surplus if is_managed_file(self.out, path, self.listed)}
        for path in sorted(self.surplus):
            if symlink := self.check_symlink(path):
                yield path, symlink
            elif self.find_kind(path) is PathKind.FILE:
                yield path, "delete"
        for path in sorted(self.files):
            yield path, self.check_symlink(path) or self.check_parents(path) or self.decide_fate(path)

    def check_symlink(self, path: str) -> Finding | None:
        for step in (*parents(path), path):
            if self.find_kind(step) is PathKind.SYMLINK:
                return self.build_finding(
                    PATH_SYMLINK,
                    step,
                    f"found a symlink on the way to {path!r}",
                    "remove it; kitgen follows no symlinks",
                )
        return None

    def check_parents(self, path: str) -> Finding | None:
        """Return a finding if a file that stays is where a folder is needed."""
        for step in parents(path):
            if self.find_kind(step) in (PathKind.FILE, PathKind.OTHER) and step not in self.surplus:
                return self.report_foreign_file(
                    step, f"found {self.find_kind(step)}, expected a folder for {path!r}"
                )
        return None

    def decide_fate(self, path: str) -> str | Finding:
        match self.find_kind(path):
            case PathKind.MISSING:
                return "create"
            case PathKind.FILE if read_head(self.out / path, len(self.files[path]) + 1) == self.files[path]:
                return "keep"
            case PathKind.FILE if path.startswith(f"{STATE}/") or is_managed_file(
                self.out, path, self.listed
            ):
                return "change"
            case PathKind.FILE:
                return self.report_foreign_file(
                    path, f"found {self.describe_owner(path)}, with other content"
                )
            case PathKind.FOLDER if self.is_emptied(path):
                return "create"
            case other:
                return self.report_foreign_file(path, f"found {other}, expected a file that kitgen writes")

    def report_foreign_file(self, path: str, message: str) -> Finding:
        return self.build_finding(FILE_NOT_OURS, path, message, "move it away, or delete it")

    def describe_owner(self, path: str) -> str:
        if path not in self.listed and is_managed_file(self.out, path, (path,)):
            return f"a generated file that {LISTING} does not name"
        return "a file that kitgen did not write"

    def is_emptied(self, folder: str) -> bool:
        """Return whether a folder holds only files that are about to be deleted, and folders of such."""
        if folder.count("/") > DEEPEST:
            return False
        inside = [f"{folder}/{path.name}" for path in (self.out / folder).iterdir()]
        return bool(inside) and all(
            self.is_emptied(path) if self.find_kind(path) is PathKind.FOLDER else path in self.surplus
            for path in inside
        )
