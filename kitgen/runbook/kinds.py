"""Kinds that move, as kubectl names them, and the files that their resources go to."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kitgen.compile.phases.moving import Dropping, Moving, Side

BACKUP, MOVED, PHASES = "backup", "moved", "phases"
"""Folders: what was exported, what became of it, and what is rendered."""


class Named(Struct, frozen=True, kw_only=True):
    """A side of a kind that moves."""

    resource: str
    """With its group, since two groups share the plural, and its version where the CRD has several."""
    api_version: str
    kind: str
    version: str
    versions: tuple[str, ...]
    """All that its CRD has."""
    crd: str
    namespaced: bool


class Kind(Struct, frozen=True, kw_only=True):
    """A kind that moves."""

    old: Named
    new: Named
    within: bool
    """Whether one CRD has both sides."""
    converts: bool
    """Whether the API server has somebody convert one version into the other."""

    @property
    def is_carried(self) -> bool:
        """Tell whether its resources are exported, changed and made anew."""
        return not (self.within and self.converts)

    @property
    def backup(self) -> str:
        """Return the file that its resources are kept in."""
        return kept_in(self.old)

    @property
    def names(self) -> str:
        """Return the file that lists them."""
        return f"{BACKUP}/{self.old.resource}.names"

    @property
    def uids(self) -> str:
        """Return the file with what their children know them by."""
        return f"{BACKUP}/{self.old.resource}.uids"

    @property
    def moved(self) -> str:
        """Return the file with what they become."""
        return f"{MOVED}/{self.old.resource}.yaml"


def kinds_of(some: Iterable[Moving]) -> tuple[Kind, ...]:
    """Return what moves, as kubectl names it."""
    return tuple(
        Kind(
            old=_named(each.old, within=each.said.within_group),
            new=_named(each.new, within=each.said.within_group),
            within=each.said.within_group,
            converts=_converts(each.new),
        )
        for each in some
    )


def dropped_of(some: Iterable[Dropping]) -> tuple[Named, ...]:
    """Return what goes without a successor, as kubectl names it."""
    return tuple(_named(each.old, within=False) for each in some)


def kept_in(named: Named) -> str:
    """Return the file that resources of a kind are kept in."""
    return f"{BACKUP}/{named.resource}.yaml"


def _named(side: Side, *, within: bool) -> Named:
    spec = side.crd.body["spec"]
    name, several = side.name, within or len(spec["versions"]) > 1
    middle = f".{name.version}" if several else ""
    return Named(
        resource=f"{side.plural}{middle}.{name.group}",
        api_version=name.api_version,
        kind=name.kind,
        version=name.version,
        versions=tuple(each["name"] for each in spec["versions"]),
        crd=side.crd.id.name,
        namespaced=spec.get("scope") != "Cluster",
    )


def _converts(side: Side) -> bool:
    conversion = side.crd.body["spec"].get("conversion") or {}
    return bool(conversion.get("strategy") == "Webhook")
