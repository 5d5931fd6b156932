"""Run git, and nothing that a repository configures: no hooks, filters, fetches or checkouts.

A repository may be foreign: unpacked from an archive, or changed by a build. Its configuration, included
files, attributes and hooks name programs, which git would run for many commands.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from kitgen.files.programs import OFFLINE, ProgramResult, run_program
from kitgen.files.read import MAX_BYTES
from kitgen.files.root import MARK, SPECS
from kitgen.files.tree import Memory
from kitgen.findings.errors import KitgenError, UsageError

LINK, FILE = "120000", "blob"
SECONDS = 8.0
"""For one question to git; it only looks things up."""
HARMLESS = {
    "core.alternateRefsCommand": "false",  # lists what borrowed objects are for
    "core.askPass": "false",
    "core.attributesFile": os.devnull,  # attributes choose filters
    "core.editor": "false",
    "core.fsmonitor": "false",  # a program that tells what changed
    "core.gitProxy": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.untrackedCache": "false",  # remembers what somebody may have put there
    "credential.helper": "",  # empties the list
    "diff.external": "",
    "gpg.program": "false",
    "protocol.allow": "never",
    # A kit in a folder of a repository may hold what looks like a repository of its own, by a foreign hand.
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",  # a submodule has a configuration of its own
}
"""What stands above every file of configuration: no program of theirs runs, though git is asked for none."""
SETTINGS = tuple(word for name, value in HARMLESS.items() for word in ("-c", f"{name}={value}"))
VARIABLES = {
    "GIT_ASKPASS": "false",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone would fetch what it lacks, by whatever program it names
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_SSH_COMMAND": "false",
    "LC_ALL": "C",
    "SSH_ASKPASS": "false",
}


def read_revision_files(root: Path, revision: str) -> Memory:
    """Return the specs that a kit had in a revision of its repository."""
    found = run_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if not found.is_successful:
        inside = run_git(root, "rev-parse", "--is-inside-work-tree")
        if not inside.is_successful:
            raise KitgenError(f"cannot read a revision of {root}: {inside.error_message}")
        raise UsageError(f"no revision {revision!r} in this repository", hint="git branch -a lists branches")
    listing = _require_output(
        run_git(root, "ls-tree", "-r", "-z", "-l", found.stdout.strip(), "--", MARK, *SPECS)
    )
    try:
        wanted = list(_parse_entries(listing))
        small = list(dict.fromkeys(name for _, name, _, size in wanted if size <= MAX_BYTES))
        blobs = dict(zip(small, _read_blobs(root, small), strict=True))
    except ValueError as error:
        raise KitgenError(
            "git answers with something else than the revision",
            hint="check that the program of this name is git",
        ) from error
    links = {
        path: blobs[name].decode("utf-8", "replace")
        for path, name, link, _ in wanted
        if link and name in blobs
    }
    files = {path: blobs.get(name, size) for path, name, link, size in wanted if not link}
    if MARK not in files and MARK not in links:
        raise UsageError(f"no kit in revision {revision!r}: it has no {MARK} here")
    return Memory(files, links)


def has_tag(root: Path, tag: str) -> bool | None:
    """Return whether the repository of a kit has a tag; None if the kit is in no repository."""
    return _has_object(root, f"refs/tags/{tag}")


def has_committed(root: Path, path: str) -> bool | None:
    """Return whether the commit of a checkout has a path; None if it is none."""
    return _has_object(root, f"HEAD:./{path}")


def _has_object(root: Path, name: str) -> bool | None:
    """Return whether git knows something of a repository; None if there is no repository."""
    try:
        inside = run_git(root, "rev-parse", "--is-inside-work-tree")
        found = run_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    except KitgenError:
        return None
    return found.is_successful if inside.is_successful and inside.stdout.strip() == "true" else None


def current_branch(root: Path) -> str:
    """Return the branch that a checkout is on; empty if it is on none, or is no checkout."""
    try:
        found = run_git(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    except KitgenError:
        return ""
    return found.stdout.strip() if found.is_successful else ""


def _parse_entries(listing: bytes) -> Iterator[tuple[str, str, bool, int]]:
    """Yield path, object name, whether it is a link, and size of every file in a tree."""
    for line in listing.split(b"\0"):
        head, _, path = line.decode("utf-8", "replace").partition("\t")
        if path:
            mode, kind, name, size = head.split()
            if kind == FILE:  # a submodule is a folder that has no files here
                # An object that is lost has no size; reading it tells.
                yield path, name, mode == LINK, int(size) if size.isdecimal() else 0


def _read_blobs(root: Path, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the content of objects, in the order of their names."""
    asked = "".join(f"{name}\n" for name in names)
    data = _require_output(run_git(root, "cat-file", "--batch", input=asked)) if asked else b""
    at = 0
    for name in asked.split():
        end = data.index(b"\n", at)
        if len(head := data[at:end].split()) != 3:
            raise KitgenError(f"cannot read the object {name} of the repository", hint="git fsck tells more")
        at = end + 1 + int(head[2]) + 1
        yield data[end + 1 : at - 1]


def _require_output(result: ProgramResult) -> bytes:
    if not result.is_successful:
        raise KitgenError(f"git cannot read the revision: {result.error_message}")
    return result.out


def run_git(root: Path, *arguments: str, input: str | None = None) -> ProgramResult:  # noqa: A002 # as subprocess has it
    """Run git so that neither the caller's variables nor a foreign repository lead it elsewhere.

    Every question to git is asked here, and none makes git read what a working tree holds: that runs filters,
    whose names are anybody's, so that no setting turns them all off.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    argv = ["git", "--no-pager", "--literal-pathspecs", *SETTINGS, "-C", str(root), *arguments]
    return run_program(argv, input=input, env={**kept, **OFFLINE, **VARIABLES}, timeout=SECONDS)
