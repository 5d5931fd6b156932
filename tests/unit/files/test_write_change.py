"""People's files: changed together, with nothing followed and nothing left behind."""

import errno
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from some import rows
from trees import files_of, fill, snapshot

from kitgen.files import journal
from kitgen.files.edits import STARTED, change_files, recover_change
from kitgen.findings.errors import FindingsError, KitgenError
from kitgen.text.yaml.edits import set_value


def edit(root: Path, files: dict[str, str], gone: Iterable[str] = ()) -> None:
    """Change files as they are now."""
    wanted: dict[str, str | None] = {**files, **dict.fromkeys(gone)}
    read = {path: (root / path).read_text() for path in wanted if (root / path).is_file()}
    change_files(root, read, wanted)


def test_files_are_created_and_replaced_and_nothing_else(tmp_path: Path) -> None:
    fill(tmp_path, {"a.yaml": "old", "b.yaml": "b", "mine.txt": "mine"})
    edit(tmp_path, {"a.yaml": "new", "c/d.yaml": "d"})
    assert files_of(tmp_path) == {"a.yaml": "new", "b.yaml": "b", "c/d.yaml": "d", "mine.txt": "mine"}
    assert not list(tmp_path.glob(".*"))
    assert (tmp_path / "a.yaml").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("link", ["a", "a/b.yaml", ".kitgen"])
def test_no_symlink_is_followed(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "kit"
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    with pytest.raises(FindingsError) as caught:
        edit(root, {"a/b.yaml": "x"})
    assert [finding.rule.id for finding in caught.value.findings] == ["path-symlink"]
    assert not list(outside.iterdir())


def test_a_folder_behind_a_symlink_is_neither_written_nor_repaired(tmp_path: Path) -> None:
    real = tmp_path / "real"
    text = json.dumps({"write": ["a.yaml"], "delete": []})
    fill(real, {".kitgen/journal": text, ".kitgen/stage/0": "new"})
    (tmp_path / "kit").symlink_to(real)
    before = snapshot(real)
    recover_change(tmp_path / "kit")
    with pytest.raises(FindingsError) as caught:
        edit(tmp_path / "kit", {"a.yaml": "x"})
    assert [finding.rule.id for finding in caught.value.findings] == ["path-symlink"]
    assert snapshot(real) == before


@pytest.mark.parametrize("left", [(), ("lock",)])
def test_traces_of_a_kill_are_removed(tmp_path: Path, left: tuple[str, ...]) -> None:
    (tmp_path / ".kitgen").mkdir()
    fill(tmp_path / ".kitgen", dict.fromkeys(left, ""))
    recover_change(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_somebody_keeps_there_stays(tmp_path: Path) -> None:
    fill(tmp_path, {".kitgen/notes": "mine", ".kitgen/lock": ""})
    recover_change(tmp_path)
    assert sorted(path.name for path in (tmp_path / ".kitgen").iterdir()) == ["lock", "notes"]


def killed_change(
    root: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], gone: tuple[str, ...] = ()
) -> None:
    """Leave what a change leaves that is killed once its journal stands."""

    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(journal, "finish_write", kill)
        edit(root, files, gone)


def test_what_was_edited_since_a_kill_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, {"a.yaml": "old"})
    for edit in ({"a.yaml": "edited"}, {"b.yaml": "made"}):
        killed_change(tmp_path, monkeypatch, {"a.yaml": "new", "b.yaml": "new"})
        fill(tmp_path, edit)
        with pytest.raises(KitgenError, match=f"'{next(iter(edit))}' was changed since"):
            recover_change(tmp_path)
        assert files_of(tmp_path) == {"a.yaml": "old", **edit}
        (tmp_path / ".kitgen/journal").unlink()
        recover_change(tmp_path)
        assert files_of(tmp_path) == {"a.yaml": "old", **edit}
        (tmp_path / "a.yaml").write_text("old")
        (tmp_path / "b.yaml").unlink(missing_ok=True)
    killed_change(tmp_path, monkeypatch, {"a.yaml": "new", "b.yaml": "new"})
    recover_change(tmp_path)
    assert files_of(tmp_path) == {"a.yaml": "new", "b.yaml": "new"}


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".git/x.yaml", "Makefile", "../x.yaml"])
def test_a_journal_of_others_writes_no_programs(tmp_path: Path, path: str) -> None:
    root = tmp_path / "kit"
    text = json.dumps({"write": [path], "delete": []})
    fill(root, {".kitgen/journal": text, ".kitgen/stage/0": "bad"})
    with pytest.raises(KitgenError):
        recover_change(root)
    assert not (root / path).exists()


