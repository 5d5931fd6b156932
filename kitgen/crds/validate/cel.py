"""Evaluate the CEL rules of a schema over a value, and over what it was before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from kitgen.crds.cel.parse import CelError, Expr, parse
from kitgen.crds.cel.run.program import program
from kitgen.crds.cel.run.scope import Run, Scope
from kitgen.crds.cel.run.values import FaultError, Optional, UnknownError, Value, read
from kitgen.crds.validate.before import Place
from kitgen.crds.validate.effort import Effort
from kitgen.crds.validate.rules import CEL_RULE, CEL_UNCHECKED
from kitgen.findings import Path, Problem
from kitgen.schema.secrets import is_secret
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\['([^']*)'\]|\[\"([^\"]*)\"\]")
ABSENT = "no such key: "
RULE = 5
"""How many steps a rule takes besides those of its functions and of what it goes through."""


class Prepared(Struct, frozen=True):
    """A rule that can be evaluated, or why it cannot be."""

    run: Run | None
    compares: bool = False
    """Whether it looks at what was before."""
    unknown: str = ""


@lru_cache(maxsize=2048)
def prepared(rule: str) -> Prepared:
    """Make a rule ready."""
    try:
        expression = parse(rule)
        return Prepared(program(rule), "oldSelf" in expression.names())
    except CelError as error:
        return Prepared(None, unknown=f"it cannot be read: {error}")
    except (UnknownError, RecursionError) as error:
        return Prepared(None, unknown=f"kitgen does not know {error}")


def broken(place: Place, path: Path, effort: Effort, *, reveal: bool) -> Iterator[Problem]:
    """Yield every rule that a value breaks, and every one that cannot be evaluated."""
    names: dict[str, Value] = {}
    for rule in place.schema["x-kubernetes-validations"]:
        effort.take(RULE)
        if not isinstance(rule, dict):
            continue
        text = str(rule.get("rule", "")).strip()
        optional = rule.get("optionalOldSelf") is True
        ready = prepared(text)
        if not text or (ready.compares and place.old is None and not optional):
            continue
        if ready.run is None:
            yield _unchecked(text, ready.unknown).below(*path)
            continue
        try:
            names = names or _names(place)
            scope = Scope({**names, **({"oldSelf": _maybe(names)} if optional else {})}, effort.take)
            found = ready.run(scope)
        except FaultError as error:
            yield CEL_RULE(
                f"{_said(str(error))}, expected what the rule says: {_words(rule)}", path, _hint(rule)
            )
        except (UnknownError, RecursionError) as error:
            yield _unchecked(text, f"kitgen does not know {error}").below(*path)
        else:
            if found is not True:
                words = _evaluated(rule, scope, reveal) or _words(rule)
                yield CEL_RULE(f"broke the rule: {words}", (*path, *_steps(rule)), _hint(rule))


def _names(place: Place) -> dict[str, Value]:
    names = {"self": read(place.value, place.schema, whole=place.whole)}
    if place.old is not None:
        names["oldSelf"] = read(place.old, place.schema, whole=place.whole)
    return names


def _maybe(names: dict[str, Value]) -> Optional:
    return Optional((names["oldSelf"],) if "oldSelf" in names else ())


def _unchecked(rule: str, why: str) -> Problem:
    return CEL_UNCHECKED(f"the rule {cut(' '.join(rule.split()))} was not evaluated: {cut(why)}")


def _said(fault: str) -> str:
    """Say what evaluation came to."""
    if fault.startswith(ABSENT):
        return f"found no {cut(fault.removeprefix(ABSENT))}, which a rule reads"
    return f"found what a rule cannot work with ({cut(fault)})"


def _words(rule: JsonObject) -> str:
    """Return what a rule says of itself, else the rule."""
    return cut(" ".join(str(rule.get("message") or rule.get("rule")).split()))


def _hint(rule: JsonObject) -> str:
    """Return the rule itself where the message did not say it."""
    named = rule.get("message") or rule.get("messageExpression")
    return f"the rule is {cut(' '.join(str(rule.get('rule')).split()))}" if named else ""


def _evaluated(rule: JsonObject, scope: Scope, reveal: bool) -> str:
    """Return the message that a rule makes of the object; none if a secret might be in it."""
    text = rule.get("messageExpression")
    if not isinstance(text, str) or not reveal:
        return ""
    try:
        if any(is_secret(name) for name in _fields(parse(text))):
            return ""
        found = program(text)(scope)
    except (CelError, FaultError, UnknownError, RecursionError, KeyError):
        return ""
    usable = isinstance(found, str) and found.strip() and "\n" not in found.strip()
    return cut(found.strip()) if usable else ""


def _fields(expression: Expr) -> Iterator[str]:
    if expression.kind in ("field", "maybe-field"):
        yield str(expression.value)
    for part in expression.parts:
        yield from _fields(part)


def _steps(rule: JsonObject) -> Path:
    """Return the way to the field that a rule blames."""
    place = rule.get("fieldPath")
    return tuple(next(filter(None, found), "") for found in STEP.findall(str(place))) if place else ()
