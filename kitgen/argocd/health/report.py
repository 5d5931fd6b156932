"""Write health checks as a patch of Argo CD's configuration, and what they say of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kitgen.argocd.health.lua import Health
from kitgen.argocd.health.names import Check
from kitgen.kube.identity import ObjectId
from kitgen.report.documents import DocumentSchema, document
from kitgen.text.wording import printable
from kitgen.text.yaml import JsonObject, dump

HEAD = "# Health checks for Argo CD. To add them, with this in FILE:\n"
HOW = "# kubectl patch -n argocd configmap argocd-cm --type merge --patch-file FILE\n"
Row = tuple[ObjectId, Health]
"""An object, and its health."""


def as_patch(checks: Sequence[Check]) -> str:
    """Write what adds the checks to Argo CD's configuration."""
    return HEAD + HOW + dump({"data": {each.kind.key: each.source for each in checks}})


def as_lines(rows: Sequence[Row]) -> str:
    """Write a line an object."""
    return "".join(f"{printable(_line(identity, health))}\n" for identity, health in rows)


def as_json(checks: Sequence[Check], rows: Sequence[Row], skipped: Mapping[str, int]) -> str:
    """Write the same for a program."""
    return document(
        DocumentSchema.HEALTH,
        checks=[
            {
                "group": each.kind.group,
                "kind": each.kind.kind,
                "key": each.kind.key,
                "file": each.file or None,
                "lua": each.source,
            }
            for each in checks
        ],
        objects=[_plain(*row) for row in rows],
        skipped=dict(skipped),
    )


def _line(identity: ObjectId, health: Health) -> str:
    where = f" in {identity.namespace}" if identity.namespace else ""
    return f"{health.status:<12}{identity}{where}" + (f": {health.message}" if health.message else "")


def _plain(identity: ObjectId, health: Health) -> JsonObject:
    return {
        "group": identity.group,
        "kind": identity.kind,
        "namespace": identity.namespace or None,
        "name": identity.name,
        "status": health.status.value,
        "message": health.message,
    }
