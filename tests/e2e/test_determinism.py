"""The same specs give the same bytes, whatever the machine and the order in which it lists files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kits
import pytest
import routes
from msgspec.structs import replace
from running import run
from some import first

from kitgen.kit import spec_files
from kitgen.kit.load import load_kit
from kitgen.kit.model import Kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.render.outputs import render_output
from kitgen.text.yaml import Json
from kitgen.workspace.kit import OpenedKit

MACHINES = {
    "plain": ({"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"}, 0o022),
    "other": (
        {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Apia"},
        0o077,
    ),
}


def everything(kit: Kit, root: Path) -> dict[str, str]:
    """Return all that a kit renders: overlays, exports and snapshots."""
    opened = OpenedKit(root=root, kit=kit, texts={})
    files = dict(routes.kit("x", opened).tree)
    for name, target in kit.targets.items():
        plan = opened.plan(target)
        files |= {f"snapshots/{path}": text for path, text in render_output("snapshot", [plan]).items()}
        files |= {f"{name}/export/{path}": text for path, text in render_output("odh", [plan]).items()}
    return files


@contextmanager
def shuffled_machine(seed: int) -> Iterator[None]:
    """List folders and read the top of specs in another order."""
    dice = random.Random(seed)
    scandir, read = os.scandir, spec_files.read_yaml

    def listed(path: Any = ".") -> list[os.DirEntry[str]]:
        entries = list(scandir(path))
        dice.shuffle(entries)
        return entries

    def mixed(text: str, **more: Any) -> Json:
        data = read(text, **more)
        return dict(dice.sample(list(data.items()), len(data))) if isinstance(data, dict) else data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "scandir", listed)
        patch.setattr(spec_files, "read_yaml", mixed)
        yield


def mixed_kit(kit: Kit, seed: int) -> Kit:
    """Return the kit with every map of names in another order."""
    dice = random.Random(seed)

    def mixed(data: dict[str, Any]) -> dict[str, Any]:
        return dict(dice.sample(list(data.items()), len(data)))

    return replace(
        kit,
        components=mixed({name: mixed(versions) for name, versions in kit.components.items()}),
        targets=mixed(
            {name: replace(each, settings=mixed(each.settings)) for name, each in kit.targets.items()}
        ),
        releases=mixed(
            {name: replace(each, components=mixed(each.components)) for name, each in kit.releases.items()}
        ),
    )


@pytest.mark.parametrize("seed", first([1, 2]))
def test_order_of_input_does_not_show(opened: OpenedKit, seed: int) -> None:
    want = everything(opened.kit, opened.root)
    with shuffled_machine(seed):
        kit = load_kit(SpecFiles(opened.root))
    got = everything(mixed_kit(kit, seed), opened.root)
    assert [path for path in want.keys() | got.keys() if want.get(path) != got.get(path)] == []


def test_findings_come_in_one_order(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "invalid" / "objects-wrong")
    want = run("check", "-o", "lines", "--root", root).out
    with shuffled_machine(3):
        assert run("check", "-o", "lines", "--root", root).out == want


@pytest.mark.parametrize(
    "kit", [kits.CASES / "kit", pytest.param(kits.PROJECT, marks=pytest.mark.exhaustive)]
)
def test_the_machine_does_not_show(tmp_path: Path, kit: Path) -> None:
    found = {}
    for name, (settings, umask) in MACHINES.items():
        out = tmp_path / name
        command = [sys.executable, "-m", "kitgen", "render", "--root", str(kit), "--out", str(out)]
        environment = {**os.environ, **settings, "KITGEN_CACHE_DIR": str(tmp_path / "cache")}
        result = subprocess.run(
            command, env=environment, umask=umask, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        found[name] = {
            path.relative_to(out).as_posix(): (path.read_bytes(), path.stat().st_mode)
            for path in out.rglob("*")
            if path.is_file() and path.name != "lock"
        }
    plain, other = found.values()
    assert [path for path in plain.keys() | other.keys() if plain.get(path) != other.get(path)] == []


def test_rendering_twice_changes_nothing(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    run("render", "--root", root)
    before = kits.contents(root)
    folders = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_dir()}
    assert run("render", "--root", root, "--no-cache").code == 0
    assert kits.contents(root) == before
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_dir()} == folders


def test_the_committed_overlays_are_current() -> None:
    result = run("render", "--check", "--root", kits.PROJECT)
    assert (result.code, result.out) == (0, ""), result.out + result.err
