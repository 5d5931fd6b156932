"""The command `kitgen migrate render`: write what a target deploys in one phase."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.finish import finish_command, show_progress
from kitgen.report.options import FOLDER, common_options
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("name")
@click.option(
    "--target", required=True, metavar="T", shell_complete=make_completer(targets), help="The target."
)
@click.option("--phase", required=True, metavar="P", help="The phase to bring the cluster to.")
@click.option("--from", "start", default="", metavar="P", help="The phase that the cluster is in.")
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="The folder to write.")
@common_options
def render(
    name: str, *, target: str, phase: str, start: str, out: Path, root: Path | None, quiet: bool
) -> None:
    """Write what a target brings in one phase of the migration NAME.

    The folder is one that kustomize builds. It is checked for the minors of Kubernetes that the migration
    says, and against the phase before it: what the migration declares is no error there. With --from, a
    phase that would be left out is one.

    \b
    kitgen migrate render mcad-groups --target olm --phase prepare --out phase
    kubectl apply --server-side -k phase
    """
    from kitgen.migrate.render import PhaseRequest, render_phase

    with show_progress(quiet=quiet) as tell:
        made = render_phase(
            PhaseRequest(root=root, name=name, target=target, phase=phase, start=start, out=out), tell
        )
    what = f"{format_count(made.objects, 'object')} of release {made.release}"
    remark = (
        f"phase {made.phase} of {name}: {what}, "
        f"{format_count(len(made.changes.changed_files), 'file')} changed"
    )
    finish_command(made.findings, made.root, stream=sys.stderr, remarks=[remark], quiet=quiet)
