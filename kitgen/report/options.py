"""Click options that every command shares."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from kitgen.report.completion import make_completer, releases

F = TypeVar("F", bound=Callable[..., Any])
FOLDER = click.Path(path_type=Path, file_okay=False, readable=False)
"""A folder; one that may not be read is no wrong usage, so that is told later."""


def common_options(command: F) -> F:
    """Add --root, --quiet and --no-cache; the last is looked at before the command runs."""
    command = click.option(
        "--no-cache", is_flag=True, expose_value=False, help="Use no result of an earlier run."
    )(command)
    command = click.option(
        "--root",
        type=FOLDER,
        help="The kit's folder.  [default: the nearest one upwards that has a kit.yaml]",
    )(command)
    return click.option("-q", "--quiet", is_flag=True, help="Print errors only.")(command)


def parse_day(_context: click.Context, _option: click.Parameter, value: str | None) -> str:
    """Take a day; none is an empty text."""
    from kitgen.findings.exceptions import is_day

    if value is not None and not is_day(value):
        raise click.BadParameter(f"found {value!r}, expected a day such as 2030-01-31")
    return value or ""


def parse_day_or_today(context: click.Context, option: click.Parameter, value: str | None) -> str:
    """Take a day, or the one that it is."""
    from datetime import date

    return parse_day(context, option, value) or date.today().isoformat()


def release_option(text: str) -> Callable[[F], F]:
    """Add --release with what it does."""
    return click.option("--release", metavar="R", shell_complete=make_completer(releases), help=text)


def fail_on_option(command: F) -> F:
    """Add --fail-on, as every command has it that checks."""
    from kitgen.findings import Severity

    return click.option(
        "--fail-on",
        type=click.Choice([Severity.ERROR.value, Severity.WARNING.value]),
        default=Severity.ERROR.value,
        show_default=True,
        help="What makes the exit code 1.",
    )(command)


def output_option(*formats: str) -> Callable[[F], F]:
    """Add --output with the given formats, the first being the default."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print the result.",
    )


changes_output = output_option("text", "json", "markdown")
"""Add --output as every command has it that compares."""
