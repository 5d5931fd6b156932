"""kitgen check: specs, rendered objects, anybody's manifests."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.finish import counted, exit_for, show, talk
from kitgen.cli.options import common, complete_target, output
from kitgen.errors import ExitCode, FindingsError


@click.command(context_settings=HELP)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_target)
@output("text", "json")
@common
def check(names: tuple[str, ...], output: str, root: Path | None, quiet: bool) -> None:
    """Check targets, or manifests in files, folders and standard input (-).

    A NAME is a target if the kit has one of that name, else a path. A rendered overlay
    counts as what kustomize builds of it. No NAME means the whole kit: all
    specs, and every object of every target, against the schemas of each Kubernetes minor in the kit's
    range. Exit code 1 means that there are errors.

    \b
    kitgen check                       the whole kit
    kitgen check odh -o json           one target, for a program
    kubectl get deploy -o yaml | kitgen check -
    """
    from kitgen.pipeline import check_names, open_kit

    try:
        result = check_names(open_kit(root), names)
    except FindingsError as error:  # what is wrong with the specs is the result here
        show(error.findings, error.root, output=output, quiet=quiet)
        sys.exit(ExitCode.FINDINGS)
    show(result.findings, result.root, output=output, texts=result.texts, quiet=quiet)
    if result.aside:
        left = counted(result.aside, "kustomization or patch", "kustomizations and patches")
        talk(f"{left} left out: they are for kustomize", quiet=quiet)
    if not result.findings and output == "text":
        talk(f"{counted(result.objects, 'object')}, no findings", quiet=quiet)
    sys.exit(exit_for(result.findings))
