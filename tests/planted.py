"""A repository full of traps: whatever git can be told to run leaves a trace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
HOOKS = (
    *("applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit"),
    *("post-index-change", "post-merge", "pre-auto-gc", "pre-commit", "reference-transaction", "update"),
)
PROGRAM = """#!/bin/sh
touch "{traces}/$1"
case $1 in
clean-*|smudge-*|process-*) cat ;;
textconv-*) cat "$2" ;;
hook-*) ;;
*) exit 1 ;;
esac
"""
CONFIG = """
[core]
    fsmonitor = {trap}fsmonitor
    FSMonitorHookVersion = 1
    untrackedCache = true
    hooksPath = {hooks}
    pager = {trap}pager
    editor = {trap}editor
    askPass = {trap}askpass
    sshCommand = {trap}ssh
    gitProxy = {trap}proxy
    alternateRefsCommand = {trap}alternate
[CREDENTIAL]
    helper = !{trap}credential
[credential "https://example.org"]
    helper = !{trap}credential-of-a-host
[diff]
    external = {trap}diff
[diff "tree"]
    textconv = {trap}textconv-tree
    command = {trap}diff-tree
[diff "info"]
    textconv = {trap}textconv-info
[filter "tree"]
    clean = {trap}clean-tree
    smudge = {trap}smudge-tree
    required = true
[Filter "info"]
    Clean = {trap}clean-info
    process = {trap}process-info
[gpg]
    program = {trap}gpg
[log]
    showSignature = true
[pager]
    ls-files = {trap}pager-of-a-command
    rev-parse = {trap}pager-of-a-command
[alias]
    ls-files = !{trap}alias
    rev-parse = !{trap}alias
    cat-file = !{trap}alias
[submodule]
    recurse = true
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[remote "origin"]
    url = ext::{trap}fetch %S
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {trap}uploadpack
    proxy = ext::{trap}proxy
[interactive]
    diffFilter = {trap}difffilter
[merge "tree"]
    driver = {trap}merge
[uploadpack]
    packObjectsHook = {trap}pack
"""


def git(root: Path, *arguments: str) -> str:
    """Run git as people do, before there are any traps."""
    argv = ["git", *WHO, "-C", root, *arguments]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


class Traps:
    """Programs that leave a trace each time they run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.traces = folder, folder / "traces"
        self.traces.mkdir(parents=True)
        self.program = folder / "trap"
        self.program.write_text(PROGRAM.format(traces=self.traces))
        self.program.chmod(0o755)

    def found(self) -> set[str]:
        """Return what ran since the last time that somebody asked."""
        names = {each.name for each in self.traces.iterdir()}
        for name in names:
            (self.traces / name).unlink()
        return names

    def config(self) -> str:
        return CONFIG.format(trap=f"{self.folder}/trap ", hooks=self.hooks(self.folder / "hooks"))

    def hooks(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name in HOOKS:
            (folder / name).write_text(f'#!/bin/sh\nexec "{self.program}" hook-{name}\n')
            (folder / name).chmod(0o755)
        return folder


def _in_config(root: Path, traps: Traps) -> None:
    with (root / ".git/config").open("a") as file:
        file.write(traps.config())


def _in_an_included_file(root: Path, traps: Traps) -> None:
    (traps.folder / "included").write_text(traps.config())
    git(root, "config", "include.path", str(traps.folder / "included"))


def _in_a_file_included_here(root: Path, traps: Traps) -> None:
    (traps.folder / "included").write_text(traps.config())
    git(root, "config", "includeIf.onbranch:main.path", str(traps.folder / "included"))


def _in_the_config_of_the_worktree(root: Path, traps: Traps) -> None:
    git(root, "config", "extensions.worktreeConfig", "true")
    (root / ".git/config.worktree").write_text(traps.config())


def _in_a_linked_worktree(root: Path, traps: Traps) -> None:
    """Make the folder a worktree of a repository elsewhere."""
    main = traps.folder / "main"
    (root / ".git").rename(traps.folder / "git")
    main.mkdir()
    (traps.folder / "git").rename(main / ".git")
    git(main, "worktree", "add", "-q", "--detach", str(traps.folder / "linked"))
    (traps.folder / "linked/.git").rename(root / ".git")
    git(main, "worktree", "repair", str(root))
    git(main, "update-ref", "refs/heads/main", "HEAD")
    git(root, "config", "extensions.worktreeConfig", "true")
    Path(git(root, "rev-parse", "--absolute-git-dir"), "config.worktree").write_text(traps.config())


def _in_hooks(root: Path, traps: Traps) -> None:
    traps.hooks(root / ".git/hooks")


def _in_a_submodule(root: Path, traps: Traps) -> None:
    """Add one to a folder that a release is to hold."""
    inner = root / "templates/inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "a.yaml").write_text("a: 1\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "inner")
    git(root, "-c", "advice.addEmbeddedRepo=false", "add", "templates/inner")
    git(root, "commit", "-q", "-m", "with a submodule")
    _in_config(inner, traps)
    (inner / ".git/info").mkdir(exist_ok=True)
    (inner / ".git/info/attributes").write_text("*.yaml filter=info\n")
    (inner / "a.yaml").write_text("a: 2\n")


def _in_alternates(root: Path, traps: Traps) -> None:
    """Borrow objects from a repository with traps."""
    other = traps.folder / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "a").write_text("a")
    git(other, "add", "-A")
    git(other, "commit", "-q", "-m", "other")
    _in_config(other, traps)
    (root / ".git/objects/info").mkdir(exist_ok=True)
    (root / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    _in_config(root, traps)


def _in_a_partial_clone(root: Path, traps: Traps) -> None:
    """Lose what every command needs, so that git would fetch it."""
    name = git(root, "rev-parse", "HEAD:kit.yaml")
    lost = root / ".git/objects" / name[:2] / name[2:]
    git(root, "config", "core.repositoryFormatVersion", "1")
    git(root, "config", "extensions.partialClone", "origin")
    lost.chmod(0o600)
    lost.unlink()
    _in_config(root, traps)


PLACES: dict[str, Callable[[Path, Traps], None]] = {
    "config": _in_config,
    "hooks": _in_hooks,
    "include": _in_an_included_file,
    "includeIf": _in_a_file_included_here,
    "worktree": _in_the_config_of_the_worktree,
    "linked": _in_a_linked_worktree,
    "submodule": _in_a_submodule,
    "alternates": _in_alternates,
    "partial": _in_a_partial_clone,
}


def plant(root: Path, folder: Path, place: str) -> Traps:
    """Commit all of a folder, plant traps in a place of the repository, and let all files seem new."""
    traps, edited = Traps(folder), max(root.rglob("*.yaml"))
    git(root, "init", "-q", "-b", "main")
    (root / ".gitattributes").write_text("*.yaml filter=tree diff=tree merge=tree\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    PLACES[place](root, traps)
    common = root / ".git" if place != "linked" else traps.folder / "main/.git"
    (common / "info").mkdir(exist_ok=True)
    (common / "info/attributes").write_text("*.md filter=info diff=info\n")
    with edited.open("a") as file:
        file.write("# edited\n")
    for path in root.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, (1, 1))
    return traps
