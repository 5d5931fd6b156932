"""The command `kitgen init`: start a new kit."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.finish import print_message
from kitgen.report.options import FOLDER


@click.command(context_settings=HELP)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def init(folder: Path, quiet: bool) -> None:
    """Start a new kit in DIR, with one small component and three targets.

    It comes with a README, a .gitignore and .gitattributes, a test of its snapshots for pytest, and CI files
    for GitHub and GitLab that check it and tell in a comment what a change does to a cluster. Remove what you
    do not need.

    \b
    kitgen init my-kit
    kitgen render --root my-kit
    """
    from kitgen.app.starter import start_kit

    start_kit(folder)
    render = shlex.join(["kitgen", "render", "--root", str(folder)])
    print_message(f"a new kit in {folder}: edit components/ and targets/, then {render}", quiet=quiet)
