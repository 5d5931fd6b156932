"""The specs of a revision, straight from git: nothing is checked out, fetched or run from the repository."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from kitgen.errors import KitgenError, UsageError
from kitgen.load.files import Memory
from kitgen.reading import MAX_BYTES
from kitgen.root import MARK, SPECS
from kitgen.tools import OFFLINE, Result, run

LINK, FILE = "120000", "blob"
SECONDS = 8.0
"""For one question to git; it only looks things up."""


def revision_files(root: Path, revision: str) -> Memory:
    """Return the specs that a kit had in a revision of its repository."""
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if not found.ok:
        inside = _git(root, "rev-parse", "--is-inside-work-tree")
        if not inside.ok:
            raise KitgenError(f"cannot read a revision of {root}: {inside.complaint}")
        raise UsageError(f"no revision {revision!r} in this repository", hint="git branch -a lists branches")
    commit = found.stdout.strip()
    listing = _output(_git(root, "ls-tree", "-r", "-z", "-l", commit, "--", MARK, *SPECS))
    try:
        wanted = list(_entries(listing))
        small = list(dict.fromkeys(name for _, name, _, size in wanted if size <= MAX_BYTES))
        blobs = dict(zip(small, _blobs(root, small), strict=True))
    except ValueError as error:
        hint = "check that the program of this name is git"
        raise KitgenError("git answers with something else than the revision", hint=hint) from error
    links = {
        path: blobs[name].decode("utf-8", "replace")
        for path, name, link, _ in wanted
        if link and name in blobs
    }
    files = {path: blobs.get(name, size) for path, name, link, size in wanted if not link}
    if MARK not in files and MARK not in links:
        raise UsageError(f"no kit in revision {revision!r}: it has no {MARK} here")
    return Memory(files, links)


def kept_by_git(root: Path, paths: Iterable[str]) -> frozenset[str]:
    """Return the files that git would bring back just as they are now; none without git."""
    asked = sorted(paths)
    if not asked:
        return frozenset()
    try:
        known, edited = (
            _git(root, "ls-files", "-z", *more, "--", *asked) for more in ((), ("--modified", "--deleted"))
        )
    except KitgenError:
        return frozenset()
    if not (known.ok and edited.ok):
        return frozenset()
    return frozenset(known.stdout.split("\0")) - {*edited.stdout.split("\0"), ""}


def has_tag(root: Path, tag: str) -> bool | None:
    """Tell whether the repository of a kit has a tag; None if the kit is in no repository."""
    return _has(root, f"refs/tags/{tag}")


def has_committed(root: Path, path: str) -> bool | None:
    """Tell whether the commit of a checkout has a path; None if it is none."""
    return _has(root, f"HEAD:./{path}")


def _has(root: Path, name: str) -> bool | None:
    """Tell whether git knows something of a repository; None if there is no repository."""
    try:
        inside = _git(root, "rev-parse", "--is-inside-work-tree")
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    except KitgenError:
        return None
    return found.ok if inside.ok and inside.stdout.strip() == "true" else None


def current_branch(root: Path) -> str:
    """Return the branch that a checkout is on; empty if it is on none, or is no checkout."""
    try:
        found = _git(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    except KitgenError:
        return ""
    return found.stdout.strip() if found.ok else ""


def uncommitted(root: Path, paths: Iterable[str]) -> int:
    """Return how many files below some paths git does not have as they are."""
    found = _git(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *paths)
    return len(found.stdout.split("\0")) - 1 if found.ok else 0


def _entries(listing: bytes) -> Iterator[tuple[str, str, bool, int]]:
    """Yield path, object name, whether it is a link, and size of every file in a tree."""
    for line in listing.split(b"\0"):
        head, _, path = line.decode("utf-8", "replace").partition("\t")
        if path:
            mode, kind, name, size = head.split()
            if kind == FILE:  # a submodule is a folder that has no files here
                # An object that is lost has no size; reading it tells.
                yield path, name, mode == LINK, int(size) if size.isdecimal() else 0


def _blobs(root: Path, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the content of objects, in the order of their names."""
    asked = "".join(f"{name}\n" for name in names)
    data = _output(_git(root, "cat-file", "--batch", input=asked)) if asked else b""
    at = 0
    for name in asked.split():
        end = data.index(b"\n", at)
        head = data[at:end].split()
        if len(head) != 3:
            raise KitgenError(f"cannot read the object {name} of the repository", hint="git fsck tells more")
        at = end + 1 + int(head[2]) + 1
        yield data[end + 1 : at - 1]


def _output(result: Result) -> bytes:
    if not result.ok:
        raise KitgenError(f"git cannot read the revision: {result.complaint}")
    return result.out


def _git(root: Path, *arguments: str, input: str | None = None) -> Result:  # noqa: A002 # as subprocess has it
    """Run git so that neither the caller's variables nor a foreign repository lead it elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # A partial clone would fetch what it lacks, by whatever program its configuration names.
    safe = {**OFFLINE, "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    # A kit in a folder of a repository may hold what looks like a repository of its own, by a foreign hand.
    settings = ("-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")
    argv = ["git", "--no-pager", *settings, "-C", str(root), *arguments]
    return run(argv, input=input, env={**kept, **safe, **quiet}, timeout=SECONDS)
