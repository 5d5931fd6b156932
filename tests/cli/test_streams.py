"""Standard streams in every state: a line and an exit code, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import kits
import pytest
from small_crd import crd, version
from some import first

CRD = json.dumps(crd(version()))

KITGEN = f"{sys.executable} -m kitgen"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kits.write(kits.make_kit(tmp_path_factory.mktemp("streams")), {"crd.yaml": CRD})


def shell(command: str, folder: Path, **env: str) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **env},
        capture_output=True,
        check=False,
    )
    text = (done.stdout + done.stderr).decode(errors="backslashreplace")
    assert "Traceback" not in text
    assert "Exception ignored" not in text
    return done.returncode, text


@pytest.mark.parametrize(
    "command", first(["build odh", "check --output json", "list", "crd outline crd.yaml"])
)
@pytest.mark.parametrize(
    ("stream", "reason"), [("> /dev/full", "No space left on device"), (">&-", "standard output is closed")]
)
def test_output_that_nobody_takes(command: str, stream: str, reason: str, root: Path) -> None:
    code, text = shell(f"{KITGEN} {command} {stream}", root)
    assert code == 3
    assert text == f"error: cannot write: {reason}\n"


def test_closed_streams_that_nobody_needs(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert shell(f"{KITGEN} render --no-cache --out {out} <&- >&- 2>&-", root)[0] == 0
    assert (out / "odh/kustomization.yaml").read_text().startswith("#")
    assert shell(f"{KITGEN} build nosuch 2>&-", root) == (2, "")


def test_closed_input(root: Path) -> None:
    assert shell(f"{KITGEN} check - <&-", root) == (3, "error: cannot read -: standard input is closed\n")


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kit = kits.make_kit(tmp_path_factory.mktemp("broken"))
    return kits.write(kit, {"targets/odh.yaml": "target: odh\n"})


@pytest.mark.parametrize("reader", first(["true", "head -1"]))
def test_a_reader_who_leaves_changes_nothing(reader: str, root: Path, broken: Path) -> None:
    for command, folder, code in (
        ("build odh", root, 0),
        ("check", root, 0),
        ("check", broken, 1),
        ("check --output json", broken, 1),
        ("build odh 2>&1", broken, 1),
        ("nosuch 2>&1", root, 2),
    ):
        pipe = f"set -o pipefail; {KITGEN} {command} | {reader} > /dev/null"
        assert shell(pipe, folder)[0] == code, command


def test_the_summary_comes_last(broken: Path) -> None:
    assert shell(f"{KITGEN} check 2>&1 | cat", broken)[1].splitlines()[-1] == "1 error in 1 file"


def test_messages_that_nobody_takes_change_nothing(root: Path, broken: Path) -> None:
    assert shell(f"{KITGEN} nosuch 2> /dev/full", root) == (2, "")
    assert shell(f"{KITGEN} build odh 2> /dev/full", broken) == (1, "")
    assert shell(f"{KITGEN} check > /dev/full 2> /dev/full", broken) == (3, "")


@pytest.mark.exhaustive
def test_a_pipe_that_does_not_wait(root: Path) -> None:
    plain = subprocess.run([*KITGEN.split(), "schema", "component"], capture_output=True, check=True)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    script = f"for i in 1 2 3; do {KITGEN} schema component; done"
    with subprocess.Popen(
        ["bash", "-c", script], cwd=root, stdout=writing, stderr=subprocess.PIPE
    ) as process:
        os.close(writing)
        time.sleep(1.5)  # more than a pipe holds has been written by now
        with os.fdopen(reading, "rb") as pipe:
            assert pipe.read() == plain.stdout * 3
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("moment", first(sorted(range(8), key=lambda moment: moment % 4 != 1), 2))
def test_an_interrupt_says_nothing(root: Path, moment: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(moment=moment)], cwd=root, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode in (130, -2)


INTERRUPTED = """
import builtins, os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests run in the background
known, left = builtins.__import__, {moment} * 40
def importing(name, *rest, **more):
    global left
    left -= name.startswith("kitgen") or left > 0
    if left <= 0 and "kitgen.report.click_settings" in sys.modules:
        builtins.__import__ = known
        os.kill(os.getpid(), signal.SIGINT)
    return known(name, *rest, **more)
builtins.__import__ = importing
sys.argv = ["kitgen", "check"]
runpy.run_module("kitgen", run_name="__main__")
"""


@pytest.mark.parametrize("command", ["", "crd"])
def test_no_command_shows_the_help(command: str, root: Path) -> None:
    code, text = shell(f"{KITGEN} {command}", root)
    assert (code, text) == (2, shell(f"{KITGEN} {command} --help", root)[1])


def test_manifests_are_utf8_whatever_the_locale(root: Path, tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit")
    spec = kit / "components/hello/v1.0.0/component.yaml"
    text = (
        spec.read_text()
        + "objects:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: é}}\n"
    )
    spec.write_text(text, encoding="utf-8")
    plain = shell(f"{KITGEN} build odh > a.yaml", kit)
    for env in (
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
    ):
        assert shell(f"{KITGEN} build odh > b.yaml", kit, **env) == plain == (0, "")
        assert (kit / "b.yaml").read_bytes() == (kit / "a.yaml").read_bytes()
    assert "é" in (kit / "a.yaml").read_text(encoding="utf-8")


def test_a_terminal_that_lacks_a_character_still_gets_the_message(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit")
    (kit / "targets/odh.yaml").write_text("target: odh\nrelease: é\n", encoding="utf-8")
    script = f"script -qec '{KITGEN} check' /dev/null"
    code, text = shell(script, kit, PYTHONIOENCODING="ascii", TERM="dumb")
    assert code == 1
    assert "\\xe9" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [("-- --", "no command"), ("nosuch", "no command 'nosuch'"), ("--nosuch", "--nosuch")],
)
def test_no_such_command(arguments: str, message: str, root: Path) -> None:
    code, text = shell(f"{KITGEN} {arguments}", root)
    assert code == 2
    assert message in text


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    code, text = shell(f"mkdir {gone}; cd {gone}; rmdir {gone}; {KITGEN} list", tmp_path)
    assert code == 3
    assert text == "error: the current folder is gone (hint: change to another one)\n"


HINT = "hint: this is a fault of kitgen; KITGEN_DEBUG=1 shows where"
BROKEN = """
import sys
import kitgen.app.commands.list as module
from kitgen.__main__ import main
def broken(*_, **__): raise {error}
module.list_.callback = broken
sys.argv = ["kitgen", "list"]
main()
"""


@pytest.mark.parametrize(
    ("error", "message"),
    first(
        [
            (
                "KeyError('x')",
                "kitgen failed: KeyError: 'x' (hint: this is a fault of kitgen; KITGEN_DEBUG=1 shows where)",
            ),
            ("RecursionError()", "the input is nested too deeply"),
            ("MemoryError()", "the input takes more memory than there is"),
            ("OSError(5, 'Input/output error', 'f')", "f: Input/output error"),
        ],
        2,
    ),
)
def test_what_nobody_foresaw_is_a_line(error: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(BROKEN.format(error=error))
    assert shell(f"{sys.executable} run.py", tmp_path) == (3, f"error: {message}\n")
    debug = subprocess.run(
        [sys.executable, "run.py"], cwd=tmp_path, env={"KITGEN_DEBUG": "1"}, capture_output=True, check=False
    )
    assert b"Traceback" in debug.stderr
    assert debug.returncode == 1
