"""Files from disk, memory and a git revision: one protocol, one behaviour."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import kits
import pytest

from kitgen.files.git import read_revision_files
from kitgen.files.read import MAX_BYTES
from kitgen.files.tree import Disk, Files, Memory
from kitgen.findings import Problem
from kitgen.findings.errors import FindingsError, KitgenError, UsageError
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles

LINKS = {
    "targets/same.yaml": "odh.yaml",
    "targets/up.yaml": "../targets/./odh.yaml",
    "targets/out.yaml": "../../outside.yaml",
    "targets/absolute.yaml": "/etc/hostname",
    "targets/loop.yaml": "loop.yaml",
    "targets/nowhere.yaml": "gone.yaml",
    "components/alias": "hello",
    "components/round": "round",
}


def git(root: Path, *arguments: str) -> str:
    """Run git with a person to commit as, and return what it prints."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(root: Path) -> Path:
    """Commit all files of a folder."""
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    return root


def in_memory(root: Path) -> Memory:
    """Return what a folder holds, as files in memory."""
    paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    links = {name: str(path.readlink()) for name, path in paths.items() if path.is_symlink()}
    files = {name: path.read_bytes() for name, path in paths.items() if name not in links and path.is_file()}
    return Memory(files, links)


KINDS: dict[str, Callable[[Path], Files]] = {
    "disk": Disk,
    "memory": in_memory,
    "git": lambda root: read_revision_files(commit(root), "main"),
}


@pytest.fixture(params=KINDS, scope="module")
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Files:
    root = kits.make_kit(tmp_path_factory.mktemp("kit"))
    (root / "targets/big.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    (root / "targets/latin.yaml").write_bytes(b"target: \xe9\n")
    for name, link in LINKS.items():
        (root / name).symlink_to(link)
    return KINDS[request.param](root)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("targets/odh.yaml", ""),
        ("targets/same.yaml", ""),
        ("targets/up.yaml", ""),
        ("components/alias/v1.0.0/component.yaml", ""),
        ("targets/out.yaml", "path-symlink"),
        ("targets/absolute.yaml", "path-symlink"),
        ("targets/loop.yaml", "path-symlink"),
        ("targets/nowhere.yaml", "file-missing"),
        ("targets/none.yaml", "file-missing"),
        ("targets/odh.yaml/below", "file-missing"),
        ("targets", "file-kind"),
        ("targets/big.yaml", "file-size"),
        ("../outside.yaml", "path-outside"),
        ("targets/../../outside.yaml", "path-outside"),
        ("/etc/hostname", "path-outside"),
    ],
)
def test_what_is_read(files: Files, name: str, rule: str) -> None:
    found = files.read(name)
    assert (found.rule.id if isinstance(found, Problem) else "") == rule


def test_what_is_there(files: Files) -> None:
    names = (
        "targets/odh.yaml",
        "targets/nowhere.yaml",
        "targets/loop.yaml",
        "components/alias/v1.0.0",
        "targets",
    )
    assert all(files.exists(name) for name in names)
    assert not files.exists("targets/none.yaml")
    assert files.list_names("components") == ["alias", "hello", "round"]
    assert (files.list_names("components/alias"), files.list_names("nothing")) == (["v1.0.0"], [])
    kinds = [files.is_folder(f"components/{name}") for name in ("alias", "hello", "round")]
    assert kinds[:2] == [True, True]
    assert isinstance(kinds[2], Problem)
    assert files.is_folder("targets/odh.yaml") is False
    with pytest.raises(KitgenError, match="cannot read the folder targets/odh"):
        files.list_names("targets/odh.yaml")


def test_findings_are_the_same_everywhere(files: Files) -> None:
    with pytest.raises(FindingsError) as error:
        load_kit(SpecFiles(files))
    found = [(finding.rule.id, finding.origin.file, finding.origin.line) for finding in error.value.findings]
    assert ("file-encoding", "targets/latin.yaml", 1) in found
    assert ("file-size", "targets/big.yaml", 1) in found
    assert ("path-symlink", "components/round", 1) in found


