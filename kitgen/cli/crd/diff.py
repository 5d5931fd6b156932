"""The command `kitgen crd diff`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.complete import component_versions, offer
from kitgen.cli.crd.input import Reader, Text, as_text, crds_of, is_of_kit, leave
from kitgen.cli.options import common, output
from kitgen.cli.terminal import colour
from kitgen.errors import UsageError


@click.command(context_settings=HELP)
@click.argument("old", shell_complete=offer(component_versions, paths=True))
@click.argument("new", shell_complete=offer(component_versions, paths=True))
@output("text", "json", "markdown")
@click.option(
    "--exceptions",
    metavar="FILE",
    shell_complete=offer(paths=True),
    help="Accept the breaking changes that FILE names with a reason.",
)
@common
def diff(old: str, new: str, *, root: Path | None, quiet: bool, output: str, exceptions: str | None) -> None:
    """Class the changes between CRDs by risk.

    OLD and NEW are files, folders, or versions of the kit written COMPONENT@VERSION. Exit code 1 says
    that a change is breaking and no exception names it, or that an exception is wrong or stale.

    \b
    kitgen crd diff codeflare-operator@v1.0.0 appwrapper@v0.20.2
    kitgen crd diff kuberay@v1.1.0 downloaded/ --output markdown
    """
    from kitgen.diff.crds.bases import bases_hint
    from kitgen.diff.crds.compare import compare
    from kitgen.diff.exceptions import judge, read_exceptions
    from kitgen.report.changes import as_json, as_markdown
    from kitgen.report.changes import as_text as as_plain_text

    text = _read(exceptions) if exceptions else None
    accepted, wrong = read_exceptions(text.documents[0], text.file) if text and text.documents else ((), ())
    before, after = crds_of(old, root), crds_of(new, root)
    changes = compare(before, after)
    hint = bases_hint(None if is_of_kit(old) else before, None if is_of_kit(new) else after, changes)
    verdict = replace(judge(changes, accepted, wrong), hint=hint)
    if text is not None:
        verdict = replace(verdict, findings=tuple(text.located(verdict.findings, 0)))
    if quiet:
        verdict = replace(verdict, changes=verdict.breaking)
    write = {"text": as_plain_text, "json": as_json, "markdown": as_markdown}[output]
    click.echo(write(verdict), nl=False)
    click.echo(as_text(verdict.findings, stream=sys.stderr), nl=False, err=True, color=colour(sys.stderr))
    leave(failed=verdict.failed)


def _read(file: str) -> Text | None:
    """Read the exceptions; one document, and a name that leads to a file."""
    reader = Reader()
    texts = list(reader.texts([file]))
    reader.stop()
    if len(texts) != 1 or len(texts[0].documents) > 1:
        raise UsageError(f"{file} is not one file with one list of exceptions")
    return texts[0]
