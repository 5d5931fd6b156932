"""The command `kitgen flatten`: write a spec without the specs that it builds on."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, offer, releases, sources, targets
from kitgen.report.finish import finish
from kitgen.report.options import common
from kitgen.text.wording import counted, printable


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=offer(targets, component_versions, releases, sources))
@click.option("--dry-run", is_flag=True, help="Write nothing; print the change as a patch.")
@common
def flatten(source: str, dry_run: bool, root: Path | None, quiet: bool) -> None:
    """Write SOURCE out with all that it builds on, so that it says all by itself.

    SOURCE is a component's version, a target or a release with `from`. What it says stays the same, and so
    do comments and layout of the parts that it takes over. CRDs and config.yaml are written out too. All
    files are written, or none.

    \b
    kitgen flatten component:kueue@v0.7.1
    kitgen flatten staging --dry-run
    """
    from kitgen.app.flatten import flatten as run

    result = run(root, source, dry_run=dry_run)
    count = counted(len(result.files), "file")
    if not dry_run:
        remark = f"{result.source}: {count} changed; git restore takes it back"
        finish((), None, remarks=[remark], quiet=quiet)
    seen = sys.stdout.isatty()  # else it may be for patch, which takes it as it is
    text = "".join(f"{printable(line)}\n" for line in result.patch.splitlines()) if seen else result.patch
    finish((), None, product=text, remarks=[f"{result.source}: {count} to change"], quiet=quiet)
