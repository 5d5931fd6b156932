"""Options that every command has, and names that shells can complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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


def _names(folder: str, suffix: str, ctx: click.Context) -> list[str]:
    """Return the names of spec files, without reading any."""
    from kitgen.errors import KitgenError
    from kitgen.root import find_root

    try:
        root = find_root(ctx.params.get("root"))
    except KitgenError:
        return []
    found = (root / folder).glob(f"*{suffix}")
    return sorted(path.name.removesuffix(suffix) for path in found if not path.name.startswith("."))


def complete_target(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a target."""
    return [name for name in _names("targets", ".yaml", ctx) if name.startswith(incomplete)]


def complete_release(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a release."""
    return [name for name in _names("releases", ".yaml", ctx) if name.startswith(incomplete)]


def complete_component(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a component."""
    return [name for name in _names("components", "", ctx) if name.startswith(incomplete)]
