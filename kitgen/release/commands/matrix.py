"""The command `kitgen matrix`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.finish import finish_command
from kitgen.report.options import changes_output, common_options, release_option
from kitgen.report.streams import get_terminal_width, has_colour

README = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings=HELP)
@click.argument("readmes", nargs=-1, type=README, metavar="[README]...")
@release_option("Show this release alone, as the block that a README carries.")
@click.option("--write", is_flag=True, help="Replace the matrix in each README.")
@click.option("--check", is_flag=True, help="Write nothing; fail if a README is not up to date.")
@changes_output
@common_options
def matrix(
    readmes: tuple[Path, ...],
    *,
    release: str | None,
    write: bool,
    check: bool,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Show which versions belong together, and keep READMEs in step with it.

    Without --release, all releases are a table. A README carries the matrix of one release between two
    markers. --write replaces it: rows whose cells stay the same keep their bytes, and so does every other
    line of the file. --check writes nothing, and fails when one is not up to date.

    \b
    kitgen matrix                                        all releases
    kitgen matrix --release v1.16.0                      the block for a README
    kitgen matrix --release v1.16.0 --write README.md
    kitgen matrix --release v1.16.0 --check README.md ../fork/README.md
    """
    from kitgen.release.matrix.run import as_markdown, as_table, show_matrix
    from kitgen.report.documents import safe_json

    if bool(readmes) is not (write or check):
        raise click.UsageError("--write and --check need a README, and a README one of them")
    shown = show_matrix(root, release, readmes, dry_run=check)
    said = [f"{each} {'is not up to date' if check else 'changed'}" for each in shown.changed]
    if readmes:
        text = ""
        said = said or [f"{each} is up to date" for each in readmes]
    elif output == "json":
        text = safe_json(shown.report)
    elif shown.block:
        text = shown.block
    elif output == "markdown":
        text = as_markdown(shown)
    else:
        text = as_table(shown, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout))
    finish_command(
        (),
        None,
        stream=sys.stderr,
        product=text,
        remarks=said,
        failed=check and bool(shown.changed),
        quiet=quiet,
    )
