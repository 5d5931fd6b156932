"""No command writes through what somebody planted: links and pipes at every path that it writes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import kits
import pytest
from writers import WRITERS, Writer

from kitgen.check import engine

pytestmark = pytest.mark.exhaustive

CHANGES = {
    "os.mkdir": ((0, 2),),
    "os.rename": ((0, 2), (1, 3)),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.chmod": ((0, 2),),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, 0),),
}
"""Events, and which of their arguments are a path and the open folder that it starts from."""
LEFT_OUT = re.compile(r"/stage/[1-9]|(^|/)\.kitgen-[0-9a-f]{32}$")
"""What waits for its place, the first of which stands for the others, and names that nobody can foresee."""
seen: list[str] | None = None
way = ""
"""The folder that was opened last: only that of an open does the event not tell."""


def watch(event: str, args: tuple[object, ...]) -> None:
    """Note the paths that are written."""
    global way  # noqa: PLW0603 # as for what is seen
    if seen is None:
        return
    if event == "open" and isinstance(args[2], int):
        path = str(Path(way, os.fsdecode(str(args[0]))))
        if args[2] & os.O_DIRECTORY:
            way = path
        elif args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            seen.append(path)
    for path_at, folder_at in CHANGES.get(event, ()):
        folder = args[folder_at]
        start = (
            Path(f"/proc/self/fd/{folder}").readlink() if isinstance(folder, int) and folder >= 0 else Path()
        )
        seen.append(str(start / str(args[path_at])))


@cache
def start_watching() -> None:
    """Watch from now on: a hook stays for good, and tests that need none would pay for it."""
    sys.addaudithook(watch)


def stuck(*_: object) -> None:
    raise AssertionError("the command waits for a pipe")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do not wait for the disk, for checks that write nothing, nor for ever for a pipe."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(engine, "CHECKS", ())
    before = signal.signal(signal.SIGALRM, stuck)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def written(name: str, folder: Path) -> list[str]:
    """Return the paths that a command writes, relative to its folder."""
    global seen  # noqa: PLW0603 # a hook stays for good, so that it has to be told
    WRITERS[name].prepare(folder)
    start_watching()
    seen = []
    try:
        assert WRITERS[name].run(folder).code == 0
        found = seen
    finally:
        seen = None
    inside = {path.removeprefix(f"{folder}/") for path in found if path.startswith(f"{folder}/")}
    named = {"cache", *(["kit"] if name != "init" else [])}  # where these lead is for the caller to say
    return sorted(path for path in inside - named if not LEFT_OUT.search(path))


def to_a_file(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "file.yaml")


def to_a_folder(place: Path, outside: Path) -> None:
    kits.write(outside / "folder/.kitgen", {"files": "a.yaml\n", "stage/0": "x", "stage/folders": "empty\n"})
    (outside / "folder/empty").mkdir()
    place.symlink_to(outside / "folder")


def to_nothing(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "nothing")


def to_itself(place: Path, _: Path) -> None:
    place.symlink_to(place.name)


def pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


def moved_out(place: Path, outside: Path) -> None:
    """What was there is behind a link now."""
    shutil.move(outside.parent / "saved", outside / "moved")
    place.symlink_to(outside / "moved")


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return all there is in a folder, with modes and times."""
    return {
        str(path): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in [folder, *sorted(folder.rglob("*"))]
    }


PLANTS = (to_a_file, to_a_folder, to_nothing, to_itself, pipe, moved_out)


@pytest.fixture(scope="module", params=WRITERS)
def planned(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Writer, Path, list[str]]]:
    """Return a command, its folder and the paths that it writes, which are the same for all plants."""
    folder = tmp_path_factory.mktemp("writer") / "folder"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KITGEN_CACHE_DIR", str(folder / "cache"))
        yield WRITERS[request.param], folder, written(request.param, folder)


@pytest.mark.parametrize("plant", PLANTS)
def test_nothing_is_written_through_it(
    planned: tuple[Writer, Path, list[str]], plant: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    writer, folder, paths = planned
    outside = tmp_path / "outside"
    assert paths
    for path in paths:
        writer.prepare(folder)
        shutil.rmtree(outside, ignore_errors=True)
        kits.write(outside, {"file.yaml": "mine", "folder/mine.yaml": "mine"})
        place = folder / path
        there = os.path.lexists(place)
        if plant is moved_out and (not there or writer.follows):
            continue
        if there:
            shutil.move(place, tmp_path / "saved")
        place.parent.mkdir(parents=True, exist_ok=True)
        plant(place, outside)
        before = state(outside)
        signal.alarm(10)
        done = writer.run(folder)
        assert state(outside) == before, path
        told = done.err if writer.args else done.out  # pytest's own
        assert done.code == 0 or (told and "kitgen failed" not in told), path
        shutil.rmtree(tmp_path / "saved", ignore_errors=True)
        (tmp_path / "saved").unlink(missing_ok=True)
