"""The command `kitgen why`: trace a rendered value back to the specs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.report.click_settings import HELP
from kitgen.report.completion import make_completer, objects, targets
from kitgen.report.finish import finish_command, select_unaccepted
from kitgen.report.options import common_options, output_option, release_option
from kitgen.text.wording import escape_unprintable

if TYPE_CHECKING:
    from kitgen.app.why import TraceStep


@click.command(context_settings=HELP)
@click.argument("target", shell_complete=make_completer(targets))
@click.argument("object_", metavar="OBJECT", shell_complete=make_completer(objects))
@click.argument("field", required=False)
@release_option("Take this release instead of the one that the target pins.")
@output_option("text", "json")
@common_options
def why(
    target: str,
    object_: str,
    field: str | None,
    release: str | None,
    output: str,
    root: Path | None,
    quiet: bool,
) -> None:
    """Tell where OBJECT of TARGET, or one FIELD of it, comes from.

    OBJECT is Kind/name. FIELD is a JSON pointer, a path with dots, or the end of one that fits one place.
    It may lead into a document that a text holds. The first line is the field's value; what may be a secret
    is hidden. Each other line is a place in the specs and what it did, in the order in which it happened;
    the last one at a field wins.

    \b
    kitgen why odh Deployment/kueue-controller-manager
    kitgen why odh Deployment/kueue-controller-manager /spec/replicas
    kitgen why odh Deployment/kueue-controller-manager containers[name=manager].image
    kitgen why odh Deployment/kueue-controller-manager metadata.labels."app.kubernetes.io/name"
    kitgen why olm ClusterRole/kueue-manager-role rules.0
    """
    from kitgen.app.why import trace_field
    from kitgen.report.documents import safe_json
    from kitgen.workspace.fields import format_value

    found, findings, folder = trace_field(root, target, object_, field, release)
    if output == "json":
        text = safe_json(found)
    else:
        lines = [f"{found.field} = {format_value(found.value)}"] if found.field else []
        text = "".join(f"{escape_unprintable(line)}\n" for line in [*lines, *map(_format_step, found.steps)])
    finish_command(select_unaccepted(findings), folder, stream=sys.stderr, product=text, quiet=quiet)


def _format_step(step: TraceStep) -> str:
    place = f"{step.file}:{step.line} {step.pointer}".rstrip()
    at = f"{step.field}: " if step.field else ""
    return f"{place}: {at}{step.rule}" + (f" ({step.why})" if step.why else "")
