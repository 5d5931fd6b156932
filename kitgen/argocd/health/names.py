"""What a health check is for, and what it is called in Argo CD's configuration and in a kit.

The health checks that come with kitgen: package data, one file a kind.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from msgspec import Struct

from kitgen.findings import Problem, make_problem
from kitgen.text.patterns import compile_late

FOLDER = "argocd/health"
"""Where a kit has checks of its own."""
ENDING = ".lua"
PREFIX = "resource.customizations.health."
NAME = compile_late(r"((?P<group>[a-z0-9]([-a-z0-9.]*[a-z0-9])?)_)?(?P<kind>[A-Z][A-Za-z0-9]*)")


class HealthKind(Struct, frozen=True, order=True):
    """A kind of objects, in any version."""

    group: str
    """Empty for the core group."""
    kind: str

    @property
    def key(self) -> str:
        """Return the key in argocd-cm."""
        return f"{PREFIX}{self}"

    def __str__(self) -> str:
        return f"{self.group}_{self.kind}" if self.group else self.kind


class Check(Struct, frozen=True, kw_only=True):
    """A health check."""

    kind: HealthKind
    source: str
    file: str = ""
    """Where the kit has it; empty if it comes with kitgen."""


def parse_kind(file: str) -> HealthKind | Problem:
    """Return what a check of a kit is for, by the name of its file."""
    name = file.rpartition("/")[2]
    if found := NAME.fullmatch(name.removesuffix(ENDING)):
        return HealthKind(found["group"] or "", found["kind"])
    return make_problem("health-name", f"found {name!r}, expected GROUP_KIND{ENDING}", line=1)


CHECKS = Path(__file__).parent / "checks"


@cache
def read_shipped_checks() -> tuple[Check, ...]:
    """Return all of them, by group and kind."""
    found = sorted(CHECKS.glob(f"*/*{ENDING}"))
    return tuple(
        Check(kind=HealthKind(path.parent.name, path.stem), source=path.read_text(encoding="utf-8"))
        for path in found
    )
