"""The command `kitgen rbac`: show who can do what, and where."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, sources, targets
from kitgen.report.finish import print_message
from kitgen.report.options import common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=make_completer(targets, component_versions, sources, paths=True))
@output_option("text", "json")
@common_options
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
    from kitgen.app.rbac import resolve_permissions
    from kitgen.app.rbac_report import render_tables
    from kitgen.report.documents import safe_json

    found = resolve_permissions(root, source)
    if output == "json":
        click.echo(safe_json(found), nl=False)
        return
    coloured = has_colour(sys.stdout)
    click.echo(
        render_tables(found, width=get_terminal_width(sys.stdout), colour=coloured), nl=False, color=coloured
    )
    if not found.holders:
        print_message("nobody gets a permission here", quiet=quiet)
