"""The command `kitgen build`: print final manifests."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import components, make_completer, sources, targets
from kitgen.report.finish import finish_command, select_unaccepted
from kitgen.report.options import common_options, release_option


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=make_completer(targets, sources))
@click.argument("component", required=False, shell_complete=make_completer(components))
@release_option("Take this release instead of the one that the target pins.")
@common_options
def build(source: str, component: str | None, release: str | None, root: Path | None, quiet: bool) -> None:
    """Print what a cluster gets for SOURCE, or for one COMPONENT of it.

    SOURCE is a target, such as odh, target:odh@v1.5.0 or git:main:target:odh, or a component by itself,
    such as component:kuberay@v1.1.0. The objects come straight from the specs; kustomize is not needed.

    \b
    kitgen build odh kueue
    kitgen build olm codeflare-operator --release v1.0.0
    kitgen build git:main:target:odh/kueue       as it is on main
    """
    from kitgen.app.build import build_objects as run
    from kitgen.text.yaml import dump_yaml_documents

    made = run(root, source, component or "", release or "")
    finish_command(
        select_unaccepted(made.findings),
        made.root,
        stream=sys.stderr,
        product=dump_yaml_documents(manifest.body for manifest in made.objects),
        quiet=quiet,
    )
