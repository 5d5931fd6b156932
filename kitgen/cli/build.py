"""kitgen build: print final manifests."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.complete import components, offer, releases, targets
from kitgen.cli.options import common


@click.command(context_settings=HELP)
@click.argument("target", shell_complete=offer(targets))
@click.argument("component", required=False, shell_complete=offer(components))
@click.option(
    "--release",
    metavar="R",
    shell_complete=offer(releases),
    help="Take this release instead of the one that the target pins.",
)
@common
def build(target: str, component: str | None, release: str | None, root: Path | None, quiet: bool) -> None:
    """Print what a cluster gets for TARGET, or for one COMPONENT of it.

    The objects come straight from the specs; kustomize is not needed.

    \b
    kitgen build odh kueue
    kitgen build olm codeflare-operator --release v1.0.0
    """
    from kitgen.emit import flat
    from kitgen.pipeline import build as run
    from kitgen.pipeline import open_kit

    del quiet  # there is no talk to silence
    sys.stdout.write(flat(run(open_kit(root), target, component, release)))
    sys.stdout.flush()
