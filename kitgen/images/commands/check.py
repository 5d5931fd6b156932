"""kitgen images check: whether the images of targets are ready for a cluster without a network."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.findings import Severity
from kitgen.findings.errors import FindingsError
from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, targets
from kitgen.report.documents import TargetReadiness
from kitgen.report.finish import finish_command
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.report.options import common_options, fail_on_option, output_option, release_option
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("names", metavar="[TARGET]...", nargs=-1, shell_complete=make_completer(targets))
@release_option("Look at this release instead of those that targets pin.")
@fail_on_option
@output_option(*FORMS)
@common_options
def check(
    names: tuple[str, ...], release: str | None, fail_on: str, output: str, root: Path | None, quiet: bool
) -> None:
    """Tell whether the images of each TARGET are ready for a cluster without a network.

    Every image is to have a digest, to be listed, and to follow params.env where the ODH operator fills it.
    An OLM bundle lists all of them. No container fetches anything when it runs. What a release records, such
    as an SDK, has its default images in `runtimeImages`. Without a TARGET, it is all of them. The last lines
    say READY or NOT READY. Exit code 1 means that there are errors, or warnings with --fail-on warning. A tag
    in params.env, which the ODH operator fills, is a warning.

    \b
    kitgen images check
    kitgen images check rhoai --release v1.16.0
    kitgen images check odh --fail-on warning -o sarif
    """
    from kitgen.images.readiness import ReadyRequest, check_readiness

    level = Severity(fail_on)
    try:
        result = check_readiness(ReadyRequest(root=root, targets=names, release=release, fail_on=level))
    except FindingsError as error:  # what is wrong with the specs is the result here
        finish_command(error.findings, error.root, output=output, fail_on=level, quiet=quiet)
    said = [*map(_describe_readiness, result.targets)] if output in FOR_PEOPLE else []
    finish_command(
        result.findings,
        result.root,
        output=output,
        remarks=said,
        fail_on=level,
        quiet=quiet,
        readiness=result.targets,
    )


def _describe_readiness(found: TargetReadiness) -> str:
    """Say in a line whether a target is ready."""
    counts = (
        format_count(found.images, "image"),
        format_count(found.errors, "error"),
        format_count(found.warnings, "warning"),
    )
    word = "READY" if found.ready else "NOT READY"
    return f"{word}: {found.target} {found.release} ({', '.join(counts)})"
