"""Take changes out of the reckoning that somebody accepted, with a reason.

An exception names a change by its id, or by rule, CRD and path. One that names no change is stale
and an error: else it would one day hide another change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kitgen.diff.change import Change, Place
from kitgen.diff.crds.rules import RULES
from kitgen.diff.risk import Risk
from kitgen.findings import Chapter, Finding, Origin, Rule, near
from kitgen.schema.wording import shown
from kitgen.yamlio import Json, JsonObject

EXCEPTION_SHAPE = Rule(
    id="exception-shape",
    chapter=Chapter.EXCEPTION,
    title="not an exception",
    checks="An exception names the change that it is for.",
    fix="Write what the message expects.",
)

EXCEPTION_REASON = Rule(
    id="exception-reason",
    chapter=Chapter.EXCEPTION,
    title="an exception without a reason",
    checks="An exception says why.",
    fix="Add the reason.",
)

EXCEPTION_STALE = Rule(
    id="exception-stale",
    chapter=Chapter.EXCEPTION,
    title="an exception for nothing",
    checks="Every exception meets a change.",
    fix="Remove it.",
)


KEYS = ("id", "rule", "crd", "path", "version", "reason")
NEEDED = ("rule", "crd", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An exception: what it names, and why."""

    origin: Origin
    reason: str
    id: str = ""
    rule: str = ""
    crd: str = ""
    path: str = ""
    version: str = ""

    def covers(self, change: Change) -> frozenset[Place]:
        """Return the places of a change that are meant: none, some or all."""
        if self.id:
            return frozenset(change.places if self.id == change.id else ())
        if self.rule != change.rule:
            return frozenset()
        if change.type_name and (self.crd, self.path) == (change.type_name, change.type_path):
            return frozenset(change.places)
        return frozenset(
            place
            for place in change.places
            if (place.object, place.path) == (self.crd, self.path) and self.version in ("", place.version)
        )


def read_exceptions(data: Json, file: str) -> tuple[tuple[Accepted, ...], tuple[Finding, ...]]:
    """Build the exceptions of a file, with a finding for each that is none."""
    origin = Origin(file)
    if data is None:
        return (), ()
    if not isinstance(data, list):
        return (), (_wrong(f"found {shown(data)}, expected a list of exceptions", origin),)
    accepted, findings = [], []
    for index, item in enumerate(data):
        found = list(_faults(item, origin.at(index)))
        findings += found
        if not found:
            accepted.append(Accepted(origin=origin.at(index), **item))
    return tuple(accepted), tuple(findings)


def _faults(item: Json, origin: Origin) -> Iterable[Finding]:
    if not isinstance(item, dict):
        yield _wrong(f"found {shown(item)}, expected a mapping", origin)
        return
    for key, value in item.items():
        if key not in KEYS:
            yield _wrong(
                f"found the key {key!r}, which an exception has not", origin.at(key), near(key, list(KEYS))
            )
        elif not isinstance(value, str):
            yield _wrong(f"found {shown(value)}, expected a string", origin.at(key))
    if not str(item.get("reason") or "").strip():
        text = "found no reason, expected why the change is accepted"
        yield EXCEPTION_REASON(text).at(origin)
    yield from _meaning(item, origin)


def _meaning(item: JsonObject, origin: Origin) -> Iterable[Finding]:
    others = [key for key in ("rule", "crd", "path", "version") if key in item]
    if "id" in item:
        if others:
            yield _wrong(f"found an id and {others[0]}, expected one or the other", origin)
        return
    for key in NEEDED:
        if key not in item:
            yield _wrong(f"found no {key}, expected an id, or rule, crd and path", origin)
    rule = item.get("rule")
    if isinstance(rule, str) and rule not in RULES:
        yield _wrong(f"found the rule {rule!r}, which is none", origin.at("rule"), near(rule, list(RULES)))


def _wrong(message: str, origin: Origin, hint: str = "") -> Finding:
    return EXCEPTION_SHAPE(message, hint=hint).at(origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is left after the exceptions."""

    changes: tuple[Change, ...]
    reasons: dict[str, str]
    """By the id of a change that was accepted: why."""
    findings: tuple[Finding, ...]
    hint: str = ""
    """What to know about the comparison as a whole."""

    @property
    def breaking(self) -> tuple[Change, ...]:
        """Return the breaking changes that nobody accepted."""
        return tuple(c for c in self.changes if c.risk is Risk.BREAKING and c.id not in self.reasons)


def judge(
    changes: Iterable[Change], accepted: Iterable[Accepted], findings: Iterable[Finding] = ()
) -> Verdict:
    """Apply exceptions to changes; an exception that names none is a finding."""
    listed, exceptions = tuple(changes), tuple(accepted)
    reasons: dict[str, str] = {}
    used: set[Accepted] = set()
    for change in listed:
        hits = {exception: places for exception in exceptions if (places := exception.covers(change))}
        used |= hits.keys()
        if frozenset().union(*hits.values()) == frozenset(change.places):
            reasons[change.id] = "; ".join(dict.fromkeys(exception.reason for exception in hits))
    stale = [_stale(exception, listed) for exception in exceptions if exception not in used]
    return Verdict(changes=listed, reasons=reasons, findings=(*findings, *stale))


def _stale(exception: Accepted, changes: tuple[Change, ...]) -> Finding:
    what = exception.id or f"{exception.rule} {exception.crd} {exception.path}".strip()
    hint = near(exception.id, [change.id for change in changes]) if exception.id else ""
    return EXCEPTION_STALE(
        f"found an exception for {what!r}, but there is no such change", hint=hint or "remove it"
    ).at(exception.origin)
