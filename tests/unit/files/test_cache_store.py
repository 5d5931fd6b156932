"""The cache gives back what was kept, whole, and nothing that anybody else may have written."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.files import cache_store
from kitgen.files.cache_store import CacheStore, open_cache

KEY = "a" * 40


@pytest.fixture
def store(tmp_path: Path) -> CacheStore:
    return CacheStore(str(tmp_path / "cache/kitgen"))


def entry(store: CacheStore) -> Path:
    (path,) = Path(store.folder).iterdir()
    return path


@given(content=st.binary(max_size=2000), key=st.text("0123456789abcdef", min_size=40, max_size=40))
def test_what_was_kept_is_given_back(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, key: str
) -> None:
    store = CacheStore(str(tmp_path_factory.mktemp("cache")))
    assert store.read(key) is None
    store.write(key, content)
    assert store.read(key) == content
    assert store.measure().entries == 1
    assert store.clear().entries == 1
    assert store.read(key) is None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def rename(path: Path) -> None:
    other = path.with_name(f"{'b' * 40}.entry")
    CacheStore(str(path.parent)).write("b" * 40, b"of another key")
    other.replace(path)


@pytest.mark.parametrize("damage", [cut, change, empty, open_to_others, link, make_folder, pipe, rename])
def test_a_damaged_or_planted_entry_counts_for_nothing(
    store: CacheStore, damage: Callable[[Path], None]
) -> None:
    store.write(KEY, b"content")
    damage(entry(store))
    assert store.read(KEY) is None
    store.clear()


def test_only_the_user_can_read_it(store: CacheStore) -> None:
    store.write(KEY, b"content")
    assert entry(store).stat().st_mode & 0o777 == 0o600
    assert Path(store.folder).stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path))
    assert open_cache("/kit") == CacheStore(str(tmp_path / "kitgen"))
    (tmp_path / "kitgen").mkdir()
    for mode in (0o777, 0o770, 0o702):
        (tmp_path / "kitgen").chmod(mode)
        assert open_cache("/kit") is None
    (tmp_path / "kitgen").chmod(0o755)
    assert open_cache("/kit") is not None
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert open_cache("/kit") is None


@pytest.mark.parametrize("call", ["open", "write", "rename", "makedirs"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_is_full_or_read_only_is_no_error(store: CacheStore, call: str, number: int) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with patch.object(cache_store.os, call, fail):
        store.write(KEY, b"content")
    assert store.read(KEY) is None
    assert not [path for path in Path(store.folder).rglob("*") if path.is_file()]


def test_it_stays_within_its_bounds(store: CacheStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_store, "MOST_ENTRIES", 3)
    for number in range(6):
        store.write(f"{number:040x}", b"content")
        os.utime(store._path(f"{number:040x}"), (time.time() - 100 + number,) * 2)
    store.remove_old()
    assert [store.read(f"{number:040x}") is not None for number in range(6)] == [False] * 3 + [True] * 3
    monkeypatch.setattr(cache_store, "MOST_BYTES", 1)
    store.remove_old()
    assert store.measure().entries == 0


def test_what_nobody_asks_for_goes_and_what_somebody_uses_stays(store: CacheStore) -> None:
    long_ago = time.time() - 31 * cache_store.DAY
    for key in (KEY, "b" * 40):
        store.write(key, b"content")
        os.utime(store._path(key), (long_ago, long_ago))
    assert store.read(KEY) == b"content"
    store.remove_old()
    assert store.read(KEY) == b"content"
    assert store.read("b" * 40) is None


def test_it_is_never_inside_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repository/.git").mkdir(parents=True)
    kit = tmp_path / "repository/kit"
    kit.mkdir()
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "repository/cache"))
    assert open_cache(str(kit)) is None
    (tmp_path / "link").symlink_to(tmp_path / "repository")
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "link/cache"))
    assert open_cache(str(kit)) is None
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))
    assert open_cache(str(kit)) == CacheStore(str(tmp_path / "cache/kitgen"))
    monkeypatch.delenv("KITGEN_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert open_cache(str(kit)) == CacheStore(str(tmp_path / "xdg/kitgen"))
