"""The command `kitgen compare`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer, sources, targets
from kitgen.report.finish import finish_command, make_reader
from kitgen.report.options import changes_output, common_options


@click.command(context_settings=HELP)
@click.argument("source", shell_complete=make_completer(targets, component_versions, sources, paths=True))
@click.argument("real", shell_complete=make_completer(targets, component_versions, sources, paths=True))
@changes_output
@common_options
def compare(source: str, real: str, *, root: Path | None, quiet: bool, output: str) -> None:
    """Tell what differs between SOURCE, as the kit builds it, and the REAL thing.

    SOURCE is a target, one of its components, or a component by itself. REAL is a folder that kustomize
    builds, manifests, an OLM bundle, or - for standard input. Either side may be any of these. What a
    cluster cannot see does not count.
    Each difference names the line of the specs that it is about. Exit code 0 says equal, 1 different.

    \b
    kitgen compare target:rhoai/kueue path:kueue/config/rhoai
    kitgen compare rhoai/kueue=v0.7.0 kueue/config/rhoai      in that version of Kueue
    kubectl kustomize config/default | kitgen compare olm/kuberay -
    """
    from kitgen.compare.report import differences
    from kitgen.compare.run.compare import compare_sources

    made = compare_sources(root, source, real, in_words=output == "text")
    read, found = make_reader(made.root, made.texts), made.comparison
    match output:
        case "json":
            text = differences.as_json(found, made.origins, read)
        case "markdown":
            text = differences.as_markdown(found, made.origins, read, made.names)
        case _:
            text = "" if quiet else differences.as_text(found, made.origins, made.changes, read, made.names)
    finish_command(
        (),
        made.root,
        stream=sys.stderr,
        product=text,
        remarks=[*([differences.format_summary(found)] if output == "text" else []), *made.remarks],
        failed=bool(found.differences),
        quiet=quiet,
    )
