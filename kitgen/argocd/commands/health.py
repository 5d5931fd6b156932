"""The command `kitgen argocd health`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, output_option


def _list_check_kinds(ctx: click.Context, _: str) -> Iterable[str]:
    """Return the kinds that there are health checks for."""
    from kitgen.argocd.health.run import HealthRequest, collect_health_checks

    return [
        each.kind.kind for each in collect_health_checks(HealthRequest(root=ctx.params.get("root"))).checks
    ]


@click.command(context_settings=HELP)
@click.argument("kinds", nargs=-1, metavar="[KIND]...", shell_complete=make_completer(_list_check_kinds))
@click.option(
    "--check",
    "files",
    multiple=True,
    metavar="FILE",
    shell_complete=make_completer(paths=True),
    help="Tell the health of the objects in a file, a folder or - for standard input; may be given again.",
)
@output_option("text", "json")
@common_options
def health(
    kinds: tuple[str, ...], *, files: tuple[str, ...], output: str, root: Path | None, quiet: bool
) -> None:
    """Print health checks for Argo CD, those of all kinds or of each KIND.

    They are in Lua, and come as a patch of argocd-cm. KIND is a kind, such as RayJob, or group and kind, such
    as ray.io_RayJob. Checks in argocd/health/GROUP_KIND.lua of the kit are added, or take the place of those
    that come with kitgen.

    With --check, they are run on objects as kubectl prints them, within bounds of time and memory. Checks of
    the kit are run on an object without a status, too. That takes Lua: pip install 'kitgen[lua]'.

    \b
    kitgen argocd health > health.yaml
    kubectl patch -n argocd configmap argocd-cm --type merge --patch-file health.yaml
    kubectl get rayclusters,workloads -A -o yaml | kitgen argocd health --check -
    """
    from kitgen.argocd.health.report import as_json, as_lines, as_patch
    from kitgen.argocd.health.run import HealthRequest, collect_health_checks, run_health_checks

    request = HealthRequest(root=root, kinds=kinds, files=files)
    found = run_health_checks(request) if files else collect_health_checks(request)
    if output == "json":
        text = as_json(found.checks, found.judged, found.skipped)
    else:
        text = as_lines(found.judged) if files else as_patch(found.checks)
    finish_command(
        found.findings,
        found.root,
        stream=sys.stderr,
        texts=found.texts,
        product=text,
        remarks=[
            f"skipped, none of the checks is for it: {kind} ({count})"
            for kind, count in found.skipped.items()
        ],
        quiet=quiet,
    )
