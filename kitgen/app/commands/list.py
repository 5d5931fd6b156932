"""The command `kitgen list`: list what the kit contains."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.options import common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour


@click.command(name="list", context_settings=HELP)
@output_option("table", "json")
@common_options
def list_(output: str, root: Path | None, quiet: bool) -> None:
    """Show releases, targets, components and versions.

    \b
    kitgen list            tables for people
    kitgen list -o json    the same for a program
    """
    from kitgen.app.list import build_tables, list_kit
    from kitgen.report.documents import safe_json

    del quiet
    found = list_kit(root)
    if output == "json":
        click.echo(safe_json(found), nl=False)
        return
    from kitgen.report.table import render_table

    coloured = has_colour(sys.stdout)
    for title, head, rows in build_tables(found):
        click.echo(
            render_table(title, head, rows, width=get_terminal_width(sys.stdout), colour=coloured),
            color=coloured,
        )
