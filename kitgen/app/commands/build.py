"""The command `kitgen build`: print final manifests."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import components, offer, sources, targets
from kitgen.report.finish import finish, standing
from kitgen.report.options import common, in_release


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=offer(targets, sources))
@click.argument("component", required=False, shell_complete=offer(components))
@in_release("Take this release instead of the one that the target pins.")
@common
def build(source: str, component: str | None, release: str | None, root: Path | None, quiet: bool) -> None:
    """Print what a cluster gets for SOURCE, or for one COMPONENT of it.

    SOURCE is a target, such as odh, target:odh@v1.5.0 or git:main:target:odh, or a component by itself,
    such as component:kuberay@v1.1.0. The objects come straight from the specs; kustomize is not needed.

    \b
    kitgen build odh kueue
    kitgen build olm codeflare-operator --release v1.0.0
    kitgen build git:main:target:odh/kueue       as it is on main
    """
    from kitgen.app.build import build as run
    from kitgen.text.yaml import dump_all

    made = run(root, source, component or "", release or "")
    finish(
        standing(made.findings),
        made.root,
        stream=sys.stderr,
        product=dump_all(manifest.body for manifest in made.objects),
        quiet=quiet,
    )
