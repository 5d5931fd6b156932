"""The migrations of the project's own kit: they load, and say of every field and kind what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator

import project
import pytest
from kits import PROJECT

from kitgen.crd.declaration import expand_crds
from kitgen.kit.migrations import load_migrations
from kitgen.kit.model.migration import KindName, Migration, MovedField, MovedKind
from kitgen.kit.spec_files import SpecFiles
from kitgen.render.placement import build_placement
from kitgen.text.yaml import JsonObject

FOUND = load_migrations(SpecFiles(PROJECT), project.project().kit)
MOVES = [
    pytest.param(each, kind, id=f"{each.name}-{kind.before.kind}")
    for each in FOUND.known.values()
    for kind in each.kinds
]
Steps = tuple[str, ...]


def test_they_load() -> None:
    assert FOUND.findings == ()
    files = sorted(path.stem for path in (PROJECT / "migrations").glob("*.yaml"))
    assert sorted(FOUND.known) == files


def schema(migration: Migration, release: str, kind: KindName) -> JsonObject | None:
    """Return the schema of a kind, if every target has its CRD in a release."""
    kit = project.project().kit
    found: JsonObject | None = None
    for target in migration.targets:
        placed = build_placement(kit, kit.targets[target], kit.releases[release]).managed_components
        bodies = [body for each in placed for body in expand_crds(each.crds, minor=each.minor).bodies]
        some = [
            version["schema"]["openAPIV3Schema"]
            for body in bodies
            for version in body["spec"]["versions"]
            if (body["spec"]["group"], version["name"], body["spec"]["names"]["kind"]) == kind
        ]
        if not some:
            return None
        found = some[0]
    return found


def leaves(node: JsonObject, at: Steps = ()) -> Iterator[Steps]:
    """Yield the fields that hold no others."""
    inner: JsonObject = dict(node.get("properties", {}))
    if isinstance(node.get("items"), dict):
        inner = {"[]": node["items"]}
    for name, each in inner.items():
        yield from leaves(each, (*at, name))
    if not inner:
        yield at


def nearest(kind: MovedKind, field: Steps) -> MovedField | None:
    """Return what says most exactly what becomes of a field."""
    fitting = [each for each in kind.fields if field[: len(each.field)] == each.field]
    return max(fitting, key=lambda each: len(each.field), default=None)


def spec(node: JsonObject) -> list[Steps]:
    return [*leaves(node["properties"]["spec"], ("spec",))]


@pytest.mark.parametrize(("migration", "kind"), MOVES)
def test_each_kind_is_in_one_release_and_not_in_the_other(migration: Migration, kind: MovedKind) -> None:
    assert schema(migration, migration.before, kind.before)
    assert schema(migration, migration.after, kind.after)
    assert schema(migration, migration.after, kind.before) is None
    assert schema(migration, migration.before, kind.after) is None


@pytest.mark.parametrize(("migration", "kind"), MOVES)
def test_each_field_of_a_spec_arrives_or_is_said_to_be_lost(migration: Migration, kind: MovedKind) -> None:
    before = schema(migration, migration.before, kind.before)
    after = schema(migration, migration.after, kind.after)
    assert before
    assert after
    there = set(spec(after))
    unsaid = []
    for field in spec(before):
        rule = nearest(kind, field)
        arrives = (*rule.to, *field[len(rule.field) :]) if rule else field
        if not (rule and rule.lost) and arrives not in there:
            unsaid.append(".".join(field))
    assert unsaid == []


@pytest.mark.parametrize(("migration", "kind"), MOVES)
def test_each_field_that_is_named_is_there(migration: Migration, kind: MovedKind) -> None:
    before = schema(migration, migration.before, kind.before)
    assert before
    known = spec(before)
    assert (
        [
            each.field
            for each in kind.fields
            if "never kept" not in each.lost
            and "stopped reading" not in each.lost  # no server had it
            and not any(f[: len(each.field)] == each.field for f in known)
        ]
        == []
    )
