"""Single files: each is written at once, by nobody else's file, and never over an edit."""

from __future__ import annotations

import errno
import fcntl
import io
import os
from pathlib import Path

import pytest
from trees import files_of, fill

from kitgen.files.atomic import edit_files, replace_file, write_private_file
from kitgen.files.spool import save_private_copy
from kitgen.findings.errors import KitgenError, UsageError

LEFT = ".kitgen-0123456789abcdef0123456789abcdef"


def test_neighbours_stay(tmp_path: Path) -> None:
    theirs = {"a.new": "mine", ".a.txt.kitgen": "mine", "a.txt.new": "mine", ".kitgen-notes": "mine"}
    fill(tmp_path, {"a.txt": "old", **theirs})
    replace_file(tmp_path / "a.txt", b"new")
    edit_files({tmp_path / "a.txt": "new"}, {tmp_path / "a.txt": "newer", tmp_path / "in/b.sh": "b"})
    assert files_of(tmp_path) == {"a.txt": "newer", "in/b.sh": "b", **theirs}


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    fill(tmp_path, {LEFT: "half"})
    (tmp_path / LEFT.replace("0", "1")).symlink_to("elsewhere")
    replace_file(tmp_path / "a.txt", b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [LEFT.replace("0", "1"), "a.txt"]


def test_what_another_run_still_writes_stays(tmp_path: Path) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            replace_file(tmp_path / "other.txt", b"other")  # while the copy waits for its place
            return super().read(size)

    save_private_copy(Slow(b"all"), tmp_path / "copy")
    assert files_of(tmp_path) == {"copy": "all", "other.txt": "other"}


def refuse(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Let the disk be full for a call of the system, but for files that are there already."""
    function = getattr(os, call)

    def full(*args: object, **options: object) -> object:
        if call != "open" or str(args[0]).startswith(".kitgen-"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return function(*args, **options)

    monkeypatch.setattr(os, call, full)


@pytest.mark.parametrize("call", ["write", "fsync", "rename", "open"])
def test_nothing_is_left_of_a_write_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    fill(tmp_path, {"a.txt": "old"})
    refuse(monkeypatch, call)
    with pytest.raises(OSError, match="No space left"):
        edit_files({tmp_path / "a.txt": "old"}, {tmp_path / "a.txt": "new"})
    if call != "rename":
        with pytest.raises(KitgenError, match="No space left"):
            save_private_copy(io.BytesIO(b"all"), tmp_path / "copy")
        with pytest.raises(OSError, match="No space left"):
            edit_files({}, {tmp_path / "new/in/b.sh": "new"})
    if call != "fsync":
        with pytest.raises(OSError, match="No space left"):
            replace_file(tmp_path / "new/in/c.txt", b"new")
    assert files_of(tmp_path) == {"a.txt": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_system_without_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "link")
    save_private_copy(io.BytesIO(b"all"), tmp_path / "copy")
    assert files_of(tmp_path) == {"copy": "all"}
    with pytest.raises(KitgenError, match="was changed meanwhile"):
        write_private_file(tmp_path / "copy", [b"other"])
    assert files_of(tmp_path) == {"copy": "all"}


def test_an_edit_keeps_mode_and_links(tmp_path: Path) -> None:
    fill(tmp_path, {"in/a.txt": "old"})
    (tmp_path / "in/a.txt").chmod(0o640)
    (tmp_path / "a.txt").symlink_to("in/a.txt")
    edit_files({tmp_path / "a.txt": "old"}, {tmp_path / "a.txt": "new"})
    assert (tmp_path / "a.txt").is_symlink()
    assert (tmp_path / "in/a.txt").read_text() == "new"
    assert (tmp_path / "in/a.txt").stat().st_mode & 0o777 == 0o640


def test_a_file_that_has_two_names_is_written_once(tmp_path: Path) -> None:
    fill(tmp_path, {"in/a.txt": "old", "b.txt": "old"})
    (tmp_path / "a.txt").symlink_to("in/a.txt")
    (tmp_path / "c.txt").hardlink_to(tmp_path / "b.txt")
    paths = [tmp_path / name for name in ("a.txt", "in/a.txt", "in/../in/a.txt", "b.txt", "c.txt")]
    edit_files(dict.fromkeys(paths, "old"), dict.fromkeys(paths, "new"))
    assert [path.read_text() for path in paths] == ["new"] * len(paths)
    assert (tmp_path / "a.txt").is_symlink()


def test_a_file_system_without_locks_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    fill(tmp_path, {"a.txt": "old"})
    edit_files({tmp_path / "a.txt": "old"}, {tmp_path / "a.txt": "new"})
    assert files_of(tmp_path) == {"a.txt": "new"}


@pytest.mark.parametrize(("before", "there"), [("read", "theirs"), ("read", None), (None, "theirs")])
def test_no_edit_is_lost(tmp_path: Path, before: str | None, there: str | None) -> None:
    files = {"a.txt": "a", **({"b.txt": there} if there else {})}
    fill(tmp_path, files)
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    with pytest.raises((KitgenError, FileNotFoundError)):
        edit_files({a: "a", **({b: before} if before else {})}, {a: "new", b: "new"})
    assert files_of(tmp_path) == files


def test_a_backup_that_is_there_already_counts(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    save_private_copy(io.BytesIO(b"all"), copy)
    assert (copy.read_bytes(), copy.stat().st_mode & 0o777) == (b"all", 0o600)
    save_private_copy(io.BytesIO(b"all"), copy)
    for other in (b"", b"al", b"alL", b"all "):
        copy.write_bytes(other)
        with pytest.raises(UsageError, match="is there already"):
            save_private_copy(io.BytesIO(b"all"), copy)
        assert copy.read_bytes() == other
    copy.unlink()
    copy.symlink_to("nowhere")
    with pytest.raises(UsageError, match="is there already"):
        save_private_copy(io.BytesIO(b"all"), copy)