@pytest.mark.parametrize("below", ["", "kits/mine"])
def test_a_revision_is_loaded_as_the_work_tree_was(tmp_path: Path, below: str) -> None:
    root = kits.make_kit(tmp_path / below)
    want = load_kit(SpecFiles(root))
    commit(tmp_path)
    (root / "targets/odh.yaml").write_text("changed since")
    (root / "targets/new.yaml").write_text("new since")
    assert load_kit(SpecFiles(read_revision_files(root, "HEAD"))) == want


def test_neither_variables_nor_the_repository_lead_git_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = commit(kits.make_kit(tmp_path / "kit"))
    witness = tmp_path / "witness"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {witness}\n")
    script.chmod(0o755)
    for name in (
        "core.pager",
        "core.fsmonitor",
        "core.sshCommand",
        "diff.external",
        "core.alternateRefsCommand",
    ):
        git(root, "config", name, str(script))
    git(root, "config", "remote.origin.url", "ssh://example.invalid/x")
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "extensions.partialClone", "origin")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(script))
    assert load_kit(SpecFiles(read_revision_files(root, "main"))).name == "small"
    monkeypatch.delenv("GIT_DIR")
    blob = git(root, "rev-parse", "main:kit.yaml")
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(KitgenError, match=f"cannot read the object {blob}|git cannot read"):
        read_revision_files(root, "main")
    assert not witness.exists()


def test_a_folder_that_looks_like_a_repository_is_not_asked(tmp_path: Path) -> None:
    """A commit can bring one into the folder of a kit, and it would speak for the real one."""
    root = kits.make_kit(tmp_path / "real/kit")
    commit(tmp_path / "real")
    forged = commit(kits.make_kit(tmp_path / "forged"))
    git(forged, "config", "core.bare", "true")
    for name in ("objects", "refs"):
        shutil.copytree(forged / ".git" / name, root / name)
    for name in ("HEAD", "config"):
        shutil.copy(forged / ".git" / name, root / name)
    with pytest.raises(KitgenError, match="cannot use bare repository"):
        read_revision_files(root, "main")


def test_git_that_waits_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.files.git.SECONDS", 0.2)
    root = commit(kits.make_kit(tmp_path))
    (root / ".git/config").unlink()
    os.mkfifo(root / ".git/config")
    with pytest.raises(KitgenError, match=r"'git' took longer than 0\.2 seconds"):
        read_revision_files(root, "main")


@pytest.mark.parametrize("name", ["none", "--help", "", "main:kit.yaml", "a b", "HEAD~9"])
def test_a_revision_that_is_not_there_is_wrong_usage(tmp_path: Path, name: str) -> None:
    root = commit(kits.make_kit(tmp_path))
    with pytest.raises(UsageError, match="no revision"):
        read_revision_files(root, name)


def test_a_revision_without_a_kit_and_a_kit_without_git_are_told(tmp_path: Path) -> None:
    alone = kits.make_kit(tmp_path / "alone")
    with pytest.raises(KitgenError, match="not a git repository"):
        read_revision_files(alone, "main")
    kits.write(tmp_path / "repo", {"a.txt": "a"})
    root = kits.make_kit(commit(tmp_path / "repo"))
    with pytest.raises(UsageError, match="no kit in revision 'main'"):
        read_revision_files(root, "main")


@pytest.mark.exhaustive
def test_a_revision_with_one_large_file_at_many_paths(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    text = "#" * (MAX_BYTES - 1)
    kits.write(root, {f"releases/{number}.yaml": text for number in range(20)})
    kits.write(root, {"other/large.bin": "#" * (MAX_BYTES * 2)})
    commit(root)
    specs = SpecFiles(read_revision_files(root, "main"))
    with pytest.raises(FindingsError) as caught:
        load_kit(specs)
    told = "found more than 32 MiB of specs in all, expected at most that"
    assert told in {finding.message for finding in caught.value.findings}
    assert sum(map(len, specs.texts.values())) <= 32 * 1024 * 1024
