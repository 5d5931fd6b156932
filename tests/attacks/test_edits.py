"""What somebody edits between the reading and the writing of a command is never lost."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from writers import WRITERS

EDITED = "# edited by somebody else\n"
SHARED = {name for name, each in WRITERS.items() if not each.generated}
"""Commands that write what people write."""


def texts(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".kitgen" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def meanwhile(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Do something before a command makes the first change to the disk."""
    for module, name in (
        ("kitgen.files.edits", "prepare_folder"),
        ("kitgen.files.atomic", "_create_locked_file"),
    ):
        function = getattr(import_module(module), name)

        def first(*args: object, function: Callable[..., object] = function) -> object:
            nonlocal work
            work()
            work = lambda: None  # noqa: E731
            return function(*args)

        monkeypatch.setattr(import_module(module), name, first)


@pytest.mark.parametrize("name", sorted(SHARED))
def test_no_edit_is_lost(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, folder = WRITERS[name], tmp_path / "folder"
    writer.prepare(folder)
    old = texts(folder)
    assert writer.run(folder).code == 0
    new = texts(folder)
    path = next(path for path in sorted({*old, *new}) if old.get(path) != new.get(path))
    writer.prepare(folder)

    def edit() -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{old.get(path, '')}{EDITED}")

    meanwhile(monkeypatch, edit)
    done = writer.run(folder)
    assert done.code == 3
    assert f"{path} was changed meanwhile (hint: run the command again)\n" in done.err
    assert texts(folder) == {**old, path: f"{old.get(path, '')}{EDITED}"}


def test_what_a_change_goes_by_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, folder = WRITERS["retire"], tmp_path / "folder"
    writer.prepare(folder)
    target = folder / "kit/targets/odh.yaml"
    meanwhile(monkeypatch, lambda: target.write_text(f"{target.read_text()}{EDITED}"))
    done = writer.run(folder)
    assert (done.code, f"{target} was changed meanwhile" in done.err) == (3, True)
    assert (folder / "kit/components/hello/v0.9.0/component.yaml").exists()