@pytest.mark.parametrize("path", sorted(STARTED))
def test_what_a_new_kit_starts_with_is_for_new_kits_alone(tmp_path: Path, path: str) -> None:
    text = json.dumps({"write": [path], "delete": []})
    fill(tmp_path, {"kit.yaml": "kit: theirs", ".kitgen/journal": text, ".kitgen/stage/0": "bad"})
    with pytest.raises(KitgenError):
        recover_change(tmp_path)
    assert not (tmp_path / path).exists()
    fill(tmp_path / "used", {path: "mine"})
    with pytest.raises(KitgenError):
        edit(tmp_path / "used", {path: "new"})
    with pytest.raises(KitgenError):
        edit(tmp_path / "used", {}, [path])
    assert files_of(tmp_path / "used") == {path: "mine"}


def test_a_journal_of_others_deletes_nothing(tmp_path: Path) -> None:
    text = json.dumps({"write": [], "delete": ["a.yaml"]})
    fill(tmp_path, {".kitgen/journal": text, "a.yaml": "mine"})
    with pytest.raises(KitgenError):
        recover_change(tmp_path)
    assert (tmp_path / "a.yaml").exists()


def test_files_are_removed_with_their_folders_and_nothing_else(tmp_path: Path) -> None:
    fill(tmp_path, {"a/b/c.yaml": "c", "a/b/d.yaml": "d", "a/e.yaml": "e", "f.yaml": "f"})
    edit(tmp_path, {"f.yaml": "new"}, ["a/b/c.yaml", "a/b/d.yaml", "never/was.yaml"])
    assert files_of(tmp_path) == {"a/e.yaml": "e", "f.yaml": "new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "f.yaml"]
    assert not (tmp_path / "a/b").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [("read", "new"), ("read", None), (None, "new"), ("theirs ", "new"), ("read", "read")],
)
def test_what_somebody_changed_meanwhile_stops_all(
    tmp_path: Path, before: str | None, after: str | None
) -> None:
    fill(tmp_path, {"a/b.yaml": "theirs", "c.yaml": "c"})
    with pytest.raises(KitgenError, match=r"a/b.yaml was changed meanwhile"):
        read = {"c.yaml": "c", **({"a/b.yaml": before} if before else {})}
        change_files(tmp_path, read, {"c.yaml": "new", "a/b.yaml": after})
    assert files_of(tmp_path) == {"a/b.yaml": "theirs", "c.yaml": "c"}
    assert not list(tmp_path.glob(".*"))


