"""The command `kitgen export`: write the tree that the ODH operator mounts."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import offer, targets
from kitgen.report.finish import changed_files, finish, progress, standing
from kitgen.report.options import FOLDER, common, in_release
from kitgen.text.wording import counted


@click.command(context_settings=HELP)
@click.argument("target", shell_complete=offer(targets))
@click.argument("folder", metavar="DIR", type=FOLDER)
@in_release("Take this release instead of the one that the target pins.")
@common
def export(target: str, folder: Path, release: str | None, root: Path | None, quiet: bool) -> None:
    """Write the tree that the ODH operator mounts for TARGET into DIR.

    Each component's folder stands by itself. The operator rewrites params.env and builds the path
    that the target names.

    \b
    kitgen export odh manifests
    kubectl kustomize manifests/ray/openshift
    kitgen export odh old --release v1.0.0      another release
    """
    from kitgen.workspace.render import export as run

    with progress(quiet=quiet) as tell:
        exported = run(root, target, folder, release, tell)
    changes = exported.changes
    changed = len(changed_files(changes))
    files = sum(not path.startswith(".kitgen/") for path in (*changes.create, *changes.change, *changes.keep))
    finish(
        standing(exported.findings),
        exported.root,
        stream=sys.stderr,
        remarks=[f"{counted(files, 'file')} in {folder}: {changed} changed", *filter(None, [exported.note])],
        quiet=quiet,
    )
