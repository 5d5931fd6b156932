"""Write health checks as a patch of Argo CD's configuration, and what they say of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kitgen.argocd.health.lua import Health, Status
from kitgen.argocd.health.names import Check
from kitgen.kube.identity import ObjectId
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.text.wording import escape_unprintable
from kitgen.text.yaml import dump_yaml

HEAD = "# Health checks for Argo CD. To add them, with this in FILE:\n"
HOW = "# kubectl patch -n argocd configmap argocd-cm --type merge --patch-file FILE\n"
Row = tuple[ObjectId, Health]
"""An object, and its health."""


class CheckEntry(Struct, frozen=True, kw_only=True):
    """A health check."""

    group: str
    """The group of its objects; empty for the core group."""
    kind: str
    """The kind of its objects."""
    key: str
    """The key in the ConfigMap argocd-cm."""
    file: str | None
    """The file of the kit; null if it comes with kitgen."""
    lua: str
    """The check itself."""


class ObjectHealth(Struct, frozen=True, kw_only=True):
    """What a check says of an object."""

    group: str
    """Its group; empty for the core group."""
    kind: str
    """Its kind."""
    namespace: str | None
    """Its namespace; null if it names none."""
    name: str
    """Its name."""
    status: Status
    """Its health."""
    message: str
    """What the check says of it."""


class HealthReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/health/v1"):
    """Health checks for Argo CD, and what they say: kitgen argocd health."""

    checks: tuple[CheckEntry, ...]
    """The health checks, by group and kind."""
    objects: tuple[ObjectHealth, ...]
    """The objects that --check names and a check is for, in their order."""
    skipped: Mapping[str, int]
    """Kinds that none of the checks is for, and how many objects --check names of each."""


def as_patch(checks: Sequence[Check]) -> str:
    """Write what adds the checks to Argo CD's configuration."""
    return HEAD + HOW + dump_yaml({"data": {each.kind.key: each.source for each in checks}})


def as_lines(rows: Sequence[Row]) -> str:
    """Write a line an object."""
    return "".join(f"{escape_unprintable(_format_health(identity, health))}\n" for identity, health in rows)


def as_json(checks: Sequence[Check], rows: Sequence[Row], skipped: Mapping[str, int]) -> str:
    """Write the same for a program."""
    return safe_json(
        HealthReport(
            checks=tuple(
                CheckEntry(
                    group=each.kind.group,
                    kind=each.kind.kind,
                    key=each.kind.key,
                    file=each.file or None,
                    lua=each.source,
                )
                for each in checks
            ),
            objects=tuple(
                ObjectHealth(
                    group=identity.group,
                    kind=identity.kind,
                    namespace=identity.namespace or None,
                    name=identity.name,
                    status=health.status,
                    message=health.message,
                )
                for identity, health in rows
            ),
            skipped=skipped,
        )
    )


def _format_health(identity: ObjectId, health: Health) -> str:
    where = f" in {identity.namespace}" if identity.namespace else ""
    return f"{health.status:<12}{identity}{where}" + (f": {health.message}" if health.message else "")