def test_what_somebody_removed_meanwhile_stops_all(tmp_path: Path) -> None:
    with pytest.raises(KitgenError, match=r"a.yaml was changed meanwhile"):
        change_files(tmp_path, {"a.yaml": "read"}, {"a.yaml": "new"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("new", ["new", "b"])
@pytest.mark.parametrize("moment", ["_stage_files", "_require_write_access", "write_journal"])
def test_what_changes_while_a_change_is_prepared_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, new: str
) -> None:
    """A file that is only read counts too: what is written goes by it."""
    apply = sys.modules["kitgen.files.apply"]  # in the package, the function has this name
    module = journal if moment == "write_journal" else apply
    function = getattr(module, moment)

    def edited(*args: object) -> None:
        function(*args)
        fill(tmp_path, {"b.yaml": "theirs"})

    monkeypatch.setattr(module, moment, edited)
    fill(tmp_path, {"a.yaml": "a", "b.yaml": "b"})
    with pytest.raises(KitgenError, match=r"b.yaml was changed meanwhile"):
        change_files(
            tmp_path, {"a.yaml": "a", "b.yaml": "b"}, {"a.yaml": None, "b.yaml": new, "c/d.yaml": "d"}
        )
    assert files_of(tmp_path) == {"a.yaml": "a", "b.yaml": "theirs"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.yaml", "b.yaml"]


def test_a_change_that_fails_once_its_journal_stands_is_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = journal.write_journal

    def interrupted(*args: object) -> None:
        commit(*args)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(journal, "write_journal", interrupted)
    fill(tmp_path, {"a.yaml": "a"})
    with pytest.raises(KeyboardInterrupt):
        change_files(tmp_path, {"a.yaml": "a"}, {"a.yaml": "new", "c/d.yaml": "d"})
    assert files_of(tmp_path) == {"a.yaml": "a"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    """What only its owner reads may hold a secret."""
    fill(tmp_path, {"a.yaml": "old"})
    (tmp_path / "a.yaml").chmod(mode)
    edit(tmp_path, {"a.yaml": "new", "b.yaml": "new"})
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a.yaml", "b.yaml")] == [mode, 0o644]


@pytest.mark.parametrize("wanted", ["new", None])
@pytest.mark.parametrize("owner", ["file", "folder", "neither"])
def test_a_file_of_others_in_a_sticky_folder_stops_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: str, wanted: str | None
) -> None:
    fill(tmp_path, {"a.yaml": "old", "in/b.yaml": "old"})
    (tmp_path / "in").chmod(0o1777)
    lstat, me, other = Path.lstat, 1000, 1001
    owners = {tmp_path / "in": "folder", tmp_path / "in/b.yaml": "file"}

    def owned(path: Path) -> os.stat_result:
        found = list(lstat(path))
        found[4] = me if owners.get(path, owner) == owner else other
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", owned)
    monkeypatch.setattr(os, "geteuid", lambda: me)
    read, both = {"a.yaml": "old", "in/b.yaml": "old"}, {"a.yaml": "new", "in/b.yaml": wanted}
    if owner == "neither":
        with pytest.raises(KitgenError, match=r"in/b\.yaml operation not permitted"):
            change_files(tmp_path, read, both)
        assert files_of(tmp_path) == read
        assert not list(tmp_path.glob(".*"))
    else:
        change_files(tmp_path, read, both)
        assert files_of(tmp_path) == {path: text for path, text in both.items() if text}


@pytest.mark.parametrize("kept", [True, False])
def test_a_folder_of_others_in_a_sticky_one_is_not_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    read = {"in/v1/a.yaml": "old", "in/v1/crds/b.yaml": "old"}
    fill(tmp_path, read)
    (tmp_path / "in").chmod(0o1777)
    lstat, me, other = Path.lstat, 1000, 1001

    def owned(path: Path) -> os.stat_result:
        found = list(lstat(path))
        found[4] = other if path in (tmp_path / "in", tmp_path / "in/v1") else me
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", owned)
    monkeypatch.setattr(os, "geteuid", lambda: me)
    if kept:
        change_files(tmp_path, read, {"in/v1/crds/b.yaml": None})
        assert files_of(tmp_path) == {"in/v1/a.yaml": "old"}
        return
    with pytest.raises(KitgenError, match=r"in/v1 operation not permitted"):
        change_files(tmp_path, read, dict.fromkeys(read))
    assert files_of(tmp_path) == read
    assert not list(tmp_path.glob(".*"))


def test_a_file_that_is_read_only_stops_all(tmp_path: Path) -> None:
    read = {"a.yaml": "old", "b.yaml": "old"}
    fill(tmp_path, read)
    (tmp_path / "b.yaml").chmod(0o444)
    with pytest.raises(KitgenError, match=r"b\.yaml: it is read-only") as error:
        change_files(tmp_path, read, {"a.yaml": "new", "b.yaml": "new"})
    assert error.value.hint == "chmod u+w b.yaml"
    assert files_of(tmp_path) == read
    change_files(tmp_path, read, {"a.yaml": "new", "b.yaml": "old"})  # which stays as it is
    assert files_of(tmp_path) == {"a.yaml": "new", "b.yaml": "old"}


def test_a_folder_that_cannot_be_removed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remove = os.rmdir

    def busy(name: str, **options: int) -> None:
        if name == "b":
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        remove(name, **options)

    monkeypatch.setattr(os, "rmdir", busy)
    fill(tmp_path, {"a/b/c.yaml": "c"})
    told = r"removed all files of .*a/b, but cannot remove the folder: device or resource busy"
    with pytest.raises(KitgenError, match=told):
        edit(tmp_path, {}, ["a/b/c.yaml"])
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("path", [".git/x.yaml", "Makefile", "../x.yaml"])
def test_only_specs_are_removed(tmp_path: Path, path: str) -> None:
    root = tmp_path / "kit"
    fill(root, {"a.yaml": "a"})
    fill(tmp_path, {"x.yaml": "x"})
    with pytest.raises(KitgenError):
        edit(root, {}, ["a.yaml", path])
    assert files_of(root) == {"a.yaml": "a"}
    assert (tmp_path / "x.yaml").exists()


def test_no_symlink_is_followed_to_what_goes(tmp_path: Path) -> None:
    fill(tmp_path, {"outside/b.yaml": "b", "kit/c.yaml": "c"})
    (tmp_path / "kit/a").symlink_to(tmp_path / "outside")
    with pytest.raises(FindingsError) as caught:
        edit(tmp_path / "kit", {}, ["a/b.yaml", "c.yaml"])
    assert [finding.rule.id for finding in caught.value.findings] == ["path-symlink"]
    assert files_of(tmp_path / "outside") == {"b.yaml": "b"}
    assert (tmp_path / "kit/c.yaml").exists()


def test_what_was_edited_since_a_kill_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, {"a/b.yaml": "old", "a/c.yaml": "old"})
    killed_change(tmp_path, monkeypatch, {}, ("a/b.yaml", "a/c.yaml"))
    fill(tmp_path, {"a/c.yaml": "edited"})
    with pytest.raises(KitgenError, match=r"'a/c.yaml' was changed since"):
        recover_change(tmp_path)
    assert files_of(tmp_path) == {"a/b.yaml": "old", "a/c.yaml": "edited"}
    fill(tmp_path, {"a/c.yaml": "old"})
    recover_change(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "before", [{}, {"a.yaml": ""}, {"a.yaml": 64 * "0"}, {"a.yaml": None}, {"a.yaml": []}]
)
def test_a_journal_that_does_not_know_a_file_removes_nothing(
    tmp_path: Path, before: dict[str, object]
) -> None:
    text = json.dumps({"write": [], "delete": ["a.yaml"], "before": before})
    fill(tmp_path, {".kitgen/journal": text, "a.yaml": "mine"})
    with pytest.raises(KitgenError):
        recover_change(tmp_path)
    assert (tmp_path / "a.yaml").read_text() == "mine"


@rows(
    ("text", "want"),
    [
        ("a: 1\nkey: old # why\nb: 2\n", "a: 1\nkey: new # why\nb: 2\n"),
        ("# head\na: 1\nb: 2\n", "# head\na: 1\nkey: new\nb: 2\n"),
        ("key: new # as it is\n", "key: new # as it is\n"),
        ("{key: old, a: 1} # on one line\n", "{key: new, a: 1} # on one line\n"),
        ("key: >-\n  old\n  text\na: 1\n", "key: new\na: 1\n"),
        ("key: 'old' # quoted\n", "key: 'new' # quoted\n"),
    ],
)
def test_a_value_is_set_and_the_rest_stays(text: str, want: str) -> None:
    assert set_value(text, "key", "new", below="a") == want


def test_a_text_that_would_be_a_number_is_quoted() -> None:
    assert set_value("key: v1 # minor\n", "key", "1.30") == 'key: "1.30" # minor\n'
    assert set_value("key: '1.29' # minor\n", "key", "1.30") == "key: '1.30' # minor\n"


def test_a_value_goes_into_a_text_that_not_every_reader_takes() -> None:
    assert set_value("a: 1\nb\tc: 2\n", "key", "new", below="a") == "a: 1\nkey: new\nb\tc: 2\n"


def test_a_layout_that_cannot_be_kept_is_told() -> None:
    with pytest.raises(KitgenError, match="cannot put 'key' into a text of so unusual a layout"):
        set_value("a: 1\nb\tc: 2\n", "key", "new", below="missing")
