"""The command `kitgen matrix`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.cli import HELP
from kitgen.cli.finish import finish
from kitgen.cli.options import changes_output, common, in_release
from kitgen.cli.terminal import colour, columns

if TYPE_CHECKING:
    from kitgen.pipeline.matrix import Shown

README = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings=HELP)
@in_release("Show this release alone, as the block that a README carries.")
@click.option(
    "--write", type=README, multiple=True, metavar="FILE", help="Replace the matrix in this README."
)
@click.option(
    "--check", type=README, multiple=True, metavar="FILE", help="Fail if this README is not up to date."
)
@changes_output
@common
def matrix(
    release: str | None,
    write: tuple[Path, ...],
    check: tuple[Path, ...],
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Show which versions belong together, and keep READMEs in step with it.

    Without --release, all releases are a table. A README carries the matrix of one release between two
    markers. --write replaces it: rows whose cells stay the same keep their bytes, and so does every other
    line of the file. --check writes nothing, and fails when a file is not up to date.

    \b
    kitgen matrix                                        all releases
    kitgen matrix --release v1.16.0                      the block for a README
    kitgen matrix --release v1.16.0 --write README.md
    kitgen matrix --release v1.16.0 --check README.md
    """
    from kitgen.pipeline.matrix import MatrixRequest, show_matrix
    from kitgen.report.matrix import as_json, as_markdown, as_table

    if write and check:
        raise click.UsageError("--write and --check exclude each other")
    shown = show_matrix(MatrixRequest(root=root, release=release, write=write, check=check))
    said = [f"{each} {'is not up to date' if check else 'changed'}" for each in shown.changed]
    if write or check:
        text = ""
        said = said or [f"{each} is up to date" for each in (*write, *check)]
    elif output == "json":
        text = as_json(shown.matrix, shown.releases, shown.versions)
    elif shown.block:
        text = shown.block
    elif output == "markdown":
        text = as_markdown(shown.matrix, shown.releases, shown.versions)
    else:
        width, colours = columns(sys.stdout), colour(sys.stdout)
        text = as_table(shown.matrix, shown.releases, shown.versions, width=width, colour=colours)
    finish((), None, stream=sys.stderr, product=text, remarks=said, failed=_stale(shown, check), quiet=quiet)


def _stale(shown: Shown, check: tuple[Path, ...]) -> bool:
    return bool(check and shown.changed)
