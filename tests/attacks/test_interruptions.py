"""Writing commands by interruptions: a kill, a full disk, an edit or a command of somebody else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from at_once import LINES
from writers import WRITERS

pytestmark = pytest.mark.exhaustive

INTERRUPTIONS = {"killed": {"old", "new"}, "filled": {"old", "new"}, "edited": {"kept"}}
"""What is done to a command, and what may come of it."""
PARTS = 4
"""In how many processes commands are interrupted."""


def results_of(program: str, *args: object) -> Any:
    """Run a program that interrupts at every step."""
    argv = [sys.executable, Path(__file__).with_name(program), *args]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("half", [0, 1])
def test_two_commands_at_once(tmp_path: Path, half: int) -> None:
    for name, results in results_of("at_once.py", tmp_path, *[*LINES][half::2]).items():
        assert set(results) <= {"serial", "refused"}, name
        assert "serial" in results, name


def test_kill_a_write_at_every_step(tmp_path: Path) -> None:
    results = results_of("kill_writes.py", tmp_path)
    assert set(results) == {"old", "new"}
    assert len(results) > 100


@pytest.mark.parametrize("part", range(PARTS))
def test_interrupt_commands_at_every_step(tmp_path: Path, part: int) -> None:
    for name, results in results_of("interrupt.py", tmp_path, *[*WRITERS][part::PARTS]).items():
        for how, found in results.items():
            assert found, (name, how)
            assert set(found) <= INTERRUPTIONS[how], (name, how)
