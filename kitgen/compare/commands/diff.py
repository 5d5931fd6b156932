"""The command `kitgen diff`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.compare.change import Risk
from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, releases, sources, targets
from kitgen.report.finish import finish_command, make_reader
from kitgen.report.options import common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour

NAMES = make_completer(targets, component_versions, releases, sources, paths=True)


@click.command(context_settings=HELP)
@click.argument("before", required=False, shell_complete=NAMES)
@click.argument("after", required=False, shell_complete=NAMES)
@click.option("-a", "--all", "whole", is_flag=True, help="Show every change, the harmless ones too.")
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in Risk]),
    default=Risk.COSMETIC.value,
    show_default=True,
    help="The least risk that makes the exit code 1.",
)
@output_option("text", "json", "markdown", "unified")
@common_options
def diff(
    before: str | None,
    after: str | None,
    *,
    whole: bool,
    fail_on: str,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Tell what changes on a cluster from BEFORE to AFTER, worst first.

    Both are sources: a revision of the kit, a target in a release, a folder, standard input. With BEFORE
    alone, it is held against the work tree; with none, the last commit is. Breaking and security changes are
    shown in full, the others counted. What a cluster cannot see does not count. Exit code 0 says equal, 1
    different.

    \b
    kitgen diff                                what the work tree changes since the last commit
    kitgen diff git:main                       … since main
    kitgen diff target:rhoai@v1.5.0            what the pinned release of rhoai changes since v1.5.0
    kitgen diff odh rhoai                      two targets
    kubectl get deploy,svc -o yaml | kitgen diff target:odh -
    """
    from kitgen.compare.report.review_view import View, format_summary
    from kitgen.compare.run.diff import diff_sources as run

    made = run(root, before, after)
    view = View(made.changes, made.scopes, make_reader(None, made.texts))
    # What is accepted counts as what its reason is: a change that people were told how to live with.
    risks = (Risk.BEHAVIOUR if each.change.accepted else each.risk for each in made.changes)
    failed = any(each.rank <= Risk(fail_on).rank for each in risks)
    match output:
        case "json":
            from kitgen.compare.report.review_json import as_json

            text = as_json(view, made.names, failed=failed)
        case "markdown":
            from kitgen.compare.report.review_markdown import as_markdown

            text = as_markdown(view, made.names)
        case "unified":
            from kitgen.compare.report.review_unified import as_unified_diff

            text = as_unified_diff(made.changes, made.sides)
        case _:
            from kitgen.compare.report.review_text import as_text

            width, colours = get_terminal_width(sys.stdout), has_colour(sys.stdout)
            text = as_text(view, whole=whole, quiet=quiet, width=width, colour=colours)
    remarks = [*made.remarks, *([format_summary(made.changes)] if made.changes and output == "text" else [])]
    finish_command(
        made.unread, None, stream=sys.stderr, product=text, remarks=remarks, failed=failed, quiet=quiet
    )
