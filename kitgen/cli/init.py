"""kitgen init: start a new kit."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.finish import talk
from kitgen.cli.options import FOLDER
from kitgen.errors import KitgenError, UsageError


@click.command(context_settings=HELP)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def init(folder: Path, quiet: bool) -> None:
    """Start a new kit in DIR, with one small component and three targets.

    \b
    kitgen init my-kit
    kitgen render --root my-kit
    """
    from kitgen.cli.starter import starter_files

    try:
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", hint="choose a new folder")
        for name, text in starter_files(folder.absolute().name).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KitgenError(f"cannot write {folder}: {error.strerror}") from error
    talk(
        f"a new kit in {folder}: edit components/ and targets/, then kitgen render --root {folder}",
        quiet=quiet,
    )
