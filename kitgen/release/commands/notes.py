"""The command `kitgen notes`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, releases, targets
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options, output_option

PUBLISHED = 125_000
"""How many characters GitHub takes for the notes of a release."""


@click.command(context_settings=HELP)
@click.argument("version", shell_complete=make_completer(releases))
@click.option(
    "--from",
    "since",
    metavar="R",
    shell_complete=make_completer(releases),
    help="The release to hold it against.  [default: what it replaces, or the newest before it that builds]",
)
@click.option(
    "--target",
    "names",
    multiple=True,
    metavar="T",
    shell_complete=make_completer(targets),
    help="Tell of this target alone; may be given again.",
)
@output_option("markdown", "json")
@common_options
def notes(
    version: str,
    since: str | None,
    names: tuple[str, ...],
    *,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Write the release notes of VERSION in Markdown.

    They have the compatibility matrix, what to do before the upgrade, what changes for users and for
    administrators, and what to do afterwards, the worst first. What holds for all targets that ship both
    releases is told once. A kit with templates/notes.md.j2 has its own words for it.

    \b
    kitgen notes v1.16.0                           since what it replaces
    kitgen notes v1.16.0 --from v1.5.0             since another release
    kitgen notes v1.16.0 --target odh -o json
    """
    from kitgen.release.notes.run import build_notes as run

    made = run(root, version, since=since, targets=names)
    remarks: list[str] = []
    if output == "json":
        from kitgen.report.documents import safe_json

        text = safe_json(made.notes)
    else:
        from kitgen.release.notes.template import read_template, render_notes

        if len(text := render_notes(made.notes, read_template(made.root), made.root)) > PUBLISHED:
            remarks.append(f"the notes have {len(text):,} characters, of which GitHub takes {PUBLISHED:,}")
    finish_command(made.findings, None, stream=sys.stderr, product=text, remarks=remarks, quiet=quiet)
