"""The command `kitgen migrate plan`: write the runbook of a migration."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.finish import finish_command, show_progress
from kitgen.report.options import common_options, output_option


@click.command(context_settings=HELP)
@click.argument("name")
@click.option(
    "--target", required=True, metavar="T", shell_complete=make_completer(targets), help="The target."
)
@output_option("markdown", "json")
@common_options
def plan(name: str, *, target: str, output: str, root: Path | None, quiet: bool) -> None:
    """Print the runbook of the migration NAME for a target.

    For each phase: the commands in order, what they put at risk, how to go back, and what must hold before
    the next phase. Where OLM, the ODH operator or Argo CD looks after the target, it says what to do about
    them. It ends with what no tool can do for you. Nothing is run, and no cluster is asked.

    \b
    kitgen migrate plan mcad-groups --target olm
    kitgen migrate plan mcad-groups --target odh -o json
    """
    from kitgen.migrate.plan import RunbookRequest, plan_migration
    from kitgen.migrate.runbook.report import as_markdown
    from kitgen.report.documents import safe_json

    with show_progress(quiet=quiet) as tell:
        made = plan_migration(RunbookRequest(root=root, name=name, target=target), tell)
    text = safe_json(made.runbook) if output == "json" else as_markdown(made.runbook)
    finish_command(made.findings, made.root, stream=sys.stderr, product=text, quiet=quiet)
