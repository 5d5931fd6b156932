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


def results_of(program: str, *args: object) -> Any:
    """Run a program that interrupts at every step."""
    argv = [sys.executable, Path(__file__).with_name(program), *args]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kill_a_write_at_every_step(tmp_path: Path) -> None:
    results = results_of("kill_writes.py", tmp_path)
    assert set(results) == {"old", "new"}
    assert len(results) > 100


@pytest.mark.parametrize("name", WRITERS)
def test_interrupt_a_command_at_every_step(tmp_path: Path, name: str) -> None:
    # What stands in the place of a snapshot is written over, whoever wrote it.
    hows = [how for how in INTERRUPTIONS if (name, how) != ("snapshots", "edited")]
    results = results_of("interrupt.py", tmp_path, name, *hows)
    assert [*results] == hows
    for how in hows:
        assert results[how]
        assert set(results[how]) <= INTERRUPTIONS[how]


@pytest.mark.parametrize("name", LINES)
def test_two_commands_at_once(tmp_path: Path, name: str) -> None:
    results = results_of("at_once.py", tmp_path, name)
    assert set(results) <= {"serial", "refused"}
    assert "serial" in results
