"""What moves, with the CRDs of both sides, and the words in which sources tell of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.findings import Cause, CauseKind, Finding, Origin, Path
from kitgen.kit.migration_rules import MIGRATION_KIND
from kitgen.kit.model.migration import DroppedKind, KindName, Migration, MovedKind
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import Json, JsonObject


class ServedKind(Struct, frozen=True, kw_only=True):
    """A kind, and the CRD that serves it."""

    name: KindName
    crd: Manifest

    @property
    def plural(self) -> str:
        """Return what roles and webhooks call its resources."""
        found: str = self.crd.body["spec"]["names"]["plural"]
        return found

    @property
    def cluster_wide(self) -> bool:
        """Tell whether its resources are of the cluster, and of no namespace."""
        return bool(self.crd.body["spec"]["scope"] == "Cluster")

    @property
    def resource(self) -> tuple[str, str]:
        """Return the group and the resources."""
        return self.name.group, self.plural


class Moving(Struct, frozen=True, kw_only=True):
    """A kind that moves, as both releases have it."""

    said: MovedKind
    old: ServedKind
    new: ServedKind


class Dropping(Struct, frozen=True, kw_only=True):
    """A kind that goes."""

    said: DroppedKind
    old: ServedKind


class Moved(NamedTuple):
    """What moves and what goes, and a finding for every kind that no CRD has."""

    kinds: tuple[Moving, ...]
    dropped: tuple[Dropping, ...]
    findings: tuple[Finding, ...]

    @property
    def across(self) -> list[Moving]:
        """Return what moves to another CRD."""
        return [each for each in self.kinds if not each.said.within_group]

    @property
    def old(self) -> list[ServedKind]:
        """Return all that goes in the end."""
        return [*(each.old for each in self.kinds), *(each.old for each in self.dropped)]

    @property
    def gone(self) -> list[Manifest]:
        """Return the CRDs that the last phase does not have."""
        return [*(each.old.crd for each in self.across), *(each.old.crd for each in self.dropped)]


def moving(migration: Migration, releases: Mapping[str, Iterable[Manifest]]) -> Moved:
    """Find the CRDs of all kinds that a migration names, in the releases that it names."""
    crds = {name: [each for each in some if is_crd(each.body)] for name, some in releases.items()}
    found: list[Moving] = []
    findings: list[Finding] = []
    for said in migration.kinds:
        names = (("from", said.before, migration.before), ("to", said.after, migration.after))
        pair = [_side(crds[release], name) for _, name, release in names]
        for side, (key, name, release) in zip(pair, names, strict=True):
            if side is None:
                findings.append(_missing(name, release, said.origin.at(key), crds[release]))
        if pair[0] and pair[1]:
            found.append(Moving(said=said, old=pair[0], new=pair[1]))
    dropped: list[Dropping] = []
    for each in migration.drops:
        side = _side(crds[migration.before], each.kind)
        if side is None:
            origin = each.origin.at("kind")
            findings.append(_missing(each.kind, migration.before, origin, crds[migration.before]))
        else:
            dropped.append(Dropping(said=each, old=side))
    if migration.both and not findings:
        findings += _unserved(migration, crds[migration.both])
    return Moved(tuple(found), tuple(dropped), tuple(findings))


def _unserved(migration: Migration, crds: Sequence[Manifest]) -> Iterator[Finding]:
    """Yield kinds of either side that the release for both does not have; of one that goes, it need not."""
    origin = migration.origin.at("both")
    for said in migration.kinds:
        for name in (said.before, said.after):
            if _side(crds, name) is None:
                yield _missing(name, migration.both, origin, crds)


def _side(crds: Iterable[Manifest], name: KindName) -> ServedKind | None:
    for each in crds:
        spec = each.body["spec"]
        here = (spec["group"], spec["names"]["kind"]) == (name.group, name.kind)
        if here and name.version in versions_of(each.body):
            return ServedKind(name=name, crd=each)
    return None


def versions_of(crd: JsonObject) -> list[str]:
    """Return the versions of a CRD."""
    return [each["name"] for each in crd["spec"]["versions"]]


def _missing(name: KindName, release: str, origin: Origin, crds: Iterable[Manifest]) -> Finding:
    known = sorted(
        f"{each.body['spec']['group']}/{version}/{each.body['spec']['names']['kind']}"
        for each in crds
        for version in versions_of(each.body)
        if each.body["spec"]["names"]["kind"] == name.kind
    )
    hint = f"known are {', '.join(dict.fromkeys(known))}" if known else "no CRD of it has such a kind"
    return MIGRATION_KIND(f"found {name}, which no CRD of release {release} has", hint=hint).at(origin)


def cause(migration: Migration) -> Cause:
    """Return what makes what a phase adds."""
    return Cause(CauseKind.MIGRATION, migration.name)


def added(migration: Migration, origin: Origin, *paths: Path) -> Iterator[FieldSource]:
    """Yield sources for the parts of an object that a phase adds."""
    for path in paths:
        yield FieldSource(path=path, cause=cause(migration), origin=origin)


def words(rule: JsonObject, key: str) -> list[str]:
    """Return the words that a rule of a role or webhook lists; what is no list has none."""
    value: Json = rule.get(key)
    return [str(each) for each in value] if isinstance(value, list) else []
