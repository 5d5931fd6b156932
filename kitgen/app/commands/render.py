"""The command `kitgen render`: write overlays/."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from kitgen.report import completion
from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer
from kitgen.report.finish import finish_command, list_changed_files, make_reader, show_progress
from kitgen.report.options import FOLDER, common_options, release_option
from kitgen.report.streams import get_terminal_width, has_colour
from kitgen.text.wording import escape_unprintable, format_count

if TYPE_CHECKING:
    from kitgen.compare.review.change import ReviewResult
    from kitgen.workspace.render_request import RenderResult


@click.command(context_settings=HELP)
@click.argument("targets", nargs=-1, shell_complete=make_completer(completion.targets))
@click.option("--check", is_flag=True, help="Write nothing; fail if the tree would change.")
@release_option("Take this release instead of the one that each target pins.")
@click.option(
    "--out",
    type=FOLDER,
    help="Write into this folder instead of overlays/.",
)
@click.option("--diff", "whole", is_flag=True, help="Show all that changes on a cluster.")
@common_options
def render(
    targets: tuple[str, ...],
    check: bool,
    release: str | None,
    out: Path | None,
    whole: bool,
    root: Path | None,
    quiet: bool,
) -> None:
    """Render TARGETS (all of them by default) into overlays/.

    Specs and rendered objects are checked first; nothing is written while an error stands. Only files
    that kitgen generated are changed or deleted.

    \b
    kitgen render                              all targets
    kitgen render odh --check                  is overlays/odh up to date?
    kitgen render --release v1.0.0 --out old   another release, elsewhere
    """
    if release and not out:
        raise click.UsageError("--release needs --out: overlays/ holds what the targets pin")
    from msgspec.structs import replace

    from kitgen.app.render import render_kit as run
    from kitgen.files.tree_changes import TreeChanges
    from kitgen.workspace.answers import rehearse_answer
    from kitgen.workspace.render_request import RenderRequest

    request = RenderRequest(root=root, targets=targets, dry_run=check, release=release, out=out)
    with show_progress(quiet=quiet) as tell:
        result = run(request, tell)
    if result.log and not (check and result.changes.has_changes):
        done = replace(result, changes=TreeChanges(out=result.out), of_folder=(), diff=None, unknown=False)
        rehearse_answer(result.log, partial(_finish_render, done, check=check, whole=whole, quiet=quiet))
    _finish_render(result, check=check, whole=whole, quiet=quiet)


def _finish_render(result: RenderResult[ReviewResult], *, check: bool, whole: bool, quiet: bool) -> NoReturn:
    numbers = ((len(result.targets), "target"), (result.objects, "object"), (result.files, "file"))
    counts = ", ".join(format_count(*each) for each in numbers)
    changed = list_changed_files(result.changes)
    stale = check and bool(changed)
    shown = _format_path(result.out, result.root)
    lines = (
        "".join(escape_unprintable(f"{word}: {shown}/{path}") + "\n" for word, path in changed)
        if check
        else ""
    )
    view, told = _format_cluster_changes(result, whole=whole, quiet=quiet)
    said = f"{counts}: {len(changed)} {'not up to date, run kitgen render' if stale else 'changed'}"
    found = (*result.findings, *result.of_folder)
    finish_command(
        found,
        result.root,
        stream=sys.stderr,
        product=lines + view,
        remarks=[said, *told],
        failed=stale,
        quiet=quiet,
    )


def _format_cluster_changes(
    result: RenderResult[ReviewResult], *, whole: bool, quiet: bool
) -> tuple[str, list[str]]:
    """Return what changes on a cluster, in full if requested, otherwise its dangers and a summary."""
    if result.diff is None:
        unknown = (
            "what changes on a cluster is not known: what was there is neither of the last commit nor of"
        )
        return "", [f"{unknown} the last render here; kitgen diff compares revisions"] * result.unknown
    from kitgen.compare.report.review_text import as_text, format_risky_changes
    from kitgen.compare.report.review_view import View, format_summary

    view = View(result.diff.changes, result.diff.scopes, make_reader(result.root, result.diff.texts))
    if whole:
        width, colours = get_terminal_width(sys.stdout), has_colour(sys.stdout)
        text = as_text(view, whole=True, quiet=quiet, width=width, colour=colours)
        return text, [f"on a cluster: {format_summary(view.changes)}"]
    return "", [f"on a cluster: {format_summary(view.changes)}", *format_risky_changes(view)]


def _format_path(out: Path, root: Path) -> str:
    return out.relative_to(root).as_posix() if out.is_relative_to(root) else str(out)
