"""The command `kitgen drift`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, sources, targets
from kitgen.report.finish import finish_command, make_reader
from kitgen.report.options import (
    changes_output,
    common_options,
    parse_day_or_today,
    release_option,
)

NAMES = make_completer(targets, sources, paths=True)


@click.command(context_settings=HELP)
@click.argument("one", required=False, shell_complete=NAMES)
@click.argument("other", required=False, shell_complete=NAMES)
@release_option("Compare targets in this release.  [default: the one that the first target pins]")
@click.option(
    "--declared",
    metavar="TARGET[/OTHER]",
    help="Whose declarations count where ONE is no target: what TARGET says of OTHER, or of real.",
)
@click.option(
    "--today",
    metavar="DAY",
    callback=parse_day_or_today,
    help="The day that declarations must not be past, such as 2030-01-31.  [default: today]",
)
@changes_output
@common_options
def drift(
    one: str | None,
    other: str | None,
    *,
    release: str | None,
    declared: str | None,
    today: str,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Report every difference between ONE and OTHER that nobody says is meant.

    ONE is a target, OTHER a target or the real thing: a checkout of its fork, manifests, a bundle, standard
    input. A target says in `drift` what it is held against and which differences are meant, with a reason;
    a feature, a patch or a permission that is withheld has its own. With ONE alone, it is held against all
    that it says; with none, so is every target. A declared difference that is no longer there is reported
    too. Exit code 1 means drift.

    \b
    kitgen drift                           all that targets say they are held against
    kitgen drift odh rhoai                 two targets
    kitgen drift odh/kueue kueue/config    a component, and a checkout of its fork
    kitgen drift -o markdown               the table for a discussion
    """
    from kitgen.compare.report import drift as drifts
    from kitgen.compare.run.drift import find_drift

    made = find_drift(root, one, other, declared=declared, release=release, today=today)
    read = make_reader(made.root, made.texts)
    match output:
        case "json":
            text = drifts.as_json(made.pairs, made.findings, read)
        case "markdown":
            text = drifts.as_markdown(made.pairs, read)
        case _:
            text = drifts.as_text(made.pairs, read, quiet=quiet)
    failed = any(each.undeclared_differences for each in made.pairs)
    finish_command(
        made.findings,
        made.root,
        stream=sys.stderr,
        texts=made.texts,
        product=text,
        remarks=()
        if made.pairs
        else ["nothing was compared: no target says in drift what it is held against; name two sides"],
        failed=failed,
        quiet=quiet,
    )
