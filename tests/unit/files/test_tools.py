"""Programs are run in one place, and their absence is told in one line."""

import sys
import time
from pathlib import Path

import pytest
from some import rows

from kitgen.files import programs
from kitgen.findings.errors import ExitCode, KitgenError


def test_run() -> None:
    code = "import sys; print(sys.stdin.read().upper()); print('first\\nlast', file=sys.stderr); sys.exit(3)"
    result = programs.run_program([sys.executable, "-c", code], input="é")
    assert (result.code, result.is_successful, result.stdout, result.error_message) == (
        3,
        False,
        "É\n",
        "last",
    )


def test_run_without_input_and_in_a_folder(tmp_path: Path) -> None:
    code = "import os, sys; print(repr(sys.stdin.read()), os.getcwd())"
    result = programs.run_program([sys.executable, "-c", code], cwd=tmp_path)
    assert result.is_successful
    assert result.stdout == f"'' {tmp_path}\n"
    assert result.error_message == "exit code 0"


def test_advice_behind_the_reason_is_left_out() -> None:
    said = (
        "fatal: not a git repository (or any parent up to mount point /a)\nStopping at filesystem boundary.\n"
    )
    result = programs.ProgramResult(code=128, out=b"", stderr=said)
    assert result.error_message == "fatal: not a git repository (or any parent up to mount point /a)"


def test_where_something_is_in_memory_is_left_out() -> None:
    result = programs.ProgramResult(
        code=1, out=b"", stderr="error: merging from generator &{0xc000ffe410 <nil>}: no\n"
    )
    assert result.error_message == "merging from generator &{0x… <nil>}: no"


def test_a_program_works_while_something_else_is_done(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with programs.start_program(
        [sys.executable, "-c", "open('made', 'w'); print('x' * 1_000_000)"], cwd=tmp_path
    ) as wait:
        while not made.exists():
            time.sleep(0.01)
        assert len(wait().out) == 1_000_001


def test_a_program_that_nobody_waits_for_is_ended(tmp_path: Path) -> None:
    code = "import time; open('begun', 'w'); time.sleep(1); open('done', 'w')"
    with (
        pytest.raises(ValueError, match="enough"),
        programs.start_program([sys.executable, "-c", code], cwd=tmp_path),
    ):
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        raise ValueError("enough")
    time.sleep(1.5)
    assert not (tmp_path / "done").exists()


@rows(
    ("argv", "message"),
    [
        (["kitgen-no-such-program"], "cannot run 'kitgen-no-such-program': no such program"),
        (["/"], "cannot run '/': Permission denied"),
        (["a\0b"], r"cannot run .*null byte"),
    ],
)
def test_program_that_cannot_start(argv: list[str], message: str) -> None:
    with pytest.raises(KitgenError, match=message) as caught:
        programs.run_program(argv)
    assert caught.value.exit_code is ExitCode.ENVIRONMENT
    assert caught.value.hint


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(KitgenError, match="no such folder"):
        programs.run_program([sys.executable, "-c", ""], cwd=tmp_path / "none")


def test_slow_program_is_ended_with_its_children() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    start = time.monotonic()
    with pytest.raises(KitgenError, match=r"took longer than 0.3 seconds"):
        programs.run_program([sys.executable, "-c", code], timeout=0.3)
    assert time.monotonic() - start < 30


@rows("stream", [1, 2])
def test_a_program_that_never_stops_writing_is_ended(stream: int) -> None:
    code = f"import os\nwhile True: os.write({stream}, b'x' * 65536)"
    start = time.monotonic()
    with pytest.raises(KitgenError, match=r"wrote more than 64 MiB, expected at most that") as caught:
        programs.run_program([sys.executable, "-c", code])
    assert (caught.value.exit_code, bool(caught.value.hint)) == (ExitCode.ENVIRONMENT, True)
    assert time.monotonic() - start < 30


def test_a_program_that_only_closes_its_streams_is_ended() -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(60)"
    with pytest.raises(KitgenError, match=r"took longer than 0.5 seconds"):
        programs.run_program([sys.executable, "-c", code], timeout=0.5)


def test_a_program_may_leave_its_input_unread() -> None:
    assert programs.run_program([sys.executable, "-c", "print(1)"], input="x" * 1_000_000).stdout == "1\n"


def test_kustomize_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.find_kustomize() is None
    with pytest.raises(KitgenError, match="neither kustomize nor kubectl"):
        programs.require_kustomize()
    for name, command in (("kubectl", ["kubectl", "kustomize"]), ("kustomize", ["kustomize", "build"])):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert programs.find_kustomize() == programs.require_kustomize() == command
