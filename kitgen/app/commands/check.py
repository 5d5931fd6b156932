"""The command `kitgen check`: validate specs, rendered objects and foreign manifests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.findings import Severity
from kitgen.findings.errors import FindingsError
from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, rule_names, sources, targets
from kitgen.report.finish import finish_command
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.report.options import (
    common_options,
    fail_on_option,
    output_option,
    parse_day_or_today,
    release_option,
)
from kitgen.text.wording import format_count

if TYPE_CHECKING:
    from kitgen.workspace.checks import CheckResult


def explain(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    """Print the page of a rule, and exit."""
    if value is None or context.resilient_parsing:
        return
    from kitgen.findings import rules_by_id, suggest_word
    from kitgen.report.rule_page import render_rule_page

    if value not in (known := rules_by_id()):
        hint = suggest_word(value, list(known))
        raise click.BadParameter(f"found no rule {value!r}" + (f", {hint}" if hint else ""))
    click.echo(render_rule_page(known[value]), nl=False)
    context.exit()


@click.command(context_settings=HELP)
@click.argument(
    "names", nargs=-1, metavar="[SOURCE]...", shell_complete=make_completer(targets, sources, paths=True)
)
@release_option("Check this release alone, instead of all that the targets ship.")
@click.option(
    "--kubernetes",
    metavar="RANGE",
    help="Check for minors such as '>=1.30 <=1.32'.  [default: the kit's; without a kit, the newest 3]",
)
@click.option(
    "--baseline",
    metavar="SOURCE",
    shell_complete=make_completer(targets, sources, paths=True),
    help="Hold it against what is there before: one source, or git:REF and release:NAME, which hold each "
    "target against itself there.  [default: what a target says in upgradesFrom]",
)
@fail_on_option
@click.option(
    "--today",
    metavar="DAY",
    callback=parse_day_or_today,
    help="The day that exceptions must not be past, such as 2030-01-31.  [default: today]",
)
@click.option(
    "--explain",
    metavar="RULE",
    is_eager=True,
    expose_value=False,
    callback=explain,
    shell_complete=make_completer(rule_names),
    help="Explain a rule, and exit.",
)
@output_option(*FORMS)
@common_options
def check(
    names: tuple[str, ...],
    release: str | None,
    kubernetes: str | None,
    baseline: str | None,
    fail_on: str,
    today: str,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Check targets, or manifests in files, folders and standard input (-).

    A SOURCE is a target, a component, a release or a path, of the work tree or of a revision. Without a
    prefix it is the first that exists of a target, a component's version and a path. A folder with a
    kustomization counts as what kustomize builds of it, from local files alone; in other folders, so does
    every kustomization. No SOURCE means the whole kit: all specs, and every object of every target in each
    release that it ships, against the schemas of each Kubernetes minor in the kit's range. Paths can be
    checked without a kit too. Exit code 1 means that there are errors, or warnings with
    --fail-on warning.

    \b
    kitgen check                       the whole kit
    kitgen check odh -o json           one target, for a program
    kitgen check --release v1.0.0      one release
    kitgen check git:main              the kit as it is on main
    kitgen check --baseline git:main   the upgrade from there
    kitgen check --explain image-tag   what a rule is about
    kubectl get deploy -o yaml | kitgen check -
    """
    from kitgen.app.check import CheckRequest, run_check

    request = CheckRequest(
        root=root, names=names, release=release, kubernetes=kubernetes, baseline=baseline, today=today
    )
    try:
        result = run_check(request)
    except FindingsError as error:  # what is wrong with the specs is the result here
        finish_command(
            error.findings,
            error.root,
            output=output,
            fail_on=Severity(fail_on),
            quiet=quiet,
            revisions=request.revisions,
        )
    said = list(_list_remarks(result, told=kubernetes is not None))
    if output in FOR_PEOPLE and all(finding.accepted for finding in result.findings):
        releases = len(result.releases)
        where = f" in {format_count(releases, 'release')}" if releases > 1 else ""
        said.append(f"{format_count(result.objects, 'object')}{where}, no findings")
    finish_command(
        result.findings,
        result.root,
        output=output,
        texts=result.texts,
        remarks=said,
        fail_on=Severity(fail_on),
        quiet=quiet,
        revisions=request.revisions,
    )


def _list_remarks(result: CheckResult, *, told: bool) -> Iterator[str]:
    """Yield what was skipped, and the minors that were chosen if none were given."""
    from kitgen.kit.manifest_gathering import describe_kustomize_only
    from kitgen.kube.definitions import format_minors

    yield from result.remarks
    yield from describe_kustomize_only(result.aside)
    if result.root is None and not told:
        minors = format_minors(result.minors)
        yield f"checked for Kubernetes {minors}: no kit says another range, --kubernetes can"
