"""Write the plan of a fleet: tables, JSON, or a picture in Mermaid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kitgen.argocd.fleet.plan import ClusterMove, ClusterState, FleetPlan, PlacedCluster, PlannedStep
from kitgen.kit.model import Cluster
from kitgen.report.documents import DocumentSchema, document, entries
from kitgen.report.table import table
from kitgen.report.text import Read, locate, said
from kitgen.text.wording import counted, mermaid_text
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.findings import Finding

NONE, ALL = "-", "all"
SHOWN = 5
"""How many clusters of a wave a picture names."""
STYLES = {"target": "stroke-width:3px", "unmatched": "stroke-dasharray:4", "moved": "stroke:#c60"}


def as_tables(
    plan: FleetPlan, moves: Sequence[ClusterMove] | None, *, width: int = 0, colour: bool = False
) -> str:
    """Write the waves of each target, then a row a cluster; or what is different, if that was asked for."""
    parts = [
        ("Waves", ("target", "release", "wave", "clusters", "at once", "components"), _wave_rows(plan.steps)),
        ("Clusters", ("cluster", "target", "release", "wave"), _cluster_rows(plan) if moves is None else []),
        ("Changes", ("cluster", "target", "release", "wave", "components"), [*map(_move_row, moves or ())]),
    ]
    return "\n".join(
        table(title, head, rows, width=width, colour=colour) for title, head, rows in parts if rows
    )


def _waves(steps: Iterable[PlannedStep]) -> Iterator[tuple[PlannedStep, list[str]]]:
    """Yield the first step of each wave of a target, with its components in order."""
    found: dict[tuple[str, str], list[PlannedStep]] = {}
    for each in steps:
        found.setdefault((each.target, each.wave), []).append(each)
    for some in found.values():
        yield some[0], [each.component for each in some if each.component]


def _wave_rows(steps: Iterable[PlannedStep]) -> list[tuple[str, ...]]:
    return [
        (
            step.target,
            step.release,
            step.wave,
            str(step.clusters),
            str(step.at_once) if step.at_once else "by hand",
            ", ".join(components) or ALL,
        )
        for step, components in _waves(steps)
    ]


def _cluster_rows(plan: FleetPlan) -> list[tuple[str, ...]]:
    placed = [(each.cluster.name, each.target, each.release, each.wave) for each in plan.placed]
    return [*placed, *((each.name, NONE, NONE, NONE) for each in plan.unmatched)]


def _move_row(move: ClusterMove) -> tuple[str, ...]:
    one, other = (_cells(side) for side in (move.before, move.after))
    cells = [old if old == new else f"{old} → {new}" for old, new in zip(one, other, strict=True)]
    if one == other:
        cells[-1] += " (changed)"
    return move.cluster.name, *cells


def _cells(spots: Sequence[ClusterState]) -> tuple[str, ...]:
    """Return what a cluster gets as cells; of two targets, both."""
    rows = [(each.target, each.release, each.wave, ", ".join(each.components) or ALL) for each in spots]
    return tuple(" and ".join(cell) for cell in zip(*rows, strict=True)) or (NONE,) * 4


def as_json(
    plan: FleetPlan, moves: Sequence[ClusterMove] | None, findings: Iterable[Finding], read: Read
) -> str:
    """Write the same for a program."""
    return document(
        DocumentSchema.FLEET,
        # Of what is written only one form is kept at a time.
        clusters=map(_placed, plan.placed),
        unmatched=map(_cluster, plan.unmatched),
        steps=[_step(each) for each in plan.steps],
        changes=None
        if moves is None
        else [
            {
                "name": each.cluster.name,
                "before": [*map(_spot, each.before)],
                "after": [*map(_spot, each.after)],
            }
            for each in moves
        ],
        findings=entries(locate(findings, read)),
    )


def _cluster(cluster: Cluster) -> JsonObject:
    return {"name": cluster.name, "server": cluster.server or None, "labels": dict(cluster.labels)}


def _placed(placed: PlacedCluster) -> JsonObject:
    return {
        **_cluster(placed.cluster),
        "target": placed.target,
        "release": placed.release,
        "wave": placed.wave,
        "applications": [
            {
                "name": each.application.name,
                "component": each.component or None,
                "path": each.application.path,
                "namespace": each.application.namespace,
                "step": each.step,
            }
            for each in placed.applications
        ],
    }


def _step(step: PlannedStep) -> JsonObject:
    return {
        "target": step.target,
        "release": step.release,
        "number": step.number,
        "wave": step.wave,
        "component": step.component or None,
        "clusters": step.clusters,
        "atOnce": step.at_once,
    }


def _spot(spot: ClusterState) -> JsonObject:
    return {
        "target": spot.target,
        "release": spot.release,
        "wave": spot.wave,
        "components": list(spot.components),
        "content": spot.content or None,
    }


def as_mermaid(plan: FleetPlan, moves: Sequence[ClusterMove] | None) -> str:
    """Write a flowchart: from each target by its waves to clusters, a few of which are named."""
    changed = {each.cluster.name for each in moves or ()}
    lines = ["flowchart LR"]
    groups: dict[str, dict[str, list[PlacedCluster]]] = {}
    for each in plan.placed:
        groups.setdefault(each.target, {}).setdefault(each.wave, []).append(each)
    for number, (target, waves) in enumerate(groups.items()):
        release = next(iter(waves.values()))[0].release
        lines.append(f'  t{number}["{mermaid_text(f"{target} {release}")}"]:::target')
        before = f"t{number}"
        for at, (wave, some) in enumerate(waves.items()):
            key = f"t{number}w{at}"
            style = ":::moved" if changed & {each.cluster.name for each in some} else ""
            named = _some([each.cluster.name for each in some])
            title = f"{wave}: {counted(len(some), 'cluster')}"
            lines += [
                f'  {key}["{mermaid_text(title)}<br>{mermaid_text(named)}"]{style}',
                f"  {before} --> {key}",
            ]
            before = key
    if plan.unmatched:
        named = _some([each.name for each in plan.unmatched])
        title = f"no target: {counted(len(plan.unmatched), 'cluster')}"
        lines.append(f'  none["{mermaid_text(title)}<br>{mermaid_text(named)}"]:::unmatched')
    lines += [f"  classDef {name} {style}" for name, style in STYLES.items()]
    return "".join(f"{said(line)}\n" for line in lines)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
