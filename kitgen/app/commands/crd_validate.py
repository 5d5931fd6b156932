"""The command `kitgen crd validate`: validate custom resources against their CRDs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.findings import Severity
from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, sources
from kitgen.report.finish import finish_command
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.report.options import common_options, output_option
from kitgen.text.wording import escape_unprintable, format_count

if TYPE_CHECKING:
    from kitgen.crd.validate.objects import Validation


@click.command(context_settings=HELP)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", shell_complete=make_completer(paths=True)
)
@click.option(
    "--crds",
    multiple=True,
    metavar="SOURCE",
    shell_complete=make_completer(component_versions, sources, paths=True),
    help="Check against these CRDs alone: a file, COMPONENT@VERSION or another source; may be given again.",
)
@output_option(*FORMS)
@common_options
def validate(
    files: tuple[str, ...], root: Path | None, quiet: bool, crds: tuple[str, ...], output: str
) -> None:
    """Check custom resources against the declared CRDs.

    FILE is a file, a folder or - for standard input. Objects are checked as the API server does it:
    unknown fields, nulls, defaults, types, formats, patterns, list keys, names, scope and CEL rules. A
    finding that goes further than the server says why. Kinds that no CRD declares are named and skipped;
    if nothing is left, that is an error. Files of a folder that hold no objects are left out, and named.

    \b
    kitgen crd validate samples/
    kubectl get rayclusters -A -o yaml | kitgen crd validate -
    """
    from kitgen.app.crd_validate import validate_resources

    done, texts, remarks = validate_resources(root, files, crds)
    skipped = dict(sorted(Counter(done.skipped).items()))
    told: Iterable[str] = [] if quiet or output not in FOR_PEOPLE else _format_summary(done, skipped)
    finish_command(
        done.findings,
        None,
        output=output,
        texts=texts,
        product="".join(f"{escape_unprintable(line)}\n" for line in told),
        remarks=remarks,
        quiet=quiet,
        objects=done.objects,
        skipped=skipped,
    )


def _format_summary(done: Validation, skipped: Mapping[str, int]) -> Iterator[str]:
    errors = sum(finding.severity is Severity.ERROR for finding in done.findings)
    yield f"{format_count(done.objects, 'object')} checked, {format_count(errors, 'error')}"
    yield from (f"skipped, no CRD declares it: {kind} ({count})" for kind, count in skipped.items())
