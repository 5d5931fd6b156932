"""The command `kitgen fleet plan`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer
from kitgen.report.finish import finish_command, make_reader
from kitgen.report.options import common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour
from kitgen.text.wording import format_count

if TYPE_CHECKING:
    from kitgen.argocd.fleet.run import PlannedFleet


@click.command(context_settings=HELP)
@click.option(
    "--clusters",
    required=True,
    metavar="FILE",
    shell_complete=make_completer(paths=True),
    help="The list of clusters, or - for standard input.",
)
@click.option(
    "-l",
    "--selector",
    default="",
    metavar="LABELS",
    help="Tell of clusters with these labels, as kubectl does.",
)
@click.option(
    "--pin",
    "pins",
    multiple=True,
    metavar="TARGET=RELEASE",
    help="What changes if the target pins this release; may be given again.",
)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="CLUSTER:KEY=VALUE",
    help="What changes if the cluster has this label; KEY- takes it away; may be given again.",
)
@click.option(
    "--baseline", default="", metavar="SOURCE", help="What changes since a revision, such as git:main."
)
@output_option("text", "json", "mermaid")
@common_options
def plan(
    *,
    clusters: str,
    selector: str,
    pins: tuple[str, ...],
    labels: tuple[str, ...],
    baseline: str,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Tell which cluster gets which target, release and wave.

    What the ApplicationSets of the fleet make of the clusters is worked out here, without Argo CD and without
    a network. FILE is what one of these prints, or a list of name, server and labels:

    \b
    argocd cluster list -o json
    kubectl get secrets -n argocd -l argocd.argoproj.io/secret-type=cluster -o yaml
    kubectl get managedclusters -o yaml

    With --pin or --label, only what would be different is shown; with --baseline, what is different from a
    revision, changed objects too. A cluster that no target is for, or more than one, is an error; with -l, of
    the clusters that are told of.

    \b
    kitgen fleet plan --clusters clusters.yaml
    kitgen fleet plan --clusters clusters.yaml --pin odh=v1.16.0
    kitgen fleet plan --clusters clusters.yaml --label edge-7:kitgen.wave=canary
    """
    if not clusters:
        raise click.UsageError("--clusters needs a file, or - for standard input")
    from kitgen.argocd.fleet.run import FleetRequest
    from kitgen.argocd.fleet.run import run_fleet_plan as run

    found = run(
        FleetRequest(
            root=root, clusters=clusters, selector=selector, pins=pins, labels=labels, baseline=baseline
        )
    )
    finish_command(
        found.findings,
        found.root,
        stream=sys.stderr,
        texts=found.texts,
        product=_render_plan(found, output),
        remarks=[*found.remarks, *([_describe_plan(found)] if output == "text" else ())],
        quiet=quiet,
    )


def _render_plan(found: PlannedFleet, output: str) -> str:
    from kitgen.argocd.fleet.report import as_json, as_mermaid, as_tables

    match output:
        case "json":
            return as_json(found.plan, found.moves, found.findings, make_reader(found.root, found.texts))
        case "mermaid":
            return as_mermaid(found.plan, found.moves)
        case _:
            return as_tables(
                found.plan, found.moves, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout)
            )


def _describe_plan(found: PlannedFleet) -> str:
    """Say how many clusters there are, and what becomes of them."""
    listed = format_count(found.clusters, "cluster")
    if found.moves is not None:
        return f"{listed}: {len(found.moves) or 'none'} would change"
    placed = len({each.cluster.name for each in found.plan.placed})
    without = f", {len(found.plan.unmatched)} without" if found.plan.unmatched else ""
    return f"{listed}: {placed} with a target{without}"
