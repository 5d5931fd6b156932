"""What `kitgen drift` does: report every difference between downstreams that nobody says is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.drift import Drift, compute_drift
from kitgen.findings import Finding, make_problem
from kitgen.findings.errors import UsageError
from kitgen.kit.model import REAL, DeclaredDifference, Target
from kitgen.workspace.kit import OpenedKit, format_known_names
from kitgen.workspace.sources import Kits, SourceKind, SourceName, parse_source
from kitgen.workspace.states import state_of


class Drifts(Struct, frozen=True, kw_only=True):
    """What was found."""

    root: Path | None
    pairs: tuple[Drift, ...]
    findings: tuple[Finding, ...]
    """What is wrong with declarations."""
    texts: Mapping[str, str]


class _Pair(Struct, frozen=True, kw_only=True):
    """Two sources, with the declarations that count."""

    one: SourceName
    other: SourceName
    declared: tuple[DeclaredDifference, ...] = ()
    real: bool = False
    """Whether these are about real things; if not, they are about two targets, as the first one is pinned."""
    pinned: bool = False
    """Whether the first one is a target in that release."""

    def covers_declaration(self, declared: DeclaredDifference) -> bool:
        """Return whether a declaration that meets nothing here meets nothing at all."""
        whole = self.one.kind is SourceKind.TARGET and not self.one.component
        if self.real:
            return whole or declared.component in ("", self.one.component)
        return self.pinned and (whole or declared.component == self.one.component)


def find_drift(
    root: Path | None,
    one: str | None,
    other: str | None,
    *,
    declared: str | None,
    release: str | None,
    today: str,
) -> Drifts:
    """Compare, and sort what is meant from what is not.

    Without `one`, all targets are compared with what they name; without `other`, that one is. Where both
    sides are real things, `declared` names whose declarations count, as TARGET/AGAINST.
    """
    kits = Kits(root)
    texts: dict[str, str] = {}
    pairs: list[Drift] = []
    findings: list[Finding] = []
    for pair in _list_pairs(kits, one, other, declared, release):
        states = [state_of(kits, each) for each in (pair.one, pair.other)]
        texts |= {**states[0].texts, **states[1].texts}
        left, right = (next(iter(each.parts.values())) for each in states)
        found = compute_drift((states[0].name, states[1].name), left, right, pair.declared)
        pairs.append(found)
        findings += _check_declarations(pair, found.stale, today)
    return Drifts(
        root=kits.open_at().root if texts else None, pairs=tuple(pairs), findings=tuple(findings), texts=texts
    )


def _list_pairs(
    kits: Kits, first: str | None, second: str | None, declared: str | None, release: str | None
) -> Iterator[_Pair]:
    """Yield what is to be held against what, with the declarations that count."""
    if first is None:
        for target in kits.open_at().kit.targets.values():
            yield from _list_target_pairs(kits.open_at(), target, release)
        return
    one = kits.resolve(parse_source(first))
    if second is None:
        if one.kind is not SourceKind.TARGET:
            raise UsageError(f"{one} is no target, expected two sides", hint="name what to hold it against")
        opened = kits.open_at(one.revision)
        yield from _list_target_pairs(opened, opened.target(one.name), release or one.version or None, one)
        return
    other = kits.resolve(parse_source(second))
    if one.kind is other.kind is SourceKind.STDIN:
        raise UsageError("both sides are standard input", hint="name a file for one of them")
    yield _build_pair(kits, *_align_releases(kits, one, other, release), declared)


def _list_target_pairs(
    opened: OpenedKit, target: Target, release: str | None, asked: SourceName | None = None
) -> Iterator[_Pair]:
    """Yield the targets that a target says it is held against."""
    version = opened.release(target, release).name
    one = replace(asked or SourceName(kind=SourceKind.TARGET, name=target.name), version=version)
    for name, declared in target.drift.items():
        if name in opened.kit.targets:
            yield _Pair(
                one=one, other=replace(one, name=name), declared=declared, pinned=version == target.release
            )


def _align_releases(
    kits: Kits, one: SourceName, other: SourceName, release: str | None
) -> tuple[SourceName, SourceName]:
    """Return two targets in the same release, unless they say which: the one that the first one pins."""
    if one.kind is not SourceKind.TARGET:
        return one, other
    version = one.version or release or kits.open_at(one.revision).target(one.name).release
    one = replace(one, version=version)
    if other.kind is SourceKind.TARGET and not other.version:
        other = replace(other, version=version)
    return one, other


def _build_pair(kits: Kits, one: SourceName, other: SourceName, named: str | None) -> _Pair:
    """Return both with the declarations that count: those of the first side, or of the one that is named."""
    target = kits.open_at(one.revision).target(one.name) if one.kind is SourceKind.TARGET else None
    pinned = target is not None and one.version == target.release
    against = other.name if other.kind is SourceKind.TARGET else REAL
    if named is not None:
        name, _, said = named.partition("/")
        kit, target, against = kits.open_at().kit, kits.open_at().target(name), said or REAL
        if against not in (REAL, *kit.targets):
            raise UsageError(
                f"no target {against!r} in this kit", hint=format_known_names((REAL, *kit.targets))
            )
    return _Pair(
        one=one,
        other=other,
        declared=target.drift.get(against, ()) if target else (),
        real=against == REAL,
        pinned=pinned,
    )


def _check_declarations(pair: _Pair, stale: Iterable[DeclaredDifference], today: str) -> Iterator[Finding]:
    """Yield declarations that meet nothing, and those that held until a day that is past."""
    message = f"found a declared difference, but {pair.one} and {pair.other} have no such difference"
    gone = make_problem("exception-stale", message, hint="remove it")
    yield from (gone.to_finding(each.origin) for each in stale if pair.covers_declaration(each))
    yield from (
        make_problem(
            "exception-expired",
            f"found a declared difference that held until {each.expires}, and today is {today}",
            hint="remove it, or give it another day",
        ).to_finding(each.origin)
        for each in pair.declared
        if each.expires and today > each.expires
    )
