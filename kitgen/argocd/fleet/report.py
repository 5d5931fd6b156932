"""Write the plan of a fleet: tables, JSON, or a picture in Mermaid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

from kitgen.argocd.fleet.plan import (
    FleetApplication,
    FleetChange,
    FleetPlan,
    FleetState,
    PlacedCluster,
    PlannedStep,
)
from kitgen.kit.model import Cluster
from kitgen.report.documents import FindingEntry, ResultDocument, safe_json, to_finding_entries
from kitgen.report.table import render_table
from kitgen.report.text import Read, format_inline, locate_findings
from kitgen.text.values import group_pairs
from kitgen.text.wording import escape_mermaid, format_count

if TYPE_CHECKING:
    from kitgen.findings import Finding

NONE, ALL = "-", "all"
SHOWN = 5
"""How many clusters of a wave a picture names."""
STYLES = {"target": "stroke-width:3px", "unmatched": "stroke-dasharray:4", "moved": "stroke:#c60"}


def as_tables(
    plan: FleetPlan, moves: Sequence[FleetChange] | None, *, width: int = 0, colour: bool = False
) -> str:
    """Write the waves of each target, then a row a cluster; or what is different, if that was asked for."""
    parts = [
        (
            "Waves",
            ("target", "release", "wave", "clusters", "at once", "components"),
            _build_wave_rows(plan.steps),
        ),
        (
            "Clusters",
            ("cluster", "target", "release", "wave"),
            _build_cluster_rows(plan) if moves is None else [],
        ),
        (
            "Changes",
            ("cluster", "target", "release", "wave", "components"),
            [*map(_build_move_row, moves or ())],
        ),
    ]
    return "\n".join(
        render_table(title, head, rows, width=width, colour=colour) for title, head, rows in parts if rows
    )


def _build_wave_rows(steps: Iterable[PlannedStep]) -> list[tuple[str, ...]]:
    """Return a row for each wave of a target, with its components in order."""
    waves = group_pairs(((each.target, each.wave), each) for each in steps)
    return [
        (
            *(first.target, first.release, first.wave, str(first.clusters)),
            str(first.at_once) if first.at_once else "by hand",
            ", ".join(each.component for each in (first, *more) if each.component) or ALL,
        )
        for first, *more in waves.values()
    ]


def _build_cluster_rows(plan: FleetPlan) -> list[tuple[str, ...]]:
    placed = [(each.cluster.name, each.target, each.member.release, each.wave) for each in plan.placed]
    return [*placed, *((each.name, NONE, NONE, NONE) for each in plan.unmatched)]


def _build_move_row(move: FleetChange) -> tuple[str, ...]:
    one, other = (_format_states(side) for side in (move.before, move.after))
    cells = [old if old == new else f"{old} → {new}" for old, new in zip(one, other, strict=True)]
    if one == other:
        cells[-1] += " (changed)"
    return move.name, *cells


def _format_states(states: Sequence[FleetState]) -> tuple[str, ...]:
    """Return what a cluster gets as cells; of two targets, both."""
    rows = [(each.target, each.release, each.wave, ", ".join(each.components) or ALL) for each in states]
    return tuple(" and ".join(cell) for cell in zip(*rows, strict=True)) or (NONE,) * 4


class FleetCluster(Struct, frozen=True, kw_only=True):
    """A cluster."""

    name: str
    """What Argo CD calls the cluster."""
    server: str | None
    """The address of its API server, if the list says it."""
    labels: Mapping[str, str]
    """Its labels."""


class FleetPlacement(FleetCluster, frozen=True, kw_only=True):
    """A cluster that gets a target."""

    target: str
    """The target that it gets."""
    release: str
    """The release that the target pins."""
    wave: str
    """The wave that it is in."""
    applications: tuple[FleetApplication, ...]
    """What Argo CD makes for it, in order."""


class FleetReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/fleet/v1"):
    """Which cluster gets what: kitgen fleet plan."""

    clusters: Iterable[FleetPlacement]
    """Clusters that get a target, by target and wave."""
    unmatched: Iterable[FleetCluster]
    """Clusters that no target is for."""
    steps: tuple[PlannedStep, ...]
    """In which order Argo CD syncs the whole fleet, target by target."""
    changes: tuple[FleetChange, ...] | None
    """Clusters that would get something else; null if nothing was to be compared."""
    findings: Sequence[FindingEntry]
    """Clusters without a target or with two, and names that cannot be, as kitgen check writes them."""


def as_json(
    plan: FleetPlan, moves: Sequence[FleetChange] | None, findings: Iterable[Finding], read: Read
) -> str:
    """Write the same for a program."""
    return safe_json(
        FleetReport(
            # Of what is written only one form is kept at a time.
            clusters=map(_to_fleet_placement, plan.placed),
            unmatched=map(_to_fleet_cluster, plan.unmatched),
            steps=plan.steps,
            changes=None if moves is None else tuple(moves),
            findings=to_finding_entries(locate_findings(findings, read)),
        )
    )


def _to_fleet_cluster(cluster: Cluster) -> FleetCluster:
    return FleetCluster(name=cluster.name, server=cluster.server or None, labels=cluster.labels)


def _to_fleet_placement(placed: PlacedCluster) -> FleetPlacement:
    return FleetPlacement(
        **asdict(_to_fleet_cluster(placed.cluster)),
        target=placed.target,
        release=placed.member.release,
        wave=placed.wave,
        applications=placed.applications,
    )


def as_mermaid(plan: FleetPlan, moves: Sequence[FleetChange] | None) -> str:
    """Write a flowchart: from each target by its waves to clusters, a few of which are named."""
    changed = {each.name for each in moves or ()}
    lines = ["flowchart LR"]
    groups: dict[str, dict[str, list[PlacedCluster]]] = {}
    for each in plan.placed:
        groups.setdefault(each.target, {}).setdefault(each.wave, []).append(each)
    for number, (target, waves) in enumerate(groups.items()):
        release = next(iter(waves.values()))[0].member.release
        lines.append(f'  t{number}["{escape_mermaid(f"{target} {release}")}"]:::target')
        before = f"t{number}"
        for at, (wave, some) in enumerate(waves.items()):
            key = f"t{number}w{at}"
            style = ":::moved" if changed & {each.cluster.name for each in some} else ""
            named = _format_names([each.cluster.name for each in some])
            title = f"{wave}: {format_count(len(some), 'cluster')}"
            lines += [
                f'  {key}["{escape_mermaid(title)}<br>{escape_mermaid(named)}"]{style}',
                f"  {before} --> {key}",
            ]
            before = key
    if plan.unmatched:
        named = _format_names([each.name for each in plan.unmatched])
        title = f"no target: {format_count(len(plan.unmatched), 'cluster')}"
        lines.append(f'  none["{escape_mermaid(title)}<br>{escape_mermaid(named)}"]:::unmatched')
    lines += [f"  classDef {name} {style}" for name, style in STYLES.items()]
    return "".join(f"{format_inline(line)}\n" for line in lines)


def _format_names(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
