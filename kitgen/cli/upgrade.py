"""kitgen upgrade: specs of an older form."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.finish import talk
from kitgen.cli.options import common
from kitgen.errors import ExitCode
from kitgen.schema.wording import counted


@click.command(context_settings=HELP)
@click.option("--check", is_flag=True, help="Write nothing; fail if a spec would change.")
@common
def upgrade(check: bool, root: Path | None, quiet: bool) -> None:
    """Rewrite the kit's specs in the form that this kitgen reads.

    The form is the `format` in kit.yaml. Comments and layout stay. All files are written, or none, and
    the change is printed as a patch, so that it can be taken back.

    \b
    kitgen upgrade --check             show what would change
    kitgen upgrade > upgrade.patch     change it, and keep the patch
    patch -R -p1 < upgrade.patch       take it back
    """
    from kitgen.pipeline.upgrade import UpgradeRequest
    from kitgen.pipeline.upgrade import upgrade as run

    result = run(UpgradeRequest(root=root, dry_run=check))
    sys.stdout.write(result.diff)
    sys.stdout.flush()
    if not result.files:
        talk(f"the specs are of format {result.current} already", quiet=quiet)
        return
    done = f"format {result.found} to {result.current}: {counted(len(result.files), 'file')}"
    if check:
        talk(f"{done} to change, run kitgen upgrade", quiet=quiet)
        sys.exit(ExitCode.FINDINGS)
    talk(f"{done} changed; git restore takes it back, or patch -R -p1 with the patch", quiet=quiet)
