"""The command `kitgen crd import`: import CRDs as declarations of a component."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import components, make_completer, versions
from kitgen.report.finish import finish_command
from kitgen.report.options import common_options


@click.command("import", context_settings=HELP)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", shell_complete=make_completer(paths=True)
)
@click.option(
    "--component",
    required=True,
    metavar="NAME",
    shell_complete=make_completer(components),
    help="The component that the CRDs belong to.",
)
@click.option(
    "--version",
    required=True,
    metavar="V",
    shell_complete=make_completer(versions),
    help="Its version, such as v1.1.0.",
)
@click.option(
    "--descriptions",
    type=click.Choice(["drop", "keep"]),
    default="drop",
    show_default=True,
    help="Whether to keep the descriptions of fields.",
)
@common_options
def import_(
    files: tuple[str, ...], component: str, version: str, descriptions: str, root: Path | None, quiet: bool
) -> None:
    """Turn real CRDs into short declarations that expand to exactly the same.

    FILE is a file, a folder, or - for standard input; objects that are no CRDs are passed over. The
    declarations go to components/NAME/V/crds. A new version starts with the component.yaml and config.yaml
    of the version before. Labels, prefix and namespace that the component gives are taken out.

    \b
    kitgen crd import crds/ --component kuberay --version v1.2.0
    kubectl kustomize config/default | kitgen crd import - --component kueue --version v0.8.0
    """
    from kitgen.importing.crd_component import NAME, VERSION
    from kitgen.importing.crd_import import CrdImportRequest, run_crd_import
    from kitgen.importing.crd_report import print_crd_report

    if not NAME.fullmatch(component):
        raise click.UsageError(f"found the component {component!r}, expected a DNS name such as my-name")
    if not VERSION.fullmatch(version):
        raise click.UsageError(f"found the version {version!r}, expected one such as v1.1.0")
    result = run_crd_import(
        CrdImportRequest(
            root=root, files=files, component=component, version=version, descriptions=descriptions == "keep"
        )
    )
    if not quiet:
        print_crd_report(result)
    folder = result.root / result.request.folder
    said = f"wrote {_format_path(folder if result.start.taken else folder / 'crds', result.root)}"
    finish_command(
        result.findings, None, stream=sys.stderr, texts=result.given.texts, remarks=[said], quiet=quiet
    )


def _format_path(path: Path, root: Path) -> str:
    """Return a path of the kit as people would name it: from here, or from the kit's root."""
    here = Path.cwd()
    return path.relative_to(here if path.is_relative_to(here) else root).as_posix()
