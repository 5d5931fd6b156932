"""kitgen sources: where the platform's operator takes manifests and images from."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.finish import finish_command, select_unaccepted
from kitgen.report.options import common_options, output_option, release_option
from kitgen.report.streams import get_terminal_width, has_colour


@click.command(context_settings=HELP)
@click.argument("names", metavar="TARGET...", nargs=-1, required=True, shell_complete=make_completer(targets))
@release_option("Take this release instead of the one that the target pins.")
@output_option("table", "json", "script-2024", "script-2025", "script-2026", "manifests-config")
@common_options
def sources(names: tuple[str, ...], release: str | None, output: str, root: Path | None, quiet: bool) -> None:
    """Tell where the ODH operator takes the manifests and images of TARGET from.

    The scripts are lines of its get_all_manifests.sh: in 2024 with the folder at the end of each, in 2025
    without, in 2026 with an array for each platform. manifests-config.yaml came later that year. The last
    two take several targets, one for each platform.

    \b
    kitgen sources odh                             tables for people
    kitgen sources odh --release v1.5.0 -o script-2024
    kitgen sources odh rhoai -o manifests-config   both platforms in one file
    """
    from kitgen.release.source_forms import as_table, render_form
    from kitgen.release.sources import SourcesForm, find_sources
    from kitgen.report.documents import safe_json

    form = None if output in ("table", "json") else SourcesForm(output)
    made = find_sources(root, names, release, form)
    if form is not None:
        text = render_form(form, made)
    elif output == "json":
        text = safe_json(made.report)
    else:
        text = as_table(made.report, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout))
    found = select_unaccepted(made.findings)
    finish_command(found, made.root, stream=sys.stderr, product=text, remarks=made.remarks, quiet=quiet)
