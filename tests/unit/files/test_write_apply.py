"""A write gives exactly the new tree and touches nothing else."""

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import few
from trees import files_of, fill, marked, snapshot

from kitgen.files.apply import apply_tree as write_apply
from kitgen.files.apply import recover_write
from kitgen.files.folders import mount_of
from kitgen.files.tree_changes import compare_tree
from kitgen.findings.errors import ExitCode, FindingsError, KitgenError

OLD = marked(
    {"a.yaml": "a: 1\n", "base/b.yaml": "b: 1\n", "base/deep/c.yaml": "c: 1\n", "olm/d.yaml": "d: 1\n"}
)
NEW = marked({"a.yaml": "a: 2\n", "base/b.yaml": "b: 1\n", "odh/e/f.yaml": "e: 1\n", "olm/d.yaml": "d: 1\n"})


def test_first_write(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "overlays"
    done = write_apply(OLD, out)
    assert done.create == (".kitgen/.gitignore", ".kitgen/files", *OLD)
    assert (done.change, done.delete, done.keep) == ((), (), ())
    assert files_of(out) == OLD
    assert (out / ".kitgen/files").read_text() == "".join(f"{path}\n" for path in sorted(OLD))
    assert sorted(path.name for path in (out / ".kitgen").iterdir()) == [".gitignore", "files", "lock"]


def test_second_write_touches_nothing(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    before = snapshot(tmp_path)
    done = write_apply({path: text.encode() for path, text in OLD.items()}, tmp_path)
    assert not done.has_changes
    assert set(done.keep) == {*OLD, ".kitgen/files", ".kitgen/.gitignore"}
    assert snapshot(tmp_path) == before


def test_change_and_surplus(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    kept = (tmp_path / "olm/d.yaml").stat()
    done = write_apply(NEW, tmp_path)
    assert done.create == ("odh/e/f.yaml",)
    assert done.change == (".kitgen/files", "a.yaml")
    assert done.delete == ("base/deep/c.yaml",)
    assert files_of(tmp_path) == NEW
    assert not (tmp_path / "base/deep").exists()
    assert (tmp_path / "olm/d.yaml").stat().st_mtime_ns == kept.st_mtime_ns
    assert (tmp_path / "olm/d.yaml").stat().st_ino == kept.st_ino


def test_plan_alone_writes_nothing(tmp_path: Path) -> None:
    planned = compare_tree(OLD, tmp_path / "out")
    assert planned.has_changes
    assert list(tmp_path.iterdir()) == []
    write_apply(OLD, tmp_path)
    before = snapshot(tmp_path)
    (tmp_path / "a.yaml").unlink()
    os.utime(tmp_path, ns=(0, before[""]))
    planned = compare_tree(NEW, tmp_path)
    assert planned.create == ("a.yaml", "odh/e/f.yaml")
    assert planned.delete == ("base/deep/c.yaml",)
    assert {**snapshot(tmp_path), "a.yaml": before["a.yaml"]} == before


def test_foreign_files_survive(tmp_path: Path) -> None:
    fill(tmp_path, {"README.md": "mine", "base/deep/mine.txt": "mine"})
    write_apply(OLD, tmp_path)
    write_apply({}, tmp_path)
    assert files_of(tmp_path) == {"README.md": "mine", "base/deep/mine.txt": "mine"}


def test_foreign_file_is_a_finding_unless_it_is_equal(tmp_path: Path) -> None:
    fill(tmp_path, {"a.yaml": OLD["a.yaml"], "base/b.yaml": "mine", "olm": "mine"})
    before = snapshot(tmp_path)
    with pytest.raises(FindingsError) as caught:
        write_apply(OLD, tmp_path)
    assert [(item.rule.id, item.origin.file) for item in caught.value.findings] == [
        ("file-not-ours", f"{tmp_path.name}/base/b.yaml"),
        ("file-not-ours", f"{tmp_path.name}/olm"),
    ]
    assert snapshot(tmp_path) == before
    (tmp_path / "base/b.yaml").unlink()
    (tmp_path / "olm").unlink()
    done = write_apply(OLD, tmp_path)
    assert "a.yaml" in done.keep
    write_apply({}, tmp_path)
    assert files_of(tmp_path) == {}


def test_scope_leaves_the_rest_alone(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    (tmp_path / "olm/d.yaml").write_text("edited")
    done = write_apply({"base/new.yaml": "n", "olm/d.yaml": "ignored"}, tmp_path, scope=("base",))
    assert done.delete == ("base/b.yaml", "base/deep/c.yaml")
    assert files_of(tmp_path) == {
        "a.yaml": OLD["a.yaml"],
        "base/new.yaml": "n",
        "olm/d.yaml": "edited",
    }
    assert (tmp_path / ".kitgen/files").read_text() == "a.yaml\nbase/new.yaml\nolm/d.yaml\n"


@pytest.mark.parametrize(
    "path",
    [
        "../a",
        "/a",
        "a/../b",
        "a//b",
        "./a",
        "a\\b",
        "a\0b",
        "a\nb",
        "",
        "a/",
        ".kitgen/x",
        "a" * 256,
        "a/" * 1600 + "a",
    ],
)
def test_unsafe_path(tmp_path: Path, path: str) -> None:
    with pytest.raises(FindingsError) as caught:
        write_apply({path: "x", "b": "y"}, tmp_path / "out")
    assert [item.rule.id for item in caught.value.findings] == ["path-unsafe"]
    assert list(tmp_path.iterdir()) == []


def test_file_and_folder_of_one_name(tmp_path: Path) -> None:
    with pytest.raises(FindingsError) as caught:
        write_apply({"a": "x", "a/b": "y"}, tmp_path)
    assert [item.rule.id for item in caught.value.findings] == ["path-clash"]


@pytest.mark.parametrize("link", ["base", "base/b.yaml", ".kitgen", ".kitgen/files"])
def test_symlink_is_a_finding(tmp_path: Path, link: str) -> None:
    out, outside = tmp_path / "out", tmp_path / "outside"
    fill(outside, {"b.yaml": "b: 1\n", "files": "b.yaml\n", "deep/c.yaml": "c: 1\n"})
    out.mkdir()
    place = out / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside if "." not in link[1:] and "/" not in link else outside / place.name)
    before = snapshot(tmp_path)
    for tree in (OLD, NEW):
        with pytest.raises(FindingsError) as caught:
            write_apply(tree, out)
        assert {item.rule.id for item in caught.value.findings} == {"path-symlink"}
    assert files_of(outside) == {"b.yaml": "b: 1\n", "files": "b.yaml\n", "deep/c.yaml": "c: 1\n"}
    if link != ".kitgen/files":  # there the lock may stand
        assert snapshot(tmp_path) == before


def test_surplus_behind_a_symlink_is_not_deleted(tmp_path: Path) -> None:
    out, outside = tmp_path / "out", tmp_path / "outside"
    write_apply(OLD, out)
    (out / "base").rename(outside)
    (out / "base").symlink_to(outside)
    with pytest.raises(FindingsError):
        write_apply({"a.yaml": "a: 1\n"}, out)
    assert files_of(outside) == marked({"b.yaml": "b: 1\n", "deep/c.yaml": "c: 1\n"})


def test_folder_itself_must_not_be_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    with pytest.raises(FindingsError, match="1 findings"):
        write_apply(OLD, tmp_path / "out")
    assert files_of(tmp_path / "real") == {}


def test_nothing_is_repaired_or_locked_behind_a_symlink(tmp_path: Path) -> None:
    real = tmp_path / "real"
    journal = '{"write": ["a.yaml"], "delete": []}'
    fill(real, {".kitgen/files": "a.yaml\n", ".kitgen/journal": journal, ".kitgen/stage/0": "new"})
    (tmp_path / "out").symlink_to(real)
    before = snapshot(real)
    with pytest.raises(FindingsError):
        write_apply(OLD, tmp_path / "out")
    assert not recover_write(tmp_path / "out")
    assert compare_tree(OLD, tmp_path / "out").findings
    assert snapshot(real) == before


@pytest.mark.parametrize("what", ["a symlink", "a folder"])
def test_what_was_put_in_the_way_since_the_kill_is_not_replaced(tmp_path: Path, what: str) -> None:
    write_apply(OLD, tmp_path)
    journal = '{"write": ["a.yaml", "new.yaml"], "delete": []}'
    fill(tmp_path, {".kitgen/stage/0": "a: 2\n", ".kitgen/stage/1": "n: 1\n", ".kitgen/journal": journal})
    if what == "a folder":
        (tmp_path / "new.yaml").mkdir()
    else:
        (tmp_path / "new.yaml").symlink_to("a.yaml")
    with pytest.raises(KitgenError, match=rf"'new\.yaml' is {what} that kitgen did not write"):
        recover_write(tmp_path)
    assert (tmp_path / "a.yaml").read_text() == OLD["a.yaml"]


def test_list_from_a_stranger(tmp_path: Path) -> None:
    out = tmp_path / "out"
    fill(tmp_path, {"precious": "x", "out/.kitgen/files": "a.yaml\n../precious\n"})
    with pytest.raises(FindingsError) as caught:
        write_apply({}, out)
    assert [(item.rule.id, item.origin.line) for item in caught.value.findings] == [("path-unsafe", 2)]
    assert (tmp_path / "precious").read_text() == "x"


def test_list_after_a_git_conflict(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    listing = tmp_path / ".kitgen/files"
    listing.write_text(
        "<<<<<<< HEAD\na.yaml\n=======\nbase/b.yaml\n>>>>>>> x\nbase/deep/c.yaml\nolm/d.yaml\n"
    )
    assert write_apply(OLD, tmp_path).change == (".kitgen/files",)
    assert "<<<<" not in listing.read_text()


def test_modes_do_not_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_apply(OLD, tmp_path / "out")
    finally:
        os.umask(before)
    for path in [tmp_path / "out", *(tmp_path / "out").rglob("*")]:
        wanted = 0o755 if path.is_dir() else 0o644
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_full_disk_leaves_the_old_tree(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    before = {path: time for path, time in snapshot(tmp_path).items() if path != ".kitgen"}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(KitgenError, match="cannot write the folder") as caught:
            write_apply({**NEW, "new/big.yaml": "x" * 5000}, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.exit_code is ExitCode.ENVIRONMENT
    assert {path: time for path, time in snapshot(tmp_path).items() if path != ".kitgen"} == before


def test_folder_without_permission_leaves_the_old_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_apply(OLD, tmp_path)
    # The superuser may write everywhere, so the answer is made up.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "deep")
    with pytest.raises(KitgenError, match=r"cannot write the folder: .*/base/deep permission denied"):
        write_apply(NEW, tmp_path)
    assert files_of(tmp_path) == OLD
    assert not recover_write(tmp_path)


def test_folder_on_another_disk_leaves_the_old_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_apply(OLD, tmp_path)
    lstat = Path.lstat

    def elsewhere(path: Path) -> os.stat_result:
        found = lstat(path)
        return os.stat_result((*found[:2], found.st_dev + (path.name == "deep"), *found[3:]))

    monkeypatch.setattr(Path, "lstat", elsewhere)
    with pytest.raises(KitgenError, match=r"cannot write the folder: .*/base/deep .*cross-device"):
        write_apply(NEW, tmp_path)
    assert files_of(tmp_path) == OLD
    assert not recover_write(tmp_path)


@pytest.mark.parametrize("mounted", ["base/deep", "olm/d.yaml", "a.yaml", ".kitgen"])
def test_what_is_mounted_from_the_same_disk_leaves_the_old_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounted: str
) -> None:
    write_apply(OLD, tmp_path)
    apply = sys.modules["kitgen.files.apply"]  # in the package, the function has this name
    monkeypatch.setattr(apply, "mount_of", lambda path: str(path == tmp_path / mounted))
    with pytest.raises(KitgenError, match=rf"cannot write the folder: .*/{mounted} .*cross-device"):
        write_apply(marked({"new.yaml": ""}), tmp_path)
    assert files_of(tmp_path) == OLD
    assert not recover_write(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="there is no /proc here")
def test_mounts_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "mnt_id" in mount_of(tmp_path) == mount_of(tmp_path / "file") != mount_of(Path("/proc/self/stat"))


def test_a_stage_of_a_stranger_is_not_walked_through(tmp_path: Path) -> None:
    fill(tmp_path, {".kitgen/stage/deep/mine": "mine", ".kitgen/stage/0": "x"})
    with pytest.raises(KitgenError, match="found a folder in") as caught:
        recover_write(tmp_path)
    assert caught.value.hint == "delete .kitgen/stage, then render again"
    assert files_of(tmp_path / ".kitgen/stage") == {"deep/mine": "mine", "0": "x"}


def test_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(KitgenError, match="cannot write the folder"):
        write_apply(OLD, tmp_path / "out")


def test_journal_from_a_stranger(tmp_path: Path) -> None:
    out = tmp_path / "out"
    fill(tmp_path, {"precious": "x", "out/.kitgen/stage/0": "evil"})
    for text in (
        '{"write": ["../precious"], "delete": []}',
        '{"write": [], "delete": ["../precious"]}',
        "[1",
        "[]",
    ):
        (out / ".kitgen/journal").write_text(text)
        with pytest.raises(KitgenError):
            recover_write(out)
        assert (tmp_path / "precious").read_text() == "x"
    (out / ".kitgen/journal").unlink()
    (out / ".kitgen/stage/0").unlink()
    (out / ".kitgen/stage").rmdir()
    (out / ".kitgen/stage").symlink_to(tmp_path)
    assert recover_write(out)
    assert (tmp_path / "precious").read_text() == "x"
    assert not recover_write(out)


def test_a_file_made_since_the_kill_is_not_overwritten(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    journal = '{"write": ["a.yaml", "new.yaml"], "delete": ["since.yaml", "olm/d.yaml"]}'
    fill(tmp_path, {".kitgen/stage/0": "a: 2\n", ".kitgen/stage/1": "n: 1\n", ".kitgen/journal": journal})
    fill(tmp_path, {"since.yaml": "mine", "new.yaml": "mine"})
    with pytest.raises(KitgenError, match=r"'new\.yaml' is a file that kitgen did not write"):
        recover_write(tmp_path)
    assert files_of(tmp_path) == {**OLD, "since.yaml": "mine", "new.yaml": "mine"}
    (tmp_path / "new.yaml").unlink()
    assert recover_write(tmp_path)
    want = {**OLD, "a.yaml": "a: 2\n", "new.yaml": "n: 1\n", "since.yaml": "mine"}
    del want["olm/d.yaml"]
    assert files_of(tmp_path) == want


NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


def without_clashes(tree: dict[str, str]) -> dict[str, str]:
    return {
        path: text for path, text in tree.items() if not any(other.startswith(f"{path}/") for other in tree)
    }


TREES = (
    st.dictionaries(NAMES, st.sampled_from(["1", "2", "é\n"]), max_size=6).map(without_clashes).map(marked)
)


@few()
@given(
    old=TREES,
    new=TREES,
    foreign=st.dictionaries(NAMES.map(lambda path: f"{path}.mine"), st.just("mine"), max_size=3),
)
def test_any_tree_follows_any_other(
    old: dict[str, str],
    new: dict[str, str],
    foreign: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    out = tmp_path_factory.mktemp("out")
    write_apply(old, out)
    try:
        fill(out, foreign)
    except OSError:  # where the old tree holds a file, no folder can be
        foreign = {path: text for path, text in files_of(out).items() if path.endswith(".mine")}
    try:
        write_apply(new, out)
    except FindingsError as error:
        assert {item.rule.id for item in error.findings} == {"file-not-ours"}
        assert any(path.startswith(f"{name}/") for path in foreign for name in new)
        assert files_of(out) == {**old, **foreign}
    else:
        assert files_of(out) == {**new, **foreign}
        assert not write_apply(new, out).has_changes
        assert sorted(path.name for path in (out / ".kitgen").iterdir()) == [".gitignore", "files", "lock"]


WRITER = """
import sys
from pathlib import Path
from kitgen.files.apply import apply_tree
from kitgen.files.tree_changes import compare_tree
mark, out = sys.argv[1], Path(sys.argv[2])
text = "# Generated by kitgen " + mark
for turn in range(10):
    tree = {f"f{number}.yaml": text for number in range(20)}
    tree[f"only-{mark}.yaml"] = text
    apply_tree(tree, out)
    changed = [path for path in compare_tree(tree, out).change if path.startswith("f")]
    assert len(changed) in (0, 20), changed
"""


def test_two_writers_do_not_mix(tmp_path: Path) -> None:
    children = [subprocess.Popen([sys.executable, "-c", WRITER, mark, str(tmp_path)]) for mark in "xy"]
    assert [child.wait(60) for child in children] == [0, 0]
    found = files_of(tmp_path)
    text = found["f0.yaml"]
    assert found == {f"f{number}.yaml": text for number in range(20)} | {f"only-{text[-1]}.yaml": text}


HOLDER = """
import sys
from pathlib import Path
from kitgen.files.lock import exclusive_lock
with exclusive_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_second_writer_waits_and_says_so(tmp_path: Path) -> None:
    write_apply(OLD, tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin
    assert child.stdout
    assert child.stdout.readline() == "held\n"
    said: list[str] = []

    def waiting() -> None:
        said.append("waiting")
        assert child.stdin
        child.stdin.write("go\n")
        child.stdin.flush()

    with child:
        write_apply(NEW, tmp_path, waiting=waiting)
    assert said == ["waiting"]
    assert files_of(tmp_path) == NEW
