"""The command `kitgen release check`."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.complete import offer, releases
from kitgen.cli.finish import finish
from kitgen.cli.options import common, output
from kitgen.errors import FindingsError
from kitgen.findings import Severity
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.schema.wording import counted


@click.command(context_settings=HELP)
@click.argument("version", required=False, shell_complete=offer(releases))
@click.option("--all", "every", is_flag=True, help="Look at all releases.")
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in Severity]),
    default=Severity.ERROR.value,
    show_default=True,
    help="What makes the exit code 1.",
)
@output(*FORMS)
@common
def check(
    version: str | None, *, every: bool, fail_on: str, output: str, root: Path | None, quiet: bool
) -> None:
    """Look for the mistakes that releases come out with.

    Without VERSION it looks at the newest release. Placeholders and what is no version, rows that go back or
    have no spec, patches that change more than a patch should, images of another version, and links to tags
    that nobody knows are found before anything is published. What somebody accepted is shown with the
    reason. `kitgen check` looks for the same, and counts what is accepted.

    \b
    kitgen release check            the newest release
    kitgen release check v1.0.1     another one
    kitgen release check --all -o json
    """
    from kitgen.pipeline.releases.checked import ReleaseCheckRequest, run_release_check

    if version is not None and every:
        raise click.UsageError("--all looks at all releases: leave VERSION out")
    try:
        result = run_release_check(ReleaseCheckRequest(root=root, version=version, every=every))
    except FindingsError as error:  # what is wrong with the specs is the result here
        finish(error.findings, error.root, output=output, fail_on=Severity(fail_on), quiet=quiet)
    remarks = []
    if output in FOR_PEOPLE and all(each.accepted for each in result.findings):
        told = result.releases[0] if len(result.releases) == 1 else counted(len(result.releases), "release")
        remarks.append(f"{told}, no findings")
    finish(
        result.findings,
        result.root,
        output=output,
        remarks=remarks,
        fail_on=Severity(fail_on),
        quiet=quiet,
        accepted=True,
    )
