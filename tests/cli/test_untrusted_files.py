"""Files that must not be read: huge ones, links out of the kit, and what is no file."""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import kits
import project
import pytest
from running import run

from kitgen.files.generated_files import HEAD
from kitgen.files.root import is_generated_file
from kitgen.findings import Problem
from kitgen.kit.spec_files import SpecFiles

HUGE = 200_000_000


@pytest.fixture
def root(tmp_path: Path, small_overlays: Path) -> Path:
    root = kits.make_kit(tmp_path / "kit")
    shutil.copytree(small_overlays, root / "overlays")
    return root


def refused(root: Path, want: list[str]) -> None:
    """Check that a kit is refused with these findings, and that nothing is written."""
    before = kits.contents(root / "overlays")
    for command in (["check", "-o", "lines"], ["render"]):
        result = run(*command, "--root", root)
        told = (result.out + result.err).splitlines()[:-1]
        assert (result.code, told) == (1, want)
    assert kits.contents(root / "overlays") == before


def test_a_huge_file_is_refused_unread(root: Path) -> None:
    with (root / "targets/olm.yaml").open("wb") as stream:
        stream.truncate(HUGE)
    refused(
        root,
        [
            "targets/olm.yaml:1: file-size: found 200 MB, expected at most 8 "
            "(hint: a spec names what is particular, nothing else)"
        ],
    )


def test_a_link_out_of_the_kit_is_refused(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "secret.yaml"
    outside.write_text("password: hunter2")
    (root / "targets/olm.yaml").unlink()
    (root / "targets/olm.yaml").symlink_to(outside)
    (root / "components/hello/v1.0.0/config.yaml").unlink()
    (root / "components/hello/v1.0.0/config.yaml").symlink_to("../../../../secret.yaml")
    refused(
        root,
        [
            f"{name}:1: path-symlink: a symbolic link leads out of the kit"
            for name in ("components/hello/v1.0.0/config.yaml", "targets/olm.yaml")
        ],
    )


def test_a_folder_behind_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "targets").rename(tmp_path / "elsewhere")
    (root / "targets").symlink_to(tmp_path / "elsewhere")
    refused(root, ["targets:1: path-symlink: a symbolic link leads out of the kit"])


