"""What of a checkout git has as it is, as git itself would say."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import few

from kitgen.files import checkout
from kitgen.files.checkout import count_uncommitted_files
from kitgen.findings.errors import KitgenError

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")

ASKED = ("x", "y", "z")
NAMES = (
    *("x/a", "x/b c", "x/d/e", "x/d", "x/new\nline", "x/*", ":(top)x", "y", "y/a", "z"),
    *("x/\udcff", "x/é", "x/i.log", "y/i.log", "x/d/.gitignore", "x/-v", 'x/"', "x/\t"),
)
TEXTS = ("", "a\n", "b\n", "a\nb\n", "e\n")
WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(root: Path, *arguments: str, check: bool = True) -> bytes:
    argv = ["git", "--literal-pathspecs", *WHO, "-C", root, *arguments]
    return subprocess.run(argv, check=check, capture_output=True).stdout


def started(root: Path, *options: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main", *options)
    return root


def committed(root: Path, **files: str) -> Path:
    """Make a repository with a commit of some files."""
    started(root)
    for name, text in files.items():
        (root / name).write_bytes(text.encode())
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "all")
    return root


def status(root: Path) -> dict[str, int]:
    """Return what git counts."""
    counts = {}
    for path in ASKED:
        options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
        counts[path] = git(root, "status", *options, "--", path).count(b"\0")
    return {path: count for path, count in counts.items() if count}


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    if any(each.is_file() or each.is_symlink() for each in path.parents if each.is_relative_to(root)):
        return
    remove(root, name, text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def remove(root: Path, name: str, _: str) -> None:
    path = root / name
    with suppress(OSError):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def link(root: Path, name: str, text: str) -> None:
    write(root, name, text)
    if (root / name).is_file():
        remove(root, name, text)
        (root / name).symlink_to(text.strip() or "d")


def executable(root: Path, name: str, _: str) -> None:
    with suppress(OSError):
        (root / name).chmod(0o755)


def asking(*arguments: str) -> Callable[[Path, str, str], None]:
    return lambda root, name, _: void(git(root, *arguments, "--", name, check=False))


def void(_: object) -> None: ...


STEPS: dict[str, Callable[[Path, str, str], None]] = {
    "write": write,
    "remove": remove,
    "link": link,
    "chmod": executable,
    "ignore": lambda root, _, __: write(root, ".gitignore", "*.log\n"),
    "add": asking("add", "-A"),
    "add all": lambda root, _, __: void(git(root, "add", "-A", check=False)),
    "force": asking("add", "-f"),
    "intend": asking("add", "-N"),
    "drop": asking("rm", "-r", "-q", "--cached"),
    "move": lambda root, name, _: void(git(root, "mv", "-k", "--", name, "x/moved", check=False)),
    "commit": lambda root, _, __: void(git(root, "commit", "-q", "-m", "all", check=False)),
    "assume": asking("update-index", "--assume-unchanged"),
    "skip": asking("update-index", "--skip-worktree"),
    "nest": lambda root, name, _: (root / name).is_dir() and void(committed(root / name / "nested", f="f")),
}


@few()
@given(
    steps=st.lists(
        st.tuples(st.sampled_from([*STEPS]), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
        min_size=5,
        max_size=25,
    ),
    folder=st.sampled_from(["", "kit"]),
)
def test_it_counts_as_git_does(steps: list[tuple[str, str, str]], folder: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = started(Path(place)) / folder
        root.mkdir(exist_ok=True)
        for step, name, text in [("write", "x/a", "a\n"), ("add all", "", ""), ("commit", "", ""), *steps]:
            STEPS[step](root, name, text)
        assert count_uncommitted_files(root, ASKED) == status(root)


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    root = started(tmp_path)
    write(root, "x/a", "a")
    write(root, "x/b", "b")
    git(root, "add", "x/a")
    assert count_uncommitted_files(root, ASKED) == status(root) == {"x": 2}


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_both_kinds_of_names(tmp_path: Path, form: str) -> None:
    root = started(tmp_path, f"--object-format={form}")
    write(root, "x/a", "a")
    write(root, "x/b", "b")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    assert count_uncommitted_files(root, ASKED) == {}
    write(root, "x/a", "c")
    assert count_uncommitted_files(root, ASKED) == {"x": 1}


def test_an_unfinished_merge(tmp_path: Path) -> None:
    root = committed(tmp_path, z="a\n", y="a\n")
    git(root, "switch", "-q", "-c", "other")
    committed(root, z="b\n", y="b\n")
    git(root, "switch", "-q", "main")
    committed(root, z="c\n")
    (root / "y").unlink()
    git(root, "commit", "-q", "-a", "-m", "without")
    git(root, "merge", "-q", "other", check=False)
    assert git(root, "ls-files", "--unmerged")
    assert count_uncommitted_files(root, ASKED) == status(root) == {"y": 1, "z": 1}


def test_a_linked_worktree_and_a_sparse_checkout(tmp_path: Path) -> None:
    root = started(tmp_path / "main")
    for name in ("x/a", "x/d/e", "y/a", "z"):
        write(root, name, name)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", "--detach", str(linked))
    write(linked, "x/a", "other")
    assert count_uncommitted_files(root, ASKED) == status(root) == {}
    assert count_uncommitted_files(linked, ASKED) == status(linked) == {"x": 1}
    for options in ("--cone", "--no-cone"), ("--cone", "--sparse-index"):
        git(root, "sparse-checkout", "set", *options[1:], "y")
        assert not (root / "x").exists()
        assert count_uncommitted_files(root, ASKED) == status(root) == {}
        write(root, "y/a", "other")
        assert count_uncommitted_files(root, ASKED) == status(root) == {"y": 1}
        git(root, "checkout", "--", "y/a")


def test_a_submodule_is_at_its_commit_or_not(tmp_path: Path) -> None:
    inner = committed(tmp_path / "inner", f="f")
    root = committed(tmp_path / "root", z="z")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "x")
    git(root, "commit", "-q", "-m", "with")
    assert count_uncommitted_files(root, ASKED) == status(root) == {}
    git(root / "x", *WHO, "commit", "-q", "--allow-empty", "-m", "more")
    assert count_uncommitted_files(root, ASKED) == status(root) == {"x": 1}
    shutil.rmtree(root / "x")
    assert count_uncommitted_files(root, ASKED) == status(root) == {"x": 1}
    (root / "x").mkdir()
    assert count_uncommitted_files(root, ASKED) == status(root) == {}
    (root / "x/.git").mkdir()
    assert count_uncommitted_files(root, ASKED) == {}
    (root / "x/.git").rmdir()
    (root / "x").rmdir()
    (root / "x").symlink_to(inner)
    assert "x" in count_uncommitted_files(root, ASKED)


@pytest.mark.parametrize("setting", ["core.fileMode", "CORE.FILEMODE"])
def test_a_file_system_without_modes(tmp_path: Path, setting: str) -> None:
    root = committed(tmp_path, z="z")
    (root / "z").chmod(0o755)
    assert count_uncommitted_files(root, ASKED) == status(root) == {"z": 1}
    git(root, "config", setting, "No")
    assert count_uncommitted_files(root, ASKED) == status(root) == {}


def test_a_file_system_without_links(tmp_path: Path) -> None:
    root = started(tmp_path)
    (root / "z").symlink_to("there")
    committed(root)
    remove(root, "z", "")
    (root / "z").write_text("there")
    assert count_uncommitted_files(root, ASKED) == status(root) == {"z": 1}
    git(root, "config", "core.symlinks", "false")
    assert count_uncommitted_files(root, ASKED) == status(root) == {}


CRLF = {
    "autocrlf": (("core.autocrlf", "true"), ""),
    "autocrlf and auto": (("core.autocrlf", "YES"), "* text=auto\n"),
    "eol": ((), "* text eol=crlf\n"),
    "auto and eol": ((), "* text=auto eol=crlf\n"),
}
LF = {
    "nothing": ((), ""),
    "input": (("core.autocrlf", "input"), ""),
    "binary": (("core.autocrlf", "true"), "* -text\n"),
    "lf": (("core.autocrlf", "true"), "* text eol=lf\n"),
    "off": (("core.autocrlf", "off"), "* text=auto\n"),
}


@pytest.mark.parametrize("way", [*CRLF, *LF])
def test_line_ends_that_git_converts(tmp_path: Path, way: str) -> None:
    """No flood in a checkout with CRLF; but only what git has to the byte is kept by it."""
    config, attributes = (CRLF | LF)[way]
    root = committed(tmp_path, x="a\nb\n", y="a\nb\n", z="a\n", **{".gitattributes": attributes})
    if config:
        git(root, "config", *config)
    for name in ("x", "y", "z"):
        (root / name).unlink()
    git(root, "checkout", "--", "x", "y", "z")
    assert ((root / "x").read_bytes() == b"a\r\nb\r\n") == (way in CRLF)
    assert count_uncommitted_files(root, ASKED) == status(root) == {}
    (root / "x").write_bytes(b"a\r\nb\n")
    (root / "y").write_bytes(b"a\r\nb\r\n")
    (root / "z").write_bytes(b"A\r\n")
    assert count_uncommitted_files(root, ASKED) == {"z": 1}


def test_an_edit_that_git_was_told_to_overlook_is_not_lost(tmp_path: Path) -> None:
    """git counts it as the same, and restores what it has."""
    root = committed(tmp_path, y="y", z="z")
    git(root, "update-index", "--assume-unchanged", "z")
    git(root, "update-index", "--skip-worktree", "y")
    for name in "yz":
        (root / name).write_text("mine")
    assert count_uncommitted_files(root, ASKED) == status(root) == {}


def test_a_folder_behind_a_link_holds_nothing(tmp_path: Path) -> None:
    root = started(tmp_path / "root")
    write(root, "x/a", "a")
    committed(root)
    shutil.move(root / "x", tmp_path / "x")
    (root / "x").symlink_to(tmp_path / "x")
    assert count_uncommitted_files(root, ASKED) == status(root) == {"x": 2}
    (tmp_path / "way").symlink_to(root)
    assert count_uncommitted_files(tmp_path / "way", ["z", "x"]) == {"x": 2}


@pytest.mark.parametrize("odd", ["pipe", "folder", "huge"])
def test_a_file_that_is_none_is_changed(tmp_path: Path, odd: str) -> None:
    root = committed(tmp_path, z="z")
    if odd == "huge":
        os.truncate(root / "z", checkout.LARGEST + 1)
    else:
        (root / "z").unlink()
        (root / "z").mkdir() if odd == "folder" else os.mkfifo(root / "z")
    assert count_uncommitted_files(root, ASKED) == {"z": 1}


def test_more_than_any_kit_has_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = committed(tmp_path, x="1", y="22", z="333")
    monkeypatch.setattr(checkout, "MAX_READ", 6)
    assert count_uncommitted_files(root, ASKED) == {}
    monkeypatch.setattr(checkout, "MAX_READ", 5)
    with pytest.raises(KitgenError, match="found more than 0 MB in files that git has"):
        count_uncommitted_files(root, ASKED)


def test_more_submodules_than_any_kit_has_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout, "MAX_SUBMODULES", 1)
    root = started(tmp_path)
    for name in ("x", "y"):
        committed(root / name, f="f")
        git(root, "add", name)
        git(root, "commit", "-q", "-m", "with")
        if name == "x":
            assert count_uncommitted_files(root, ASKED) == {}
    with pytest.raises(KitgenError, match="found more than 1 submodules"):
        count_uncommitted_files(root, ASKED)


def test_an_index_that_is_broken_is_told(tmp_path: Path) -> None:
    root = committed(tmp_path, z="z")
    (root / ".git/index").write_bytes(b"DIRC nonsense")
    with pytest.raises(KitgenError, match="git cannot tell what is committed: fatal: "):
        count_uncommitted_files(root, ASKED)


@pytest.mark.parametrize("answer", ["echo a b", "printf 'a b c d\\tx\\0e\\0'", "true", "false"])
def test_a_program_that_is_not_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    root = committed(tmp_path / "root", z="z")
    (tmp_path / "git").write_text(f"#!/bin/sh\n{answer}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with suppress(KitgenError):
        assert isinstance(count_uncommitted_files(root, ASKED), dict)
