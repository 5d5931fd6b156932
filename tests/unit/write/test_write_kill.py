"""A write that is killed leaves the old tree or the new one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["kill_everywhere.py", "kill_changes.py"])
def test_kill_at_every_step(tmp_path: Path, name: str) -> None:
    program = Path(__file__).with_name(name)
    done = subprocess.run([sys.executable, program, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert set(results) == {"old", "new"}
    assert len(results) > 100
