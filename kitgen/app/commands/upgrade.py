"""The command `kitgen upgrade`: convert specs of an older format."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options
from kitgen.report.streams import format_patch
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.option("--check", is_flag=True, help="Write nothing; fail if a spec would change.")
@common_options
def upgrade(check: bool, root: Path | None, quiet: bool) -> None:
    """Rewrite the kit's specs in the form that this kitgen reads.

    The form is the `format` in kit.yaml. Comments and layout stay. All files are written, or none, and
    the change is printed as a patch, so that it can be taken back.

    \b
    kitgen upgrade --check             show what would change
    kitgen upgrade > upgrade.patch     change it, and keep the patch
    patch -R -p1 < upgrade.patch       take it back
    """
    from kitgen.app.upgrade import upgrade_kit as run

    result = run(root, dry_run=check)
    done = f"format {result.found} to {result.current}: {format_count(len(result.files), 'file')}"
    if not result.files:
        said = f"the specs are of format {result.current} already"
    elif check:
        said = f"{done} to change, run kitgen upgrade"
    else:
        said = f"{done} changed; git restore takes it back, or patch -R -p1 with the patch"
    finish_command(
        (),
        None,
        product=format_patch(result.diff),
        remarks=[said],
        failed=check and bool(result.files),
        quiet=quiet,
    )
