"""A write that is killed leaves the old tree or the new one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from writers import WRITERS


def results_of(program: str, *args: object) -> list[str]:
    """Run a program that kills at every step."""
    argv = [sys.executable, Path(__file__).with_name(program), *args]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: list[str] = json.loads(done.stdout)
    return results


@pytest.mark.exhaustive
def test_kill_at_every_step(tmp_path: Path) -> None:
    results = results_of("kill_everywhere.py", tmp_path)
    assert set(results) == {"old", "new"}
    assert len(results) > 100


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", WRITERS)
def test_kill_every_command_at_every_step(tmp_path: Path, name: str) -> None:
    results = results_of("kill_commands.py", tmp_path, name)
    assert set(results) == {"old", "new"}
    assert len(results) > 10
