"""The command `kitgen rbac`: show who can do what, and where."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, offer, sources, targets
from kitgen.report.finish import talk
from kitgen.report.options import common, output
from kitgen.report.streams import colour, columns


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=offer(targets, component_versions, sources, paths=True))
@output("text", "json")
@common
def rbac(source: str, *, output: str, root: Path | None, quiet: bool) -> None:
    """Tell who can do what where in SOURCE.

    SOURCE is a target, one of its components, a component by itself, manifests, a folder that kustomize
    builds, an OLM bundle, or - for standard input. Told are service accounts, and users and groups that
    bindings name. Groups that every account is in count for accounts too, and roles that are made of others
    by their labels are resolved. Roles that are Kubernetes' own are named. The verbs read and manage stand
    for get, list and watch, and for those with create, delete, patch and update.

    \b
    kitgen rbac odh/kueue                        what Kueue may do
    kubectl kustomize config | kitgen rbac -     of any manifests
    """
    from kitgen.app.rbac import permissions
    from kitgen.app.rbac_report import as_tables
    from kitgen.report.documents import safe_json

    found = permissions(root, source)
    if output == "json":
        click.echo(safe_json(found), nl=False)
        return
    coloured = colour(sys.stdout)
    click.echo(as_tables(found, width=columns(sys.stdout), colour=coloured), nl=False, color=coloured)
    if not found.holders:
        talk("nobody gets a permission here", quiet=quiet)
