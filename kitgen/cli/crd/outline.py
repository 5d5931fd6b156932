"""The command `kitgen crd outline`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from kitgen.cli import HELP
from kitgen.cli.complete import component_versions, components, crds, offer
from kitgen.cli.crd.input import KitCrds, crds_of, require_kit
from kitgen.cli.options import common
from kitgen.errors import UsageError
from kitgen.findings import near
from kitgen.yamlio import JsonObject


@click.command(context_settings=HELP)
@click.argument(
    "name", required=False, shell_complete=offer(crds, components, component_versions, paths=True)
)
@common
def outline(name: str | None, root: Path | None, quiet: bool) -> None:
    """Outline CRDs: one line a field.

    NAME is a CRD of the kit (its name, plural or kind), a component, a component's version written
    COMPONENT@VERSION, or a file or folder with CRDs. Without it, every CRD of the kit is shown.

    \b
    kitgen crd outline rayclusters
    kitgen crd outline kuberay@v1.1.0
    kitgen crd outline downloaded-crd.yaml
    """
    from kitgen.crds.outline.text import outline as outline_of

    for index, (label, body) in enumerate(_chosen(name, root)):
        start = "\n" if index else ""
        click.echo(start + (f"# {label}\n" if label and not quiet else "") + outline_of(body), nl=False)


def _chosen(name: str | None, root: Path | None) -> Iterator[tuple[str, JsonObject]]:
    from kitgen.crds.importer.folding import recognise

    if name is not None and (name == "-" or "@" in name or Path(name).exists()):
        yield from (("", body) for body in recognise(crds_of(name, root)))
        return
    if name is not None:
        require_kit(name, root)
    known: set[str] = set()
    hits = 0
    for component, version, bodies in KitCrds(root).every():
        for body in bodies:
            names = body["spec"]["names"]
            words = {component, body["metadata"]["name"], names["plural"], names["kind"]}
            known |= words
            if name is None or name in words:
                hits += 1
                yield f"{component} {version}", body
    if name is not None and not hits:
        raise UsageError(f"no CRD {name!r} in this kit", hint=near(name, sorted(known)))
