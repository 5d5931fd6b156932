"""The command `kitgen flatten`: write a spec without the specs that it builds on."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, releases, sources, targets
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options
from kitgen.report.streams import format_patch
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=make_completer(targets, component_versions, releases, sources))
@click.option("--dry-run", is_flag=True, help="Write nothing; print the change as a patch.")
@common_options
def flatten(source: str, dry_run: bool, root: Path | None, quiet: bool) -> None:
    """Write SOURCE out with all that it builds on, so that it says all by itself.

    SOURCE is a component's version, a target or a release with `from`. What it says stays the same, and so
    do comments and layout of the parts that it takes over. CRDs and config.yaml are written out too. All
    files are written, or none.

    \b
    kitgen flatten component:kueue@v0.7.1
    kitgen flatten staging --dry-run
    """
    from kitgen.app.flatten import flatten_spec as run

    name, files, patch = run(root, source, dry_run=dry_run)
    done = "to change" if dry_run else "changed; git restore takes it back"
    finish_command(
        (),
        None,
        product=format_patch(patch) if dry_run else "",
        remarks=[f"{name}: {format_count(files, 'file')} {done}"],
        quiet=quiet,
    )