@pytest.mark.parametrize(
    "folder", ["components", "components/hello", "components/hello/v1.0.0", "components/hello/v1.0.0/crds"]
)
def test_a_folder_that_leads_out_of_the_kit_lists_nothing(root: Path, tmp_path: Path, folder: str) -> None:
    kits.write(tmp_path / "elsewhere", {"private/component.yaml": "a: b", "private.yaml": "a: b"})
    shutil.rmtree(root / folder)
    (root / folder).symlink_to(tmp_path / "elsewhere")
    for command in (["check", "-o", "lines"], ["render"], ["list"]):
        result = run(*command, "--root", root)
        assert result.code == 1
        assert f"{folder}:1: path-symlink: a symbolic link leads out of the kit\n" in result.out + result.err
        assert "private" not in result.out + result.err
    given = {"COMP_WORDS": "kitgen check component:", "COMP_CWORD": "2", "_KITGEN_COMPLETE": "bash_complete"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        patch.chdir(root)
        assert "private" not in run().out


def test_a_link_inside_the_kit_is_followed(root: Path) -> None:
    (root / "targets/olm.yaml").rename(root / "olm-elsewhere.yaml")
    (root / "targets/olm.yaml").symlink_to("../olm-elsewhere.yaml")
    assert run("check", "-o", "lines", "--root", root).code == 0


@pytest.mark.parametrize("name", ["targets/olm.yaml", "components/hello/v1.0.0/config.yaml"])
def test_a_link_that_leads_nowhere_is_told(root: Path, name: str) -> None:
    (root / name).unlink()
    (root / name).symlink_to("nowhere.yaml")
    refused(root, [f"{name}:1: file-missing: no such file"])


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    (root / "targets/olm.yaml").unlink()
    os.mkfifo(root / "targets/olm.yaml")
    refused(root, ["targets/olm.yaml:1: file-kind: found something that is not a file"])


@pytest.mark.parametrize("name", ["targets/zz.yaml", "components/zz", "components/hello/zz"])
def test_a_link_to_itself_is_told(root: Path, name: str) -> None:
    (root / name).symlink_to(Path(name).name)
    refused(root, [f"{name}:1: path-symlink: a symbolic link leads round in a circle"])


def test_a_folder_that_links_to_itself_cannot_be_written(root: Path) -> None:
    (root / "loop").symlink_to("loop")
    for command in (["render", "--out"], ["export", "odh"]):
        result = run(*command, root / "loop", "--root", root)
        assert (result.code, result.out) == (1, "")
        assert "path-symlink: found a symlink, expected a folder" in result.err


@pytest.mark.parametrize("name", ["../outside.yaml", "/etc/hostname", "targets/../../outside.yaml"])
def test_no_path_leaves_the_root(root: Path, name: str) -> None:
    found = SpecFiles(root).read_text(name)
    assert isinstance(found, Problem)
    assert found.rule.id == "path-outside"


@pytest.mark.parametrize("name", ["targets", "components", "releases", "components/hello/v1.0.0/crds"])
def test_a_file_in_place_of_a_folder_is_an_environment_error(tmp_path: Path, name: str) -> None:
    root = kits.make_kit(tmp_path / "kit")
    (root / name).rename(root / "elsewhere")
    (root / name).write_text("no folder")
    result = run("check", "-o", "lines", "--root", root)
    assert (result.code, result.out) == (3, "")
    assert result.err == f"error: cannot read the folder {name}: Not a directory\n"


@pytest.fixture
def denied(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Return what makes a path unreadable; the tests may run as a user who may read everything."""
    closed: list[Path] = []

    def wrap(function: Callable[..., object]) -> Callable[..., object]:
        def guarded(path: object, *args: object, **options: object) -> object:
            if isinstance(path, str | Path) and Path(path) in closed:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return function(path, *args, **options)

        return guarded

    monkeypatch.setattr(os, "scandir", wrap(os.scandir))
    monkeypatch.setattr(os, "listdir", wrap(os.listdir))
    monkeypatch.setattr(os, "open", wrap(os.open))
    monkeypatch.setattr("io.open", wrap(io.open))
    return closed.append


@pytest.mark.parametrize("command", ["render", "check", "list"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("kit.yaml", "kit.yaml"),
        ("targets", "the folder targets"),
        ("targets/odh.yaml", "targets/odh.yaml"),
        ("components/hello", "the folder components/hello"),
    ],
)
def test_what_may_not_be_read_exits_3(
    root: Path, denied: Callable[[Path], None], command: str, name: str, told: str
) -> None:
    denied(root / name)
    result = run(command, "--root", root)
    assert (result.code, result.out) == (3, "")
    assert result.err == f"error: cannot read {told}: Permission denied\n"


def test_what_is_no_spec_need_not_be_readable(root: Path, denied: Callable[[Path], None]) -> None:
    (root / "components/notes").write_text("mine")
    denied(root / "components/notes")
    assert run("render", "--root", root).code == 0


def test_a_root_that_may_not_be_read_exits_3(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "is_file", refuse)
    monkeypatch.setattr(os, "access", lambda *_: False)
    result = run("list", "--root", root)
    assert (result.code, result.err) == (3, f"error: cannot look for a kit in {root}: Permission denied\n")


def test_manifests_that_may_not_be_read_exit_3(root: Path, denied: Callable[[Path], None]) -> None:
    kits.write(root / "theirs", {"deep/a.yaml": "a: b\n"})
    denied(root / "theirs/deep")
    result = run("check", "-o", "lines", root / "theirs", "--root", root)
    assert (result.code, result.err) == (3, f"error: cannot read {root}/theirs/deep: Permission denied\n")


def test_no_home_means_no_cache(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.delenv("KITGEN_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert run("render", "--root", root).code == 0


@pytest.mark.parametrize("text", ["[" * 100_000, "", "{}"], ids=["deep", "empty", "nothing"])
def test_a_broken_journal_exits_3(root: Path, text: str) -> None:
    journal = root / "overlays/.kitgen/journal"
    journal.write_text(text)
    for command in ("render", "list"):
        result = run(command, "--root", root)
        told = f"error: cannot read {journal} (hint: delete it, then render again)\n"
        assert (result.code, result.out, result.err) == (3, "", told)


def test_a_list_from_a_stranger_does_not_make_files_kitgens(root: Path) -> None:
    mine = kits.write(root / "overlays", {"odh/mine.txt": "mine", "odh/kustomization.yaml": "mine"})
    listing = mine / ".kitgen/files"
    listing.write_text(listing.read_text() + "odh/mine.txt\n")
    result = run("render", "--root", root)
    assert (result.code, result.err.splitlines()[0]) == (
        1,
        "overlays/odh/kustomization.yaml:1: file-not-ours: found a file that kitgen did not write, "
        "with other content (hint: move it away, or delete it)",
    )
    assert (mine / "odh/kustomization.yaml").read_text() == "mine"
    (mine / "odh/kustomization.yaml").unlink()
    assert run("render", "--root", root).code == 0
    assert (mine / "odh/mine.txt").read_text() == "mine"
    assert "mine.txt" not in listing.read_text()


@pytest.mark.parametrize("listed", [True, False])
def test_a_journal_from_a_stranger_deletes_nothing(root: Path, listed: bool) -> None:
    mine = kits.write(root / "overlays", {"odh/mine.txt": "mine"}) / "odh/mine.txt"
    if listed:
        with (root / "overlays/.kitgen/files").open("a") as stream:
            stream.write("odh/mine.txt\n")
    journal = root / "overlays/.kitgen/journal"
    journal.write_text('{"write": [], "delete": ["odh/mine.txt"]}')
    assert run("list", "--root", root).code == 0
    assert (mine.read_text(), journal.exists()) == ("mine", False)
    kits.write(root / "overlays/.kitgen", {"stage/0": "theirs"})
    journal.write_text('{"write": ["odh/mine.txt"], "delete": []}')
    result = run("list", "--root", root)
    assert (result.code, result.out) == (3, "")
    assert "'odh/mine.txt' is a file that kitgen did not write" in result.err
    assert mine.read_text() == "mine"


def test_every_generated_file_says_so(tmp_path: Path) -> None:
    shutil.copytree(kits.PROJECT / "overlays", tmp_path / "overlays")
    for target in {target for target, _ in project.exports()}:
        assert run("export", target, tmp_path / target, "--root", kits.PROJECT).code == 0
    for path in tmp_path.rglob("*"):
        if path.is_file() and ".kitgen" not in path.parts:
            assert is_generated_file(path.as_posix(), path.read_bytes()[:HEAD]), path
    assert not is_generated_file("a/kustomization.yaml", b"resources: []\n")


def test_folders_of_many_files_are_not_gone_through(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.kit.manifests.MAX_FILES", 3)
    kits.write(kit / "theirs", {f"{number}.yaml": "" for number in range(3)})
    assert run("check", "-o", "lines", "theirs").code == 0
    kits.write(kit / "theirs", {"more.yaml": ""})
    assert (
        run("check", "-o", "lines", "theirs").err
        == "error: cannot read theirs: found more than 3 manifests\n"
    )
    assert run("render", "-q").code == 0
