"""The files of migrations → model, and what of them cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import UNSET

from kitgen.findings import Chapter, Finding, Origin, Rule, near
from kitgen.load.pointing import lost_names
from kitgen.load.ranges import read_range
from kitgen.load.references import find_cycle
from kitgen.load.rules import SPEC_PATH
from kitgen.load.specfiles import SpecFiles
from kitgen.model import Kit
from kitgen.model.migration import (
    DroppedKind,
    KindName,
    Migration,
    MovedField,
    MovedKey,
    MovedKind,
    OwnStep,
    Phase,
    Policy,
    StepPlace,
    Way,
)
from kitgen.root import MIGRATIONS
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.yamlio import JsonObject

MIGRATION_KIND = Rule(
    id="migration-kind",
    chapter=Chapter.MIGRATION,
    checks=(
        "Every kind of a migration has a CRD in the release that knows it, and in the one for both. No two "
        "become one, none becomes two, no kind comes back to where it started, and none is moved twice "
        "between the same releases."
    ),
    fix="Take group, version and kind from the CRD.",
    why="A group that is typed, and not taken from the CRD, is one that no server knows.",
)

MIGRATION_PATH = Rule(
    id="migration-path",
    chapter=Chapter.MIGRATION,
    checks=(
        "A progressive path has a release whose operator serves both groups, which is neither the one before "
        "nor the one after. Other paths have none."
    ),
    fix="Say `both`, or take the path one-shot.",
    why=(
        "While both groups are served, one operator has to look after both. Where none ever did, resources "
        "of one group would stand still, and two operators would fight over what they make."
    ),
)

MIGRATION_KEY = Rule(
    id="migration-key",
    chapter=Chapter.MIGRATION,
    checks="A key that is moved or doubled says what it becomes, others do not, and each is there once.",
    fix="Add `to`, or remove it.",
)

MIGRATION_STEP = Rule(
    id="migration-step",
    chapter=Chapter.MIGRATION,
    checks="Every step that a migration adds to its runbook is of a phase that its path has.",
    fix="Name a phase of the path.",
    why="A step of another phase would never be shown.",
)


class Migrations(NamedTuple):
    """The migrations of a kit by name, and what is wrong with the others."""

    known: Mapping[str, Migration]
    findings: tuple[Finding, ...]


def load_migrations(files: SpecFiles, kit: Kit | None) -> Migrations:
    """Read all migrations of a kit; if that was not loaded, names are held to its files."""
    known: dict[str, Migration] = {}
    findings: list[Finding] = [*files.other_endings(MIGRATIONS)]
    for file in migration_files(files):
        data, wrong = files.data(file, "migration")
        findings += wrong
        if data is None:
            continue
        made, wrong = _built(data, Origin(file))
        found = [
            *wrong,
            *_misplaced(made),
            *(_references(made, kit) if kit else lost_names(made, files)),
            *_path(made),
            *_keys(made),
            *_kinds(made),
            *_dropped(made),
            *_steps(made),
        ]
        findings += found
        if not found:
            known[made.name] = made
    findings += [*_circles(known.values()), *_twice(known.values())]
    return Migrations(known, tuple(findings))


def migration_files(files: SpecFiles) -> list[str]:
    """Return the files of migrations, in order."""
    names = files.files.names(MIGRATIONS) if files.files.is_folder(MIGRATIONS) is True else []
    return [f"{MIGRATIONS}/{name}" for name in names if name.endswith(".yaml") and not name.startswith(".")]


def _built(data: JsonObject, origin: Origin) -> tuple[Migration, list[Finding]]:
    span, wrong = read_range(data["kubernetes"], origin.at("kubernetes"))
    kinds = tuple(_kind(each, origin.at("kinds", index)) for index, each in enumerate(data["kinds"]))
    keys = tuple(
        MovedKey(
            key=each["key"],
            policy=Policy(each["policy"]),
            to=each.get("to", ""),
            reason=each["reason"],
            origin=origin.at("keys", index),
        )
        for index, each in enumerate(data.get("keys", ()))
    )
    made = Migration(
        name=data["migration"],
        about=data["about"],
        way=Way(data["path"]),
        targets=tuple(data["targets"]),
        component=data["component"],
        minors=span,
        kinds=kinds,
        drops=tuple(
            DroppedKind(
                kind=KindName(*each["kind"].split("/")),
                reason=each["reason"],
                origin=origin.at("drops", index),
            )
            for index, each in enumerate(data.get("drops", ()))
        ),
        keys=keys,
        steps=tuple(
            _step(each, origin.at("steps", index)) for index, each in enumerate(data.get("steps", ()))
        ),
        before=data["before"],
        both=data.get("both", ""),
        after=data["after"],
        origin=origin,
    )
    return made, wrong


def _kind(data: JsonObject, origin: Origin) -> MovedKind:
    before, after = (KindName(*data[side].split("/")) for side in ("from", "to"))
    fields = tuple(
        MovedField(
            field=steps_of(each["from"]),
            to=steps_of(each["to"]) if "to" in each else (),
            lost=each.get("lost", ""),
            default=each.get("default", UNSET),
            origin=origin.at("fields", index),
        )
        for index, each in enumerate(data.get("fields", ()))
    )
    return MovedKind(before=before, after=after, fields=fields, origin=origin)


def _step(data: JsonObject, origin: Origin) -> OwnStep:
    return OwnStep(
        phase=Phase(data["phase"]),
        place=StepPlace(data.get("place", StepPlace.LAST)),
        title=data["title"],
        why=data.get("why", ""),
        commands=tuple(data.get("commands", ())),
        origin=origin,
    )


def steps_of(field: str) -> tuple[str, ...]:
    """Return the steps of a field such as `spec.items[].name`; `[]` is a step of its own."""
    return tuple(step for part in field.split(".") for step in part.replace("[]", ".[]").split("."))


def _misplaced(made: Migration) -> Iterator[Finding]:
    want = made.origin.file.rpartition("/")[2].removesuffix(".yaml")
    if made.name != want:
        message = f"found {made.name!r}, expected {want!r}, as the path says"
        yield SPEC_PATH(message, hint="rename one of them").at(made.origin.at("migration"))


def _references(made: Migration, kit: Kit) -> Iterator[Finding]:
    """Yield names that lead nowhere, and releases that do not build the component."""
    for index, name in enumerate(made.targets):
        yield from _missing("target", name, made.origin.at("targets", index), list(kit.targets))
    yield from _missing("component", made.component, made.origin.at("component"), list(kit.versions))
    for key, name in (("before", made.before), ("both", made.both), ("after", made.after)):
        release = kit.releases.get(name)
        if name and release is None:
            hint = near(name, list(kit.release_names))
            yield REFERENCE_MISSING(f"found no release {name!r}", hint=hint).at(made.origin.at(key))
        elif release and made.component not in release.components:
            message = f"found the release {name!r}, which does not build {made.component}"
            yield REFERENCE_MISSING(message).at(made.origin.at(key))


def _missing(what: str, name: str, origin: Origin, known: list[str]) -> Iterator[Finding]:
    if name not in known:
        hint = near(name, known) or f"known are {', '.join(known)}"
        yield REFERENCE_MISSING(f"found no {what} {name!r}", hint=hint).at(origin)


def _path(made: Migration) -> Iterator[Finding]:
    if made.way is Way.PROGRESSIVE and not made.both:
        message = f"found the path progressive, but no release of {made.component} that serves both groups"
        hint = "say both, with a release whose operator serves both, or take the path one-shot"
        yield MIGRATION_PATH(message, hint=hint).at(made.origin.at("path"))
    if made.way is Way.ONE_SHOT and made.both:
        message = "found a release that serves both, on the path one-shot, which has no such phase"
        yield MIGRATION_PATH(message, hint="take the path progressive, or remove it").at(
            made.origin.at("both")
        )
    for key in ("before", "after"):
        if made.both and made.both == getattr(made, key):
            message = f"found {made.both!r}, which is the release {key}, expected one in between"
            hint = f"no operator of the release {key} serves both sides"
            yield MIGRATION_PATH(message, hint=hint).at(made.origin.at("both"))
    if made.before == made.after:
        message = f"found {made.after!r} before and after, expected two releases"
        yield MIGRATION_PATH(message).at(made.origin.at("after"))


def _keys(made: Migration) -> Iterator[Finding]:
    seen: set[str] = set()
    for each in made.keys:
        if each.key in seen:
            yield MIGRATION_KEY(f"found {each.key!r} a second time").at(each.origin.at("key"))
        seen.add(each.key)
        if each.policy is Policy.KEEP and each.to:
            message = "found what the key becomes, but it is kept"
            yield MIGRATION_KEY(message, hint="remove it, or choose both or move").at(each.origin.at("to"))
        elif each.to == each.key:
            message = f"found {each.key!r} on both sides, expected it to become another one"
            yield MIGRATION_KEY(message, hint="keep it, or say another one").at(each.origin.at("to"))
        elif each.policy is not Policy.KEEP and not each.to:
            message = f"found the policy {each.policy}, but not what the key becomes"
            yield MIGRATION_KEY(message, hint="add to").at(each.origin)


def _kinds(made: Migration) -> Iterator[Finding]:
    """Yield kinds that become two, two that become one, and one that does not move."""
    for side, found in (("from", "before"), ("to", "after")):
        first: dict[KindName, MovedKind] = {}
        for each in made.kinds:
            name: KindName = getattr(each, found)
            if first.setdefault(name, each) is not each:
                what = "which becomes two kinds" if side == "from" else "which two kinds become"
                yield MIGRATION_KIND(f"found {name} a second time, {what}").at(each.origin.at(side))
    for each in made.kinds:
        if each.before == each.after:
            yield MIGRATION_KIND(f"found {each.before} on both sides, expected it to move").at(each.origin)


def _dropped(made: Migration) -> Iterator[Finding]:
    """Yield kinds that go twice, or that move besides."""
    known = {each.before for each in made.kinds} | {each.after for each in made.kinds}
    for each in made.drops:
        if each.kind in known:
            message = f"found {each.kind} a second time, expected a kind that goes to be named once"
            yield MIGRATION_KIND(message).at(each.origin.at("kind"))
        known.add(each.kind)


def _steps(made: Migration) -> Iterator[Finding]:
    """Yield steps of phases that the path does not have."""
    for each in made.steps:
        if each.phase not in made.phases:
            message = f"found the phase '{each.phase}', expected one of the path {made.way}"
            hint = f"it has {', '.join(made.phases)}"
            yield MIGRATION_STEP(message, hint=hint).at(each.origin.at("phase"))


def _twice(some: Iterable[Migration]) -> Iterator[Finding]:
    """Yield a kind that two migrations move between the same releases of a target."""
    first: dict[tuple[object, ...], Migration] = {}
    for made in some:
        for each in made.kinds:
            for target in made.targets:
                other = first.setdefault((each.before, made.before, made.after, target), made)
                if other is not made:
                    message = f"found {each.before}, which {other.name} moves too, between the same releases"
                    hint = f"remove it here or in {other.origin.file}"
                    yield MIGRATION_KIND(message, hint=hint).at(each.origin.at("from"))


def _circles(some: Iterable[Migration]) -> Iterator[Finding]:
    """Yield a kind that migrations lead back to where it started."""
    ways: dict[str, list[str]] = {}
    origins: dict[str, Origin] = {}
    for each in (kind for made in some for kind in made.kinds):
        ways.setdefault(str(each.before), []).append(str(each.after))
        origins.setdefault(str(each.before), each.origin)
    if cycle := find_cycle(ways):
        message = f"found a circle: {' becomes '.join([*cycle, cycle[0]])}"
        yield MIGRATION_KIND(message, hint="a kind that moves does not come back").at(origins[cycle[0]])
