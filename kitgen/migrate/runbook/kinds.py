"""Kinds that move, as kubectl names them, and the files that their resources go to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from kitgen.crd.declaration import converts
from kitgen.kit.model.migration import Phase
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.crds import stored_version
from kitgen.migrate.phases.moves import Dropping, Moving, ServedKind
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.text.yaml import JsonObject

BACKUP, MOVED, PHASES = "backup", "moved", "phases"
"""Folders: what was exported, what became of it, and what is rendered."""
SETTLING = (Phase.INTRODUCE, Phase.MIGRATE, Phase.READ_ONLY)
"""Where one CRD may begin to store another version, in order."""


class KindSide(Struct, frozen=True, kw_only=True):
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

    @property
    def backup(self) -> str:
        """Return the file that its resources are kept in."""
        return f"{BACKUP}/{self.resource}.yaml"

    @property
    def names(self) -> str:
        """Return the file that lists them."""
        return f"{BACKUP}/{self.resource}.names"

    @property
    def uids(self) -> str:
        """Return the file with what their children know them by."""
        return f"{BACKUP}/{self.resource}.uids"


class MovingKind(Struct, frozen=True, kw_only=True):
    """A kind that moves."""

    old: KindSide
    new: KindSide
    within: bool
    """Whether one CRD has both sides."""
    settles: Phase
    """Where one CRD begins to store the new version; what is not converted has to be gone by then."""
    converts: bool
    """Whether the API server has somebody convert one version into the other by then."""
    declared: str
    """The component and version whose CRD has the new side, such as `hello@v2.0.0`."""

    @property
    def is_carried(self) -> bool:
        """Tell whether its resources are exported, changed and made anew."""
        return not (self.within and self.converts)

    @property
    def moved(self) -> str:
        """Return the file with what they become."""
        return f"{MOVED}/{self.old.resource}.yaml"


def kinds_of(made: Sequence[PhaseMade], declared: Mapping[str, str]) -> tuple[MovingKind, ...]:
    """Return what moves, as kubectl names it, from what a target brings in each phase.

    What declares a CRD is known by its name.
    """
    return tuple(_kind(each, made, declared[each.new.crd.id.name]) for each in made[0].moving)


def _kind(each: Moving, made: Sequence[PhaseMade], declared: str) -> MovingKind:
    within = each.said.within_group
    crds = {one.phase: _applied(one, each.new.crd) for one in made}
    settles = next((at for at in SETTLING if (body := crds.get(at)) and _stores(body, each)), Phase.READ_ONLY)
    old = [body for one in made if (body := _applied(one, each.old.crd))]
    several = within or any(len(body["spec"]["versions"]) > 1 for body in old)
    return MovingKind(
        old=_named(each.old, several=several),
        new=_named(each.new, several=within),
        within=within,
        settles=settles,
        converts=bool((body := crds.get(settles)) and converts(body)),
        declared=declared,
    )


def _applied(made: PhaseMade, crd: Manifest) -> JsonObject | None:
    """Return the body of a CRD as a phase brings it, which may be another one than that of a release."""
    return next((each.body for each in made.objects if each.id == crd.id), None)


def _stores(crd: JsonObject, each: Moving) -> bool:
    return stored_version(crd) in (each.new.name.version, stored_version(each.new.crd.body))


def dropped_of(some: Iterable[Dropping], last: PhaseMade) -> tuple[KindSide, ...]:
    """Return what goes without a successor, as kubectl names it; a CRD that the last phase has stays."""
    return tuple(_named(each.old) for each in some if _applied(last, each.old.crd) is None)


def _named(side: ServedKind, *, several: bool = False) -> KindSide:
    spec = side.crd.body["spec"]
    name = side.name
    middle = f".{name.version}" if several or len(spec["versions"]) > 1 else ""
    return KindSide(
        resource=f"{side.plural}{middle}.{name.group}",
        api_version=name.api_version,
        kind=name.kind,
        version=name.version,
        versions=tuple(each["name"] for each in spec["versions"]),
        crd=side.crd.id.name,
        namespaced=spec.get("scope") != "Cluster",
    )
