"""kitgen pin: move a target to a release."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, releases, targets, upgrade_rules
from kitgen.report.finish import finish_command, make_reader
from kitgen.report.options import common_options, output_option
from kitgen.report.streams import get_terminal_width, has_colour
from kitgen.text.wording import join_words

if TYPE_CHECKING:
    from kitgen.compare.report.review_view import View
    from kitgen.compare.review.change import ReviewResult
    from kitgen.release.pin import PinResult


@click.command(context_settings=HELP)
@click.argument("target", shell_complete=make_completer(targets))
@click.argument("version", shell_complete=make_completer(releases))
@click.option(
    "--accept",
    multiple=True,
    metavar="RULE",
    shell_complete=make_completer(upgrade_rules),
    help="Accept that the move breaks a rule of upgrades.",
)
@click.option("--reason", default="", metavar="TEXT", help="Why that is accepted; it stays in the file.")
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would change.")
@click.option("-a", "--all", "whole", is_flag=True, help="Show every change, the harmless ones too.")
@output_option("text", "json")
@common_options
def pin(
    target: str,
    version: str,
    *,
    accept: tuple[str, ...],
    reason: str,
    dry_run: bool,
    whole: bool,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Move TARGET to the release VERSION, and tell what changes on a cluster.

    The release is changed in the target's file, and every other byte of it stays. What kitgen diff tells
    between the two releases is shown first. What the rules of upgrades refuse is refused, and nothing is
    written, unless it is accepted with a reason, which stays in the file for as long as the target is there.

    \b
    kitgen pin odh v1.16.0 --dry-run
    kitgen pin odh v1.16.0 --accept upgrade-crd --reason "users were told in June"
    kitgen pin odh v1.15.0                 back again
    """
    if bool(accept) is not bool(reason.strip()):
        raise click.UsageError("--accept needs a --reason, and --reason an --accept")
    from kitgen.release.pin import PinRequest
    from kitgen.release.pin import pin_target as run

    def show(diff: ReviewResult) -> None:
        if output == "text":
            from kitgen.compare.report.review_text import as_text

            width, colours = get_terminal_width(sys.stdout), has_colour(sys.stdout)
            text = as_text(_build_view(diff), whole=whole, quiet=quiet, width=width, colour=colours)
            click.echo(text, nl=False, color=colours)

    made = run(
        PinRequest(
            root=root, target=target, version=version, accept=accept, reason=reason.strip(), dry_run=dry_run
        ),
        show,
    )
    if output == "json":
        from kitgen.release.pin_report import as_json

        text = as_json(
            made, _build_view(made.diff) if made.diff else None, make_reader(made.root, made.texts)
        )
        finish_command((), made.root, product=text, failed=bool(made.refused), quiet=quiet)
    remarks = _describe_pin(made, dry_run=dry_run)
    found = (*made.refused, *(made.diff.unread if made.diff else ()))
    finish_command(found, made.root, stream=sys.stderr, texts=made.texts, remarks=remarks, quiet=quiet)


def _build_view(diff: ReviewResult) -> View:
    from kitgen.compare.report.review_view import View

    return View(diff.changes, diff.scopes, make_reader(None, diff.texts))


def _describe_pin(made: PinResult, *, dry_run: bool) -> list[str]:
    """Say what was done, what comes next, and how to go back."""
    from kitgen.compare.report.review_view import format_summary

    if made.diff is None:
        return [f"{made.target} is at {made.after} already"]
    lines = [format_summary(made.diff.changes)]
    if made.gone:
        lines.append(
            f"{made.after} does not build {join_words(made.gone, last='and')}, which {made.target} names"
        )
    if made.refused:
        broken = sorted({each.rule.id for each in made.refused if each.rule.exceptable})
        options = " ".join(f"--accept {each}" for each in broken)
        return [
            *lines,
            "nothing was written" + (f"; to move anyway: {options} --reason TEXT" if broken else ""),
        ]
    lines.append(f"{made.target}: {made.before} → {made.after} in {made.file}{' (not written)' * dry_run}")
    if made.above:
        lines.append(f"it took its release from {made.above}, and says its own from now on")
    if made.along:
        lines.append(f"moved along, since built on it: {join_words(made.along, last='and')}")
    lines += [f"accepted {each.rule} from {each.before}: {each.reason}" for each in made.accepted]
    return lines if dry_run else [*lines, "next: kitgen render", f"to go back: {made.undo_command}"]
