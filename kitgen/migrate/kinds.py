"""Kinds that a migration moves or drops, with the CRDs that serve them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.model.migration import (
    DroppedKind,
    KindName,
    Migration,
    MovedKey,
    MovedKind,
    Phase,
    format_field_steps,
)
from kitgen.kube.manifest import Manifest
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject


class ServedKind(Struct, frozen=True, kw_only=True):
    """A kind in one version, and the CRD that serves it."""

    name: KindName
    crd: Manifest
    several: bool = False
    """Whether its CRD has other versions at some time, besides those that it has here."""

    @property
    def plural(self) -> str:
        """Return what roles and webhooks call its resources."""
        found: str = self.crd.body["spec"]["names"]["plural"]
        return found

    @property
    def cluster_wide(self) -> bool:
        """Return whether its resources are of the cluster, and of no namespace."""
        return bool(self.crd.body["spec"]["scope"] == "Cluster")

    @property
    def group_resource(self) -> tuple[str, str]:
        """Return the group and the plural."""
        return self.name.group, self.plural

    @property
    def crd_name(self) -> str:
        """Return the name of its CRD."""
        return self.crd.id.name

    @property
    def versions(self) -> list[str]:
        """Return all versions of its CRD."""
        return versions_of(self.crd.body)

    @property
    def resource(self) -> str:
        """Return what kubectl calls them: with the group, and with the version where there are several."""
        several = self.several or len(self.versions) > 1
        return ".".join((self.plural, *([self.name.version] if several else []), self.name.group))

    @property
    def schema(self) -> Json:
        """Return the schema of the version that moves; None where everything is kept."""
        spec = self.crd.body["spec"]
        if spec.get("preserveUnknownFields") is True:
            return None
        version = next(each for each in spec["versions"] if each["name"] == self.name.version)
        return value_at(version, "schema", "openAPIV3Schema")


def versions_of(crd: JsonObject) -> list[str]:
    """Return the versions of a CRD."""
    return [each["name"] for each in crd["spec"]["versions"]]


class OldKind(Struct, frozen=True, kw_only=True, eq=False):
    """A kind that is not there any more in the end: it goes, or moves as a `MovingKind`."""

    said: DroppedKind | MovedKind
    old: ServedKind
    new: ServedKind | None = None

    @property
    def before(self) -> KindName:
        """Return what it was."""
        return self.old.name

    @property
    def after(self) -> KindName | None:
        """Return what it becomes; None if nothing takes its place."""
        return self.new.name if self.new else None

    @property
    def reason(self) -> str:
        """Return why it goes; empty if it moves."""
        return self.said.reason if isinstance(self.said, DroppedKind) else ""

    @property
    def within(self) -> bool:
        """Return whether it stays in its group, so that one CRD has both, and only the version differs."""
        return self.after is not None and self.before[::2] == self.after[::2]

    def is_old_kind(self, group: str, kind: str, version: str) -> bool:
        """Return whether a kind is the old one; of another group, whatever the version."""
        return (group, kind) == self.before[::2] and self.is_old_version(version)

    def is_old_resource(self, group: str, resource: str) -> bool:
        """Return whether a rule names resources of the old kind, or parts of them."""
        return group == self.before.group and resource.partition("/")[0] in (self.old.plural, "*")

    def is_old_version(self, version: str) -> bool:
        """Return whether a version counts as old: any, unless the kind stays in its group."""
        return not self.within or version == self.before.version


class MovingKind(OldKind, frozen=True, kw_only=True, eq=False):
    """A kind that becomes another one, as both releases have it."""

    said: MovedKind
    new: ServedKind
    settles: Phase = Phase.READ_ONLY
    """Where one CRD begins to store the new version; what is not converted has to be gone by then."""
    converts: bool = False
    """Whether the API server has somebody convert one version into the other by then."""
    declared: str = ""
    """The component and version whose CRD has the new side, such as `hello@v2.0.0`."""

    @property
    def is_carried(self) -> bool:
        """Return whether its resources are exported, changed and made anew."""
        return not (self.within and self.converts)

    @property
    def owners(self) -> list[str]:
        """Return how children name an owner of the old side, but for its name."""
        versions = [self.before.version] if self.within else self.old.versions
        return [f"{self.before.group}/{version} {self.before.kind}" for version in versions]

    @property
    def lost_fields(self) -> list[str]:
        """Return the fields without a counterpart."""
        return [format_field_steps(each.field) for each in self.said.fields if each.lost]


class GroupSpellings(NamedTuple):
    """How groups are written: as they are, and with dashes."""

    texts: tuple[str, ...]
    shortest: int

    def occur_in(self, text: str) -> bool:
        """Return whether one of them is part of a text."""
        if len(text) >= self.shortest:  # as few texts are
            for each in self.texts:
                if each in text:
                    return True
        return False


class MovedKinds(Struct, frozen=True, dict=True):
    """All that moves or goes together, and a finding for every kind that no CRD has."""

    old: tuple[OldKind, ...]
    """What moves, and then what goes."""
    keys: tuple[MovedKey, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def moving_kinds(self) -> tuple[MovingKind, ...]:
        """Return what becomes another kind."""
        return tuple(each for each in self.old if isinstance(each, MovingKind))

    @property
    def dropped_kinds(self) -> tuple[OldKind, ...]:
        """Return what goes without a successor."""
        return tuple(each for each in self.old if each.new is None)

    @property
    def kinds_with_new_crd(self) -> list[MovingKind]:
        """Return what moves to another CRD."""
        return [each for each in self.moving_kinds if not each.within]

    @cached_property
    def declared_keys(self) -> frozenset[str]:
        """Return the keys of labels, annotations and finalizers that the migration decides on."""
        return frozenset(each.key for each in self.keys)

    @cached_property
    def old_groups(self) -> GroupSpellings:
        """Return how the groups of old kinds are written: no text speaks of one without its group."""
        groups = dict.fromkeys(each.before.group for each in self.old)
        texts = dict.fromkeys(name for group in groups for name in (group, group.replace(".", "-")))
        return GroupSpellings((*texts,), min(map(len, texts), default=0))

    @property
    def group_moves(self) -> dict[str, list[str]]:
        """Return the groups that kinds leave, with those that they go to."""
        found: dict[str, list[str]] = {each.before.group: [] for each in self.moving_kinds}
        for each in self.kinds_with_new_crd:
            there, new = found[each.before.group], each.new.name.group
            there += [] if new in there or new == each.before.group else [new]
        return found

    @cached_property
    def retired_groups(self) -> frozenset[str]:
        """Return the groups that move as a whole: no new kind is of them."""
        return frozenset(each.before.group for each in self.moving_kinds) - {
            each.new.name.group for each in self.moving_kinds
        }


def find_kinds(migration: Migration, releases: Mapping[str, Iterable[Manifest]]) -> MovedKinds:
    """Find the CRDs of all kinds that a migration names, in the releases that it names."""
    crds = {name: [each for each in some if is_crd(each.body)] for name, some in releases.items()}
    before, after = migration.before, migration.after
    wanted = [
        *((said.before, before, said.origin.at("from")) for said in migration.kinds),
        *((said.after, after, said.origin.at("to")) for said in migration.kinds),
        *((drop.kind, before, drop.origin.at("kind")) for drop in migration.drops),
    ]
    served = {(name, release): _find_served_kind(crds[release], name) for name, release, _ in wanted}
    moving = [
        MovingKind(said=said, old=old, new=new)
        for said in migration.kinds
        if (old := served[said.before, before]) and (new := served[said.after, after])
    ]
    drops = ((drop, served[drop.kind, before]) for drop in migration.drops)
    dropped = [OldKind(said=drop, old=old) for drop, old in drops if old]
    missing = [each for each in wanted if served[each[:2]] is None]
    if migration.both and not missing:  # what goes need not be there
        names = (name for said in migration.kinds for name in (said.before, said.after))
        origin = migration.origin.at("both")
        lacking = (name for name in names if _find_served_kind(crds[migration.both], name) is None)
        missing = [(name, migration.both, origin) for name in lacking]
    findings = (_report_missing_kind(*each, crds[each[1]]) for each in missing)
    return MovedKinds((*moving, *dropped), migration.keys, tuple(findings))


def _find_served_kind(crds: Iterable[Manifest], name: KindName) -> ServedKind | None:
    for each in crds:
        spec = each.body["spec"]
        here = (spec["group"], spec["names"]["kind"]) == (name.group, name.kind)
        if here and name.version in versions_of(each.body):
            return ServedKind(name=name, crd=each)
    return None


def _report_missing_kind(name: KindName, release: str, origin: Origin, crds: Iterable[Manifest]) -> Finding:
    known = sorted(
        f"{each.body['spec']['group']}/{version}/{each.body['spec']['names']['kind']}"
        for each in crds
        for version in versions_of(each.body)
        if each.body["spec"]["names"]["kind"] == name.kind
    )
    hint = f"known are {', '.join(dict.fromkeys(known))}" if known else "no CRD of it has such a kind"
    return make_problem(
        "migration-kind", f"found {name}, which no CRD of release {release} has", hint=hint
    ).to_finding(origin)
