"""Take changes out of the reckoning that somebody accepted: by their id, or by rule, object and path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from msgspec import Struct

from kitgen.compare.change import About, Change, ChangePlace, Risk, load_change_rules
from kitgen.findings import (
    EXCEPTION_SHAPE,
    AcceptedException,
    Finding,
    Origin,
    Problem,
    check_exception_terms,
    suggest_word,
)
from kitgen.text.schema_check import Shape
from kitgen.text.schema_errors import ShapeRules
from kitgen.text.yaml import Json, JsonObject

RULES = ShapeRules(noun="key", **dict.fromkeys(("unknown", "missing", "mistyped", "value"), EXCEPTION_SHAPE))


@cache
def _build_shapes() -> tuple[Shape, Shape]:
    """Return what an exception looks like, and a list of them."""
    keys = ("id", "rule", "crd", "object", "path", "version", "reason", "expires")
    fields = {key: {"type": "string"} for key in keys}
    item = {"type": "object", "properties": fields, "additionalProperties": False}
    listed = {"type": ["array", "null"], "items": item, "x-expected": "a list of exceptions"}
    return Shape(item, rules=RULES), Shape(listed, rules=RULES)


def read_exceptions(data: Json, file: str) -> tuple[tuple[AcceptedException, ...], tuple[Finding, ...]]:
    """Build the exceptions of a file, with a finding for each that is none."""
    shape, list_shape = _build_shapes()
    wrong = list_shape.check(data)
    accepted: list[AcceptedException] = []
    for index, item in enumerate(data if isinstance(data, list) else ()):
        meaning = (
            [*check_exception_terms(item, "change"), *_check_keys(item)] if isinstance(item, dict) else []
        )
        wrong += [problem.prefix_path(index) for problem in meaning]
        if not meaning and shape.accepts(item):
            named = {"object" if key == "crd" else key: value for key, value in item.items()}
            accepted.append(AcceptedException(origin=Origin(file, (index,)), **named))
    return tuple(accepted), tuple(problem.to_finding(Origin(file)) for problem in wrong)


def _check_keys(item: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the keys of an exception; `object` is another word for `crd`."""
    if "id" in item:
        for key in [key for key in ("rule", "crd", "object", "path", "version") if key in item][:1]:
            yield EXCEPTION_SHAPE(f"found an id and {key}, expected one or the other")
        return
    if "crd" in item and "object" in item:
        yield EXCEPTION_SHAPE("found a crd and an object, expected one or the other")
    given = {*item, "crd"} if "object" in item else {*item}
    missing = (key for key in ("rule", "crd", "path") if key not in given)
    yield from (EXCEPTION_SHAPE(f"found no {key}, expected an id, or rule, crd and path") for key in missing)
    rule = item.get("rule")
    known = [name for name, each in load_change_rules().items() if each.about is not About.UPGRADE]
    if isinstance(rule, str) and rule not in known:
        yield EXCEPTION_SHAPE(f"found the rule {rule!r}, which is none", ("rule",), suggest_word(rule, known))


class ExceptionResult(Struct, frozen=True, kw_only=True):
    """What is left after the exceptions."""

    changes: tuple[Change, ...]
    reasons: dict[str, str]
    """By the id of a change that was accepted: why."""
    findings: tuple[Finding, ...]
    """What is wrong with exceptions, the stale ones included."""
    exceptions: tuple[tuple[AcceptedException, bool], ...] = ()
    """Each with whether it meets a change."""
    hint: str = ""
    """What to know about the comparison as a whole."""

    @property
    def breaking_changes(self) -> tuple[Change, ...]:
        """Return the breaking changes that nobody accepted."""
        return tuple(c for c in self.changes if c.risk is Risk.BREAKING and c.id not in self.reasons)

    @property
    def has_failed(self) -> bool:
        """Return whether a breaking change stands, or an exception is wrong."""
        return bool(self.breaking_changes or self.findings)


def apply_exceptions(
    changes: Iterable[Change], accepted: Iterable[AcceptedException], findings: Iterable[Finding] = ()
) -> ExceptionResult:
    """Apply exceptions to changes; an exception that names none is a finding."""
    listed, exceptions = tuple(changes), tuple(accepted)
    reasons: dict[str, str] = {}
    used: set[AcceptedException] = set()
    for change in listed:
        hits = {
            exception: places
            for exception in exceptions
            if (places := _select_covered_places(exception, change))
        }
        used |= hits.keys()
        if frozenset().union(*hits.values()) == frozenset(change.places):
            reasons[change.id] = "; ".join(dict.fromkeys(exception.reason for exception in hits))
        elif change.accepted:
            reasons[change.id] = change.accepted
    ids = [change.id for change in listed]
    stale = [
        each.report_stale("change", suggest_word(each.id, ids) if each.id else "")
        for each in exceptions
        if each not in used
    ]
    return ExceptionResult(
        changes=listed,
        reasons=reasons,
        findings=(*findings, *stale),
        exceptions=tuple((each, each in used) for each in exceptions),
    )


def _select_covered_places(exception: AcceptedException, change: Change) -> frozenset[ChangePlace]:
    """Return the places of a change that an exception means: none, some or all."""
    if exception.id:
        return frozenset(change.places if exception.id == change.id else ())
    if exception.rule != change.rule.id:
        return frozenset()
    where = (exception.object, exception.path)
    if change.type_name and where == (change.type_name, change.type_path):
        return frozenset(change.places)
    return frozenset(
        place
        for place in change.places
        if (place.object, place.path) == where and exception.version in ("", place.version_label)
    )
