"""A write that is killed leaves the old tree or the new one."""

import json
import subprocess
import sys
from pathlib import Path


def test_kill_at_every_step(tmp_path: Path) -> None:
    program = Path(__file__).with_name("kill_everywhere.py")
    done = subprocess.run([sys.executable, program, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert set(results) == {"old", "new"}
    assert len(results) > 100
