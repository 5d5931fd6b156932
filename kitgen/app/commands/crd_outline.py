"""The command `kitgen crd outline`: print CRDs as one line per field."""

from __future__ import annotations

from pathlib import Path

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import component_versions, components, crds, make_completer, sources
from kitgen.report.options import common_options
from kitgen.text.wording import escape_unprintable


@click.command(context_settings=HELP)
@click.argument(
    "name",
    required=False,
    shell_complete=make_completer(crds, components, component_versions, sources, paths=True),
)
@common_options
def outline(name: str | None, root: Path | None, quiet: bool) -> None:
    """Outline CRDs: one line a field.

    NAME is a CRD of the kit (its name, plural or kind), a component, or a source: a component's version
    written COMPONENT@VERSION, a target, a release, a revision, or a file or folder with CRDs. It may be a
    kind of another project that kitgen knows, such as PodMonitor. Without it, every CRD of the kit is shown.

    \b
    kitgen crd outline rayclusters
    kitgen crd outline kuberay@v1.1.0
    kitgen crd outline downloaded-crd.yaml
    """
    from kitgen.app.crd_outline import outline_crds

    texts = (
        f"# {escape_unprintable(label)}\n{text}" if label and not quiet else text
        for label, text in outline_crds(root, name)
    )
    click.echo("\n".join(texts), nl=False)
