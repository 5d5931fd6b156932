"""kitgen render: write overlays/."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.cli import HELP, complete
from kitgen.cli.complete import offer
from kitgen.cli.finish import changed_files, finish, progress
from kitgen.cli.options import FOLDER, common, in_release
from kitgen.schema.wording import counted, printable


@click.command(context_settings=HELP)
@click.argument("targets", nargs=-1, shell_complete=offer(complete.targets))
@click.option("--check", is_flag=True, help="Write nothing; fail if the tree would change.")
@in_release("Take this release instead of the one that each target pins.")
@click.option(
    "--out",
    type=FOLDER,
    help="Write into this folder instead of overlays/.",
)
@click.option("--no-cache", is_flag=True, help="Do not trust what an earlier run found up to date.")
@common
def render(
    targets: tuple[str, ...],
    check: bool,
    release: str | None,
    out: Path | None,
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
    from kitgen.pipeline.render import render as run
    from kitgen.pipeline.rendered import RenderRequest

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
    said = f"{counts}: {len(changed)} {'not up to date, run kitgen render' if stale else 'changed'}"
    found = (*result.findings, *result.of_folder)
    finish(found, result.root, stream=sys.stderr, product=lines, remarks=[said], failed=stale, quiet=quiet)


def _shown(out: Path, root: Path) -> str:
    return out.relative_to(root).as_posix() if out.is_relative_to(root) else str(out)
