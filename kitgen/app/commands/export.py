"""The command `kitgen export`: write the tree that the ODH operator mounts."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.finish import finish_command, list_changed_files, select_unaccepted, show_progress
from kitgen.report.options import FOLDER, common_options, release_option
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("target", shell_complete=make_completer(targets))
@click.argument("folder", metavar="DIR", type=FOLDER)
@release_option("Take this release instead of the one that the target pins.")
@common_options
def export(target: str, folder: Path, release: str | None, root: Path | None, quiet: bool) -> None:
    """Write the tree that the ODH operator mounts for TARGET into DIR.

    Each component's folder stands by itself. The operator rewrites params.env and builds the path
    that the target names.

    \b
    kitgen export odh manifests
    kubectl kustomize manifests/ray/openshift
    kitgen export odh old --release v1.0.0      another release
    """
    from kitgen.workspace.render import export_target as run

    with show_progress(quiet=quiet) as tell:
        exported = run(root, target, folder, release, tell)
    changes = exported.changes
    changed = len(list_changed_files(changes))
    files = sum(not path.startswith(".kitgen/") for path in (*changes.create, *changes.change, *changes.keep))
    finish_command(
        select_unaccepted(exported.findings),
        exported.root,
        stream=sys.stderr,
        remarks=[
            f"{format_count(files, 'file')} in {folder}: {changed} changed",
            *filter(None, [exported.note]),
        ],
        quiet=quiet,
    )
