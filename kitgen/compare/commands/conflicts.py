"""The command `kitgen conflicts`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, sources, targets
from kitgen.report.finish import finish_command, make_reader
from kitgen.report.options import changes_output, common_options
from kitgen.report.streams import get_terminal_width, has_colour
from kitgen.text.wording import format_count

NAMES = make_completer(targets, component_versions, sources, paths=True)


@click.command(context_settings=HELP)
@click.argument("one", shell_complete=NAMES)
@click.argument("other", shell_complete=NAMES)
@changes_output
@common_options
def conflicts(one: str, other: str, output: str, root: Path | None, quiet: bool) -> None:
    """Tell what ONE and OTHER would both own on one cluster, and why that goes wrong.

    Both are sources: targets, folders, manifests, OLM bundles. CRDs, roles, webhooks and the like exist once
    on a cluster, or once in a namespace. Exit code 1 means that there are conflicts.

    \b
    kitgen conflicts olm odh                     an OLM install and Open Data Hub
    kitgen conflicts overlays/olm/bundle rhoai   the bundle alone
    """
    from kitgen.compare.report.conflicts import as_json, as_markdown, as_table
    from kitgen.compare.run.conflicts import find_conflicts

    found = find_conflicts(root, one, other)
    some = found.conflicts
    match output:
        case "json":
            text = as_json(found.names, some, make_reader(None, found.texts))
        case "markdown":
            text = as_markdown(found.names, some)
        case _:
            text = as_table(some, width=get_terminal_width(sys.stdout), colour=has_colour(sys.stdout))
    count = format_count(len(some), "conflict") if some else "no conflicts"
    finish_command(
        (),
        None,
        stream=sys.stderr,
        product=text,
        remarks=[f"{found.names[0]} and {found.names[1]}: {count}"] if output == "text" else [],
        failed=bool(some),
        quiet=quiet,
    )
