"""The command `kitgen import`: import trees as a version of a component."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, make_completer
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options


@click.command("import", context_settings=HELP)
@click.argument("real", shell_complete=make_completer(paths=True))
@click.option(
    "--as",
    "name",
    required=True,
    metavar="NAME@VERSION",
    shell_complete=make_completer(component_versions),
    help="The component and version to make.",
)
@click.option(
    "--from",
    "older",
    metavar="NAME@OLDER",
    shell_complete=make_completer(component_versions),
    help="The version to build on; none for a spec of its own.  [default: the version before]",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="T=REAL",
    help="What a target makes of the component; may be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Print the plan, and write nothing.")
@common_options
def import_(
    real: str,
    name: str,
    older: str | None,
    targets: tuple[str, ...],
    *,
    dry_run: bool,
    root: Path | None,
    quiet: bool,
) -> None:
    """Make the spec of a whole component from REAL trees.

    REAL is a folder that kustomize builds, manifests, an OLM bundle, or - for standard input: upstream's
    for the component itself, those of forks for what targets change. With an older version at hand, only
    what is different is written. The result is compiled, compared with the trees, and checked as if each
    target took it. Exit code 1 says that differences are left, or errors in targets of these trees or in all.

    \b
    kitgen import kueue/config/default --as kueue@v0.8.1 --target rhoai=fork/config/rhoai
    kitgen import fork/config/rhoai --as kueue@v0.8.1 --from kueue@v0.7.0 --dry-run
    """
    from kitgen.importing.report import render_differences, render_plan, render_report
    from kitgen.importing.request import ImportRequest
    from kitgen.importing.run import import_component
    from kitgen.workspace.sources import parse_path_source

    component, version = _parse_component_version(name, "--as")
    request = ImportRequest(
        root=root,
        real=parse_path_source(real),
        component=component,
        version=version,
        older=_parse_older_version(older, component),
        targets=_parse_targets(targets),
        dry_run=dry_run,
    )
    made = import_component(request)
    text = (render_plan(made) if dry_run else "") + (
        render_differences(made) if quiet else render_report(made)
    )
    finish_command((), made.root, stream=sys.stderr, product=text, failed=made.has_failed)


def _parse_component_version(text: str, option: str) -> tuple[str, str]:
    from kitgen.importing.crd_component import NAME, VERSION

    name, _, version = text.partition("@")
    if not NAME.fullmatch(name) or not VERSION.fullmatch(version):
        raise click.UsageError(f"found {option} {text!r}, expected NAME@VERSION such as kueue@v0.7.0")
    return name, version


def _parse_older_version(text: str | None, component: str) -> str | None:
    if text is None or text == "none":
        return None if text is None else ""
    name, version = _parse_component_version(text, "--from")
    if name != component:
        raise click.UsageError(f"found --from {text!r}, expected a version of {component}, or none")
    return version


def _parse_targets(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    from kitgen.workspace.sources import parse_path_source

    found: dict[str, str] = {}
    for text in texts:
        name, equals, real = text.partition("=")
        if not (name and equals and real):
            raise click.UsageError(f"found --target {text!r}, expected T=REAL such as odh=fork/config/odh")
        if name in found:
            raise click.UsageError(f"found --target {name} twice, expected one tree for each target")
        found[name] = parse_path_source(real)
    return tuple(found.items())
