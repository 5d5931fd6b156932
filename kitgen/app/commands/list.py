"""The command `kitgen list`: list what the kit contains."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.options import common, output
from kitgen.report.streams import colour, columns


@click.command(name="list", context_settings=HELP)
@output("table", "json")
@common
def list_(output: str, root: Path | None, quiet: bool) -> None:
    """Show releases, targets, components and versions.

    \b
    kitgen list            tables for people
    kitgen list -o json    the same for a program
    """
    from kitgen.app.list import list_kit, tables
    from kitgen.report.documents import safe_json

    del quiet
    found = list_kit(root)
    if output == "json":
        click.echo(safe_json(found), nl=False)
        return
    from kitgen.report.table import table

    coloured = colour(sys.stdout)
    for title, head, rows in tables(found):
        click.echo(table(title, head, rows, width=columns(sys.stdout), colour=coloured), color=coloured)
