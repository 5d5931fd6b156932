"""kitgen init: start a new kit."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.finish import talk
from kitgen.cli.options import FOLDER


@click.command(context_settings=HELP)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def init(folder: Path, quiet: bool) -> None:
    """Start a new kit in DIR, with one small component and three targets.

    \b
    kitgen init my-kit
    kitgen render --root my-kit
    """
    from kitgen.pipeline.starter import start_kit

    start_kit(folder)
    talk(
        f"a new kit in {folder}: edit components/ and targets/, then kitgen render --root {folder}",
        quiet=quiet,
    )
