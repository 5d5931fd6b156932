"""Targets that a render of others left behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kitgen.findings import Chapter, Finding, Origin, Rule, Severity
from kitgen.mark import generated
from kitgen.write import compare

TARGET_STALE = Rule(
    id="target-stale",
    chapter=Chapter.TARGET,
    title="an overlay that was left behind",
    checks=(
        "After a render of some targets, the overlays of the others still fit the bases, which all "
        "targets share."
    ),
    fix="Render them too.",
    severity=Severity.WARNING,
)


def stale_targets(tree: Mapping[str, str], out: Path, targets: Iterable[str]) -> Iterator[Finding]:
    """Yield a warning for every target whose overlay is there and no longer fits the bases and specs."""
    for name in targets:
        changes = compare(tree, out, scope=(name,), ours=generated)
        missing, differing, same = (
            [path for path in paths if path.startswith(f"{name}/")]
            for paths in (changes.create, (*changes.change, *changes.delete), changes.keep)
        )
        if differing or (missing and same):
            yield TARGET_STALE(
                f"the overlay of {name} is not up to date with the bases that were rendered",
                hint=f"kitgen render {name}",
            ).at(Origin(f"targets/{name}.yaml"))
