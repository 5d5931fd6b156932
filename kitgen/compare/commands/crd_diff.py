"""The command `kitgen crd diff`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, sources
from kitgen.report.finish import finish_command
from kitgen.report.options import changes_output, common_options


@click.command(context_settings=HELP)
@click.argument("old", shell_complete=make_completer(component_versions, sources, paths=True))
@click.argument("new", shell_complete=make_completer(component_versions, sources, paths=True))
@changes_output
@click.option(
    "--exceptions",
    metavar="FILE",
    shell_complete=make_completer(paths=True),
    help="Accept the breaking changes that FILE names with a reason.",
)
@common_options
def diff(old: str, new: str, *, root: Path | None, quiet: bool, output: str, exceptions: str | None) -> None:
    """Class the changes between CRDs by risk.

    OLD and NEW are files, folders, versions of the kit written COMPONENT@VERSION, or other sources, such
    as target:odh, release:v1.5.0 or git:main:component:kuberay@v1.1.0. Exit code 1 says that a change is
    breaking and no exception names it, or that an exception is wrong or stale.

    \b
    kitgen crd diff codeflare-operator@v1.0.0 appwrapper@v0.20.2
    kitgen crd diff kuberay@v1.1.0 downloaded/ --output markdown
    kitgen crd diff git:main:target:odh target:odh
    """
    from msgspec.structs import replace

    from kitgen.compare.report.changes import as_json, as_markdown, as_text
    from kitgen.compare.run.crd_diff import diff_crds

    result = diff_crds(root, old, new, exceptions)
    verdict, texts = result.verdict, result.texts
    shown = replace(verdict, changes=verdict.breaking_changes) if quiet else verdict
    if output == "json":
        text = as_json(shown, texts.get)
    else:
        text = as_markdown(shown) if output == "markdown" else as_text(shown)
    finish_command(
        (*verdict.findings, *result.unread),
        None,
        stream=sys.stderr,
        texts=texts,
        product=text,
        failed=verdict.has_failed,
        quiet=quiet,
    )
