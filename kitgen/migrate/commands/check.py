"""The command `kitgen migrate check`: check a migration, or manifests against one."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.findings import Severity
from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, sources, targets
from kitgen.report.finish import finish_command, show_progress
from kitgen.report.forms import FOR_PEOPLE, FORMS
from kitgen.report.options import common_options, fail_on_option, output_option
from kitgen.text.wording import format_count


@click.command(context_settings=HELP)
@click.argument("name")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=make_completer(paths=True))
@click.option(
    "--phase",
    default="",
    metavar="P",
    help="The phase that the manifests are meant to be: before the last one, old kinds belong into them.",
)
@click.option(
    "--baseline",
    metavar="SOURCE",
    shell_complete=make_completer(targets, sources, paths=True),
    help="Hold the manifests against what is there before them: a target or a path.",
)
@fail_on_option
@output_option(*FORMS)
@common_options
def check(
    name: str,
    *,
    paths: tuple[str, ...],
    phase: str,
    baseline: str | None,
    fail_on: str,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Find what still speaks of old kinds of the migration NAME, and what would lose data.

    A PATH is a file, a folder, a kustomization, an OLM bundle or - for standard input, read as kitgen check
    reads it. Every place that names an old kind is a warning: objects and their owners, rules of roles,
    webhooks and policies, kinds that bundles own, examples, customisations of Argo CD, frameworks of Kueue,
    and texts, such as arguments of containers and data of ConfigMaps, which are not shown. What would
    lose data is an error: an old CRD that is dropped or not served, a stored version that is gone,
    permissions that go before the resources, and keys of labels that were rewritten. So is a PATH that says
    nothing at all. Without a PATH, every phase of the migration is checked on the kit: its fields against the
    CRDs, changes of schemas that the move hides, and what people notice of the kinds that move. What phases
    do by themselves is no finding.

    \b
    kitgen migrate check mcad-groups
    kitgen migrate check mcad-groups manifests/ --fail-on warning
    kitgen migrate check mcad-groups new/ --baseline old/
    """
    from kitgen.migrate.check import MigrateCheckRequest, check_migration

    request = MigrateCheckRequest(root=root, name=name, paths=paths, phase=phase, baseline=baseline)
    with show_progress(quiet=quiet) as tell:
        result = check_migration(request, tell)
    said = [*result.remarks]
    if result.aside:
        left = format_count(result.aside, "kustomization or patch", "kustomizations and patches")
        said.append(f"{left} left out: they are for kustomize")
    if output in FOR_PEOPLE and all(each.accepted for each in result.findings):
        said.append(f"{format_count(result.objects, 'object')}, no findings")
    finish_command(
        result.findings,
        result.root,
        output=output,
        texts=result.texts,
        remarks=said,
        fail_on=Severity(fail_on),
        quiet=quiet,
    )
