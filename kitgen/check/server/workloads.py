"""Deployments and others that make pods of a template."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below
from kitgen.check.server.rules import SERVER_INVALID
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject


def _template(spec: JsonObject) -> Iterator[Problem]:
    """Yield labels that the selector asks for and the template does not have."""
    wanted = below(spec, "selector", "matchLabels")
    labels = below(spec, "template", "metadata", "labels")
    labels = labels if isinstance(labels, dict) else {}
    for key, value in wanted.items() if isinstance(wanted, dict) else ():
        if labels.get(key) != value:
            message = (
                f"found no label {cut(key)}={cut(str(value))} in the template, which the selector asks for"
            )
            yield SERVER_INVALID(message, ("selector", "matchLabels", key), "give the template the label")


VALIDATORS: Validators = {
    "apps/v1.DaemonSetSpec": _template,
    "apps/v1.DeploymentSpec": _template,
    "apps/v1.ReplicaSetSpec": _template,
    "apps/v1.StatefulSetSpec": _template,
}
