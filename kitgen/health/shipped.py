"""The health checks that come with kitgen: package data, one file a kind."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kitgen.health.naming import ENDING, Check, Kind

CHECKS = Path(__file__).parent / "checks"


@cache
def shipped() -> tuple[Check, ...]:
    """Return all of them, by group and kind."""
    found = sorted(CHECKS.glob(f"*/*{ENDING}"))
    return tuple(
        Check(kind=Kind(path.parent.name, path.stem), source=path.read_text(encoding="utf-8"))
        for path in found
    )
