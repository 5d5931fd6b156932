"""The command `kitgen list`: list what the kit contains."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.finish import talk
from kitgen.report.options import common, output
from kitgen.report.streams import colour, columns


@click.command(name="list", context_settings=HELP)
@click.option("--unused", is_flag=True, help="Show what no target or release reaches, and nothing else.")
@output("table", "json")
@common
def list_(unused: bool, output: str, root: Path | None, quiet: bool) -> None:
    """Show releases, targets, components and versions.

    With --unused, show versions, releases, bases, features, images and settings that nothing reaches.

    \b
    kitgen list            tables for people
    kitgen list -o json    the same for a program
    kitgen list --unused   what could go
    """
    from kitgen.app.list import list_kit, list_unused, tables
    from kitgen.report.documents import safe_json

    found = list_unused(root) if unused else list_kit(root)
    if output == "json":
        click.echo(safe_json(found), nl=False)
        return
    from kitgen.report.table import table

    shown = [*tables(found)]
    for title, head, rows in shown:
        coloured = colour(sys.stdout)
        click.echo(table(title, head, rows, width=columns(sys.stdout), colour=coloured), color=coloured)
    if not shown:
        talk("a target or a release reaches all that the kit has", quiet=quiet)
