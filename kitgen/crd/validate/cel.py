"""Evaluate the CEL rules of a schema over a value and, for transition rules, its old value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from msgspec import Struct

from kitgen.cel.parse import COMPILED, CelError, Expr, parse_expression
from kitgen.cel.run.functions import CelScope, Run
from kitgen.cel.run.program import build_program
from kitgen.cel.run.values import FaultError, OptionalValue, UnknownError, Value, read_value
from kitgen.crd.validate.rules import BROKEN_RULE, Effort
from kitgen.crd.validate.walk import ValidatedValue
from kitgen.findings import Path, Problem, make_problem
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import is_secret_name
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

STEP = compile_late(r"\.([A-Za-z_][\w-]*)|\['([^']*)'\]|\[\"([^\"]*)\"\]")
ABSENT = "no such key: "
SELF = Expr("name", "self")
MOST_ITEMS = 1_000
RULE = 5
"""How many steps a rule takes besides those of its functions and of what it goes through."""
LOOKED_UP = 1_000
"""How many characters of a rule are looked up in one step."""


class PreparedRule(Struct, frozen=True):
    """A rule that can be evaluated, or why it cannot be."""

    run: Run | None
    compares: bool = False
    """Whether it looks at what was before."""
    unknown: str = ""


@lru_cache(maxsize=2048)
def prepare_rule(rule: str) -> PreparedRule:
    """Make a rule ready."""
    try:
        made = build_program(rule)
        return PreparedRule(made, "oldSelf" in made.names)
    except CelError as error:
        return PreparedRule(None, unknown=f"it cannot be read: {error}")
    except UnknownError as error:
        return PreparedRule(None, unknown=f"kitgen does not know {error}")


def check_rules(place: ValidatedValue, path: Path, effort: Effort, *, reveal: bool) -> Iterator[Problem]:
    """Yield every rule that a value breaks, and every one that cannot be evaluated."""
    names: dict[str, Value] = {}
    for rule in place.schema["x-kubernetes-validations"]:
        effort.take(RULE)
        if not isinstance(rule, dict):
            continue
        text = str(rule.get("rule", "")).strip()
        effort.take(len(text) // LOOKED_UP)
        optional = rule.get("optionalOldSelf") is True
        ready = prepare_rule(text)
        if not text or (ready.compares and place.old is None and not optional):
            continue
        if ready.run is None:
            yield _report_unevaluated(text, ready.unknown, BROKEN_RULE).prefix_path(*path)
            continue
        try:
            names = names or _read_variables(place, effort)
            before = OptionalValue((names["oldSelf"],) if "oldSelf" in names else ())
            scope = CelScope({**names, **({"oldSelf": before} if optional else {})}, effort.take)
            found = ready.run(scope)
        except FaultError as error:
            key = str(error).removeprefix(ABSENT)
            fault = f"found what a rule cannot work with ({quote_text(str(error))})"
            found = f"found no {quote_text(key)}, which a rule reads" if key != str(error) else fault
            said = f"{found}, expected what the rule says: {_format_message(rule)}"
            yield _check_compilation(rule, place, path, effort) or make_problem(
                "cel-rule", said, path, _format_hint(rule)
            )
        except (UnknownError, RecursionError) as error:
            unknown = _report_unevaluated(text, f"kitgen does not know {error}").prefix_path(*path)
            yield _check_compilation(rule, place, path, effort) or unknown
        else:
            if found is not True:
                said = f"broke the rule: {_evaluate_message(rule, scope, reveal) or _format_message(rule)}"
                steps = STEP.findall(str(rule.get("fieldPath") or ""))
                named = tuple(next(filter(None, found), "") for found in steps)
                blamed = named or _locate_violation(text, ready.run, place, effort)
                yield _check_compilation(rule, place, path, effort) or make_problem(
                    "cel-rule", said, (*path, *blamed), _format_hint(rule)
                )


def _check_compilation(rule: JsonObject, place: ValidatedValue, path: Path, effort: Effort) -> Problem | None:
    """Report that a rule does not compile: then no server has it, and no object violates it."""
    from kitgen.cel.compile import find_compile_error

    why = find_compile_error(rule, place.schema, effort.take, whole=place.whole)
    text = str(rule.get("rule"))
    return (
        _report_unevaluated(text, f"it does not compile: {why}", BROKEN_RULE).prefix_path(*path)
        if why
        else None
    )


def _read_variables(place: ValidatedValue, effort: Effort) -> dict[str, Value]:
    names = {"self": read_value(place.value, place.schema, effort.take, whole=place.whole)}
    if place.old is not None:
        names["oldSelf"] = read_value(place.old, place.schema, effort.take, whole=place.whole)
    return names


def _report_unevaluated(rule: str, why: str, hint: str = "") -> Problem:
    return make_problem(
        "cel-unchecked",
        f"the rule {quote_text(' '.join(rule.split()))} was not evaluated: {quote_text(why)}",
        hint=hint,
    )


def _format_message(rule: JsonObject) -> str:
    """Return what a rule says of itself, else the rule."""
    return quote_text(" ".join(str(rule.get("message") or rule.get("rule")).split()))


def _format_hint(rule: JsonObject) -> str:
    """Return the rule itself where the message did not say it."""
    named = rule.get("message") or rule.get("messageExpression")
    return f"the rule is {quote_text(' '.join(str(rule.get('rule')).split()))}" if named else ""


def _evaluate_message(rule: JsonObject, scope: CelScope, reveal: bool) -> str:
    """Return the message that a rule makes of the object; none if a secret might be in it."""
    if not isinstance(text := rule.get("messageExpression"), str) or not reveal:
        return ""
    scope.take(len(text) // COMPILED)
    try:
        if any(is_secret_name(name) for name in _list_fields(parse_expression(text))):
            return ""
        found = build_program(text)(scope)
    except (CelError, FaultError, UnknownError, RecursionError, KeyError):
        return ""
    usable = isinstance(found, str) and found.strip() and "\n" not in found.strip()
    return quote_text(found.strip()) if usable else ""


def _list_fields(expression: Expr) -> Iterator[str]:
    if expression.kind in ("field", "maybe-field"):
        yield str(expression.value)
    for part in expression.parts:
        yield from _list_fields(part)


def _locate_violation(rule: str, run: Run, place: ValidatedValue, effort: Effort) -> Path:
    """Return what a rule reads of a value that breaks it, or of the first item of it that does."""
    effort.take(len(rule) // COMPILED)
    try:
        expression = parse_expression(rule)
        return _locate_item(expression, run, place, effort) or _find_read_path(expression, place.value)
    except RecursionError:  # further down it nests deeper than where it was made ready
        return ()


def _locate_item(expression: Expr, run: Run, place: ValidatedValue, effort: Effort) -> Path:
    """Return the first item of a list that breaks a rule about each of them, by what is read of it."""
    items = place.value
    is_each = (expression.kind, expression.value) == ("method", "all")
    if not is_each or expression.parts[0] != SELF or not isinstance(items, list) or place.old is not None:
        return ()
    for index, item in enumerate(items[:MOST_ITEMS]):
        alone = {"self": read_value([item], place.schema, effort.take, whole=place.whole)}
        try:
            found = run(CelScope(alone, effort.take))
        except (FaultError, UnknownError, RecursionError):
            continue
        if found is not True:
            return (index, *_find_read_path(expression.parts[2], item, str(expression.parts[1].value)))
    return ()


def _find_read_path(expression: Expr, value: Json, root: str = "self") -> Path:
    """Return what a rule reads of a value: the field that has all of it, or the first of several."""
    ways = [*_list_read_paths(expression, root)]
    found = list(dict.fromkeys(there for each in ways if (there := _find_existing_prefix(value, each))))
    if not found or () in ways:
        return ()
    shared = takewhile(lambda steps: len({*steps}) == 1, zip(*found, strict=False))
    return tuple(steps[0] for steps in shared) or found[0]


def _list_read_paths(expression: Expr, root: str) -> Iterator[tuple[str, ...]]:
    """Yield the ways from a name to the fields that an expression reads, the longest of each."""
    steps: list[str] = []
    inner = expression
    while inner.kind == "field":
        steps.append(str(inner.value))
        inner = inner.parts[0]
    if (inner.kind, inner.value) == ("name", root):
        yield tuple(reversed(steps))
    else:
        for part in inner.parts:
            yield from _list_read_paths(part, root)


def _find_existing_prefix(value: Json, steps: tuple[str, ...]) -> tuple[str, ...]:
    """Return as much of a way as a value has."""
    for at, step in enumerate(steps):
        if not isinstance(value, dict) or step not in value:
            return steps[:at]
        value = value[step]
    return steps
