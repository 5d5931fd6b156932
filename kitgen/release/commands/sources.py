"""kitgen sources: where the platform's operator takes manifests and images from."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import offer, targets
from kitgen.report.finish import finish, standing
from kitgen.report.options import common, in_release, output
from kitgen.report.streams import colour, columns


@click.command(context_settings=HELP)
@click.argument("names", metavar="TARGET...", nargs=-1, required=True, shell_complete=offer(targets))
@in_release("Take this release instead of the one that the target pins.")
@output("table", "json", "script-2024", "script-2025", "script-2026", "manifests-config")
@common
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
    from kitgen.release.source_forms import as_form, as_table
    from kitgen.release.sources import SourcesForm, find_sources
    from kitgen.report.documents import safe_json

    form = None if output in ("table", "json") else SourcesForm(output)
    made = find_sources(root, names, release, form)
    if form is not None:
        text = as_form(form, made)
    elif output == "json":
        text = safe_json(made.report)
    else:
        text = as_table(made.report, width=columns(sys.stdout), colour=colour(sys.stdout))
    found = standing(made.findings)
    finish(found, made.root, stream=sys.stderr, product=text, remarks=made.remarks, quiet=quiet)
