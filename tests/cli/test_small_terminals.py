"""Terminals that lack characters: what was written stays written, and the command says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import kits
import pytest
from running import run
from small_crd import STRING, crd, obj, version

CRD = json.dumps(crd(version(spec=obj({"é中": STRING}))), ensure_ascii=False)

POSIX = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def on_a_terminal(*args: object, env: dict[str, str], folder: Path) -> tuple[int, str]:
    """Run a command whose output is a terminal."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "kitgen", *map(str, args)]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env={**os.environ, **env}
    ) as running:
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 65536):
                parts.append(part)
        except OSError:  # all of it was read
            pass
        os.close(ours)
    return running.returncode, b"".join(parts).decode(errors="replace")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "env", [POSIX, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1:strict"}]
)
def test_commands_that_write(tmp_path: Path, env: dict[str, str]) -> None:
    kit = kits.make_kit(tmp_path / "é中")
    (tmp_path / "crd.yaml").write_text(CRD, encoding="utf-8")
    new = ("--component", "new", "--version", "v1.0.0")
    for args, made in (
        (("crd", "import", tmp_path / "crd.yaml", *new), kit / "components/new/v1.0.0/crds/widgets.yaml"),
        (("render",), kit / "overlays/.kitgen/files"),
        (("export", "odh", tmp_path / "ü中"), tmp_path / "ü中/.kitgen/files"),
        (("init", tmp_path / "ö中"), tmp_path / "ö中/kit.yaml"),
        (("crd", "outline", tmp_path / "crd.yaml"), kit),
    ):
        code, text = on_a_terminal(*args, env=env, folder=kit)
        assert (code, "Traceback" in text, "fault of" in text) == (0, False, False), text
        assert made.exists()


def test_a_kit_in_a_folder_that_is_no_utf8(tmp_path: Path) -> None:
    root = kits.make_kit(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")))
    for _ in range(2):
        result = run("render", "--root", root)
        assert (result.code, result.err.isascii()) == (0, True), result
    for args in (
        ("check",),
        ("list",),
        ("build", "odh"),
        ("export", "odh", root / "out"),
        ("render", "--check"),
    ):
        assert run(*args, "--root", root).code == 0
    assert "\\udcff" in run("check", "-o", "lines", "--root", root / "none").err
