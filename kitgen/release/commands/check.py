"""The command `kitgen release check`."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.findings import Severity
from kitgen.findings.errors import FindingsError
from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, releases, targets
from kitgen.report.finish import finish_command
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.report.options import common_options, fail_on_option, output_option
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("version", required=False, shell_complete=make_completer(releases))
@click.option("--all", "every", is_flag=True, help="Look at all releases.")
@click.option(
    "--against",
    multiple=True,
    metavar="FILE|DIR",
    shell_complete=make_completer(paths=True),
    help="Hold files of others to the release; may be given again.",
)
@click.option(
    "--target",
    metavar="T",
    shell_complete=make_completer(targets),
    help="Count the versions that this target takes.  [default: those of any]",
)
@fail_on_option
@output_option(*FORMS)
@common_options
def check(
    version: str | None,
    *,
    every: bool,
    against: tuple[str, ...],
    target: str | None,
    fail_on: str,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Look for the mistakes that releases come out with.

    Without VERSION it looks at the newest release. Placeholders and what is no version, rows that go back or
    have no spec, patches that change more than a patch should, images of another version, and links to tags
    that nobody knows are found before anything is published. What somebody accepted is shown with the
    reason. `kitgen check` looks for the same, and counts what is accepted.

    With --against, it holds files of others to the release, too. It knows them by their names and by what is
    in them: READMEs with a matrix, component_metadata.yaml, params.env, get_all_manifests.sh,
    manifests-config.yaml and ClusterServiceVersions. With --all, a README or a bundle is held to the release
    that it says it is of.

    \b
    kitgen release check            the newest release
    kitgen release check v1.0.1     another one
    kitgen release check --all -o json
    kitgen release check v1.16.0 --against ../kuberay --against get_all_manifests.sh --target rhoai
    """
    from kitgen.release.check import run_release_check

    if version is not None and every:
        raise click.UsageError("--all looks at all releases: leave VERSION out")
    if target is not None and not against:
        raise click.UsageError("--target is for what --against names")
    try:
        result = run_release_check(root, version, every=every, against=against, target=target)
    except FindingsError as error:  # what is wrong with the specs is the result here
        finish_command(error.findings, error.root, output=output, fail_on=Severity(fail_on), quiet=quiet)
    remarks = [*result.remarks]
    if output in FOR_PEOPLE and all(each.accepted for each in result.findings):
        told = (
            result.releases[0] if len(result.releases) == 1 else format_count(len(result.releases), "release")
        )
        remarks.append(f"{told}, no findings")
    finish_command(
        result.findings,
        result.root,
        output=output,
        texts=result.texts,
        remarks=remarks,
        fail_on=Severity(fail_on),
        quiet=quiet,
        accepted=True,
    )
