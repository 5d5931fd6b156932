"""Options that every command has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from kitgen.cli.complete import offer, releases

F = TypeVar("F", bound=Callable[..., Any])
FOLDER = click.Path(path_type=Path, file_okay=False, readable=False)
"""A folder; one that may not be read is no wrong usage, so that is told later."""


def common(command: F) -> F:
    """Add --root and --quiet."""
    command = click.option(
        "--root",
        type=FOLDER,
        help="The kit's folder.  [default: the nearest one upwards that has a kit.yaml]",
    )(command)
    return click.option("-q", "--quiet", is_flag=True, help="Print errors only.")(command)


def in_release(text: str) -> Callable[[F], F]:
    """Add --release with what it does."""
    return click.option("--release", metavar="R", shell_complete=offer(releases), help=text)


def output(*formats: str) -> Callable[[F], F]:
    """Add --output with the given formats, the first being the default."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print the result.",
    )


changes_output = output("text", "json", "markdown")
"""Add --output as every command has it that compares."""
