"""The command `kitgen render`: write overlays/."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report import completion
from kitgen.report.click_settings import HELP
from kitgen.report.completion import offer
from kitgen.report.finish import changed_files, finish, progress, reader
from kitgen.report.options import FOLDER, common, in_release
from kitgen.report.streams import colour, columns
from kitgen.text.wording import counted, printable

if TYPE_CHECKING:
    from kitgen.compare.review.change import ReviewResult
    from kitgen.workspace.render_request import RenderResult


@click.command(context_settings=HELP)
@click.argument("targets", nargs=-1, shell_complete=offer(completion.targets))
@click.option("--check", is_flag=True, help="Write nothing; fail if the tree would change.")
@in_release("Take this release instead of the one that each target pins.")
@click.option(
    "--out",
    type=FOLDER,
    help="Write into this folder instead of overlays/.",
)
@click.option("--diff", "whole", is_flag=True, help="Show all that changes on a cluster.")
@click.option("--no-cache", is_flag=True, help="Do not trust what an earlier run found up to date.")
@common
def render(
    targets: tuple[str, ...],
    check: bool,
    release: str | None,
    out: Path | None,
    whole: bool,
    no_cache: bool,
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
    from kitgen.app.render import render as run
    from kitgen.workspace.render_request import RenderRequest

    request = RenderRequest(
        root=root, targets=targets, dry_run=check, release=release, out=out, cached=not no_cache
    )
    with progress(quiet=quiet) as tell:
        result = run(request, tell)
    numbers = ((len(result.targets), "target"), (result.objects, "object"), (result.files, "file"))
    counts = ", ".join(counted(*each) for each in numbers)
    changed = changed_files(result.changes)
    stale = check and bool(changed)
    shown = _shown(result.out, result.root)
    lines = "".join(printable(f"{word}: {shown}/{path}") + "\n" for word, path in changed) if check else ""
    view, told = _cluster(result, whole=whole, quiet=quiet)
    said = f"{counts}: {len(changed)} {'not up to date, run kitgen render' if stale else 'changed'}"
    found = (*result.findings, *result.of_folder)
    finish(
        found,
        result.root,
        stream=sys.stderr,
        product=lines + view,
        remarks=[said, *told],
        failed=stale,
        quiet=quiet,
    )


def _cluster(result: RenderResult[ReviewResult], *, whole: bool, quiet: bool) -> tuple[str, list[str]]:
    """Return what changes on a cluster, in full if requested, otherwise its dangers and a summary."""
    if result.diff is None:
        unknown = (
            "what changes on a cluster is not known: what was there is neither of the last commit nor of"
        )
        return "", [f"{unknown} the last render here; kitgen diff compares revisions"] * result.unknown
    from kitgen.compare.report.review_text import as_text, dangers
    from kitgen.compare.report.review_view import View, summary

    view = View(result.diff.changes, result.diff.scopes, reader(result.root, result.diff.texts))
    if whole:
        width, colours = columns(sys.stdout), colour(sys.stdout)
        text = as_text(view, whole=True, quiet=quiet, width=width, colour=colours)
        return text, [f"on a cluster: {summary(view.changes)}"]
    return "", [f"on a cluster: {summary(view.changes)}", *dangers(view)]


def _shown(out: Path, root: Path) -> str:
    return out.relative_to(root).as_posix() if out.is_relative_to(root) else str(out)
