"""Validate migrations: names, paths, keys, kinds and steps, each by itself and against the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

from kitgen.findings import Finding, Path, make_problem, suggest_or_list, suggest_word
from kitgen.kit.model import Release
from kitgen.kit.model.migration import KindName, Migration, MigrationPath, MovedKey, MovedKind, Policy
from kitgen.kit.references import find_cycle
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.values import group_pairs


def check_migration_spec(made: Migration) -> Iterator[Finding]:
    """Yield what is wrong with a migration by itself."""
    for each in (
        _check_file_name,
        _check_releases,
        _check_keys,
        _check_kinds,
        _check_dropped_kinds,
        _check_steps,
    ):
        yield from each(made)


def check_migration_specs(some: Collection[Migration]) -> Iterator[Finding]:
    """Yield what is wrong with migrations beside each other."""
    for each in (_check_cycles, _check_duplicate_moves):
        yield from each(some)


def _check_file_name(made: Migration) -> Iterator[Finding]:
    want = made.origin.file.rpartition("/")[2].removesuffix(".yaml")
    if made.name != want:
        yield make_problem(
            "spec-path",
            f"found {made.name!r}, expected {want!r}, as the path says",
            hint="rename one of them",
        ).to_finding(made.origin.at("migration"))


def check_migration_names(
    made: Migration, known: Mapping[str, Collection[str]], releases: Mapping[str, Release]
) -> Iterator[Finding]:
    """Yield names that lead nowhere, and releases, of those that were read, without the component.

    Known are the names of targets, components and releases by the schema of their specs.
    """
    for kind, path, name in _list_names(made):
        origin, names = made.origin.at(*path), list(known.get(kind, ()))
        if name not in names:
            yield REFERENCE_MISSING(
                f"found no {kind} {name!r}",
                hint=suggest_word(name, names) if kind == "release" else suggest_or_list(name, names),
            ).to_finding(origin)
        elif kind == "release" and name in releases and made.component not in releases[name].components:
            yield REFERENCE_MISSING(
                f"found the release {name!r}, which does not build {made.component}"
            ).to_finding(origin)


def _list_names(made: Migration) -> Iterator[tuple[str, Path, str]]:
    """Yield the names in a migration: of what they are, where, and the name."""
    yield "component", ("component",), made.component
    yield from (("target", ("targets", index), name) for index, name in enumerate(made.targets))
    releases = (("before", made.before), ("both", made.both), ("after", made.after))
    yield from (("release", (key,), name) for key, name in releases if name)


def _check_releases(made: Migration) -> Iterator[Finding]:
    """Yield releases that do not fit the path, or each other."""
    faults = (
        (
            made.way is MigrationPath.PROGRESSIVE and not made.both,
            "path",
            f"found the path progressive, but no release of {made.component} that serves both groups",
            "say both, with a release whose operator serves both, or take the path one-shot",
        ),
        (
            made.way is MigrationPath.ONE_SHOT and made.both,
            "both",
            "found a release that serves both, on the path one-shot, which has no such phase",
            "take the path progressive, or remove it",
        ),
        *(
            (
                made.both and made.both == release,
                "both",
                f"found {made.both!r}, which is the release {key}, expected one in between",
                f"no operator of the release {key} serves both sides",
            )
            for key, release in (("before", made.before), ("after", made.after))
        ),
        (
            made.before == made.after,
            "after",
            f"found {made.after!r} before and after, expected two releases",
            "",
        ),
    )
    yield from (
        make_problem("migration-path", message, hint=hint).to_finding(made.origin.at(key))
        for wrong, key, message, hint in faults
        if wrong
    )


def _check_keys(made: Migration) -> Iterator[Finding]:
    """Yield keys that are named twice, or that become what their policy does not allow."""
    first: dict[str, MovedKey] = {}
    for each in made.keys:
        kept = each.policy is Policy.KEEP
        faults = (
            (
                first.setdefault(each.key, each) is not each,
                ("key",),
                f"found {each.key!r} a second time",
                "",
            ),
            (
                kept and each.to,
                ("to",),
                "found what the key becomes, but it is kept",
                "remove it, or choose both or move",
            ),
            (
                not kept and each.to == each.key,
                ("to",),
                f"found {each.key!r} on both sides, expected it to become another one",
                "keep it, or say another one",
            ),
            (
                not kept and not each.to,
                (),
                f"found the policy {each.policy}, but not what the key becomes",
                "add to",
            ),
        )
        yield from (
            make_problem("migration-key", message, hint=hint).to_finding(each.origin.at(*path))
            for wrong, path, message, hint in faults
            if wrong
        )


def _check_kinds(made: Migration) -> Iterator[Finding]:
    """Yield kinds that become two, two that become one, and one that does not move."""
    for side, found in (("from", "before"), ("to", "after")):
        first: dict[KindName, MovedKind] = {}
        for each in made.kinds:
            name: KindName = getattr(each, found)
            if first.setdefault(name, each) is not each:
                what = "which becomes two kinds" if side == "from" else "which two kinds become"
                yield make_problem("migration-kind", f"found {name} a second time, {what}").to_finding(
                    each.origin.at(side)
                )
    yield from (
        make_problem("migration-kind", f"found {each.before} on both sides, expected it to move").to_finding(
            each.origin
        )
        for each in made.kinds
        if each.before == each.after
    )


def _check_dropped_kinds(made: Migration) -> Iterator[Finding]:
    """Yield kinds that go twice, or that move besides."""
    known = {each.before for each in made.kinds} | {each.after for each in made.kinds}
    for each in made.drops:
        if each.kind in known:
            yield make_problem(
                "migration-kind",
                f"found {each.kind} a second time, expected a kind that goes to be named once",
            ).to_finding(each.origin.at("kind"))
        known.add(each.kind)


def _check_steps(made: Migration) -> Iterator[Finding]:
    """Yield steps of phases that the path does not have."""
    for each in made.steps:
        if each.phase not in made.phases:
            yield make_problem(
                "migration-step",
                f"found the phase '{each.phase}', expected one of the path {made.way}",
                hint=f"it has {', '.join(made.phases)}",
            ).to_finding(each.origin.at("phase"))


def _check_duplicate_moves(some: Iterable[Migration]) -> Iterator[Finding]:
    """Yield a kind that two migrations move between the same releases of a target."""
    first: dict[tuple[object, ...], Migration] = {}
    for made in some:
        for each, target in product(made.kinds, made.targets):
            if (other := first.setdefault((each.before, made.before, made.after, target), made)) is not made:
                yield make_problem(
                    "migration-twice",
                    f"found {each.before}, which {other.name} moves too, between the same releases",
                    hint=f"remove it here or in {other.origin.file}",
                ).to_finding(each.origin.at("from"))


def _check_cycles(some: Iterable[Migration]) -> Iterator[Finding]:
    """Yield a kind that migrations lead back to where it started."""
    kinds = group_pairs((str(kind.before), kind) for made in some for kind in made.kinds)
    if cycle := find_cycle({name: [str(each.after) for each in moved] for name, moved in kinds.items()}):
        yield make_problem(
            "migration-kind",
            f"found a circle: {' becomes '.join([*cycle, cycle[0]])}",
            hint="a kind that moves does not come back",
        ).to_finding(kinds[cycle[0]][0].origin)
