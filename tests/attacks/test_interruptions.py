"""Writing commands by interruptions: a kill, a full disk, an edit or a command of somebody else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from at_once import LINES
from writers import WRITERS

pytestmark = pytest.mark.exhaustive

INTERRUPTIONS = {"killed": {"old", "new"}, "filled": {"old", "new"}, "edited": {"kept"}}
"""What is done to a command, and what may come of it."""


def results_of(program: str, *args: object) -> list[str]:
    """Run a program that interrupts at every step."""
    argv = [sys.executable, Path(__file__).with_name(program), *args]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: list[str] = json.loads(done.stdout)
    return results


def test_kill_a_write_at_every_step(tmp_path: Path) -> None:
    results = results_of("kill_writes.py", tmp_path)
    assert set(results) == {"old", "new"}
    assert len(results) > 100


@pytest.mark.parametrize(
    ("name", "how"),
    # What stands in the place of a snapshot is written over, whoever wrote it.
    [(name, how) for name in WRITERS for how in INTERRUPTIONS if (name, how) != ("snapshots", "edited")],
)
def test_interrupt_a_command_at_every_step(tmp_path: Path, name: str, how: str) -> None:
    results = results_of("interrupt.py", tmp_path, name, how)
    assert results
    assert set(results) <= INTERRUPTIONS[how]


@pytest.mark.parametrize("name", LINES)
def test_two_commands_at_once(tmp_path: Path, name: str) -> None:
    results = results_of("at_once.py", tmp_path, name)
    assert set(results) <= {"serial", "refused"}
    assert "serial" in results
