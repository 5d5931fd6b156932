"""Compile CEL as the API server does: one expression by the types of its names, or all of a schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.cel.inference import Inference, UndeclaredError
from kitgen.cel.parse import COMPILED, CelError, Literal, parse_expression
from kitgen.cel.run.values import Take, UnknownError
from kitgen.cel.signatures import WrongTypeError
from kitgen.cel.types import BOOL, DYN, RULES, STRING, CelType, RuleSchema, to_cel_type
from kitgen.findings import Path
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import join_words
from kitgen.text.yaml import Json, JsonObject

MOST_NAMES = 3


class RuleFault(Struct, frozen=True):
    """What is wrong with an expression."""

    path: Path
    text: str
    kind: str = "invalid"
    """invalid, unknown, undeclared (a function), newer or unbounded."""
    since: int = 0
    """Of what is newer than some servers: the first minor that takes it."""
    hint: str = ""

    def below(self, *steps: str | int) -> RuleFault:
        """Return it as it is seen from further up."""
        return replace(self, path=(*steps, *self.path))


class Compiled(Struct, frozen=True):
    """The type of an expression, and what is wrong with it."""

    found: CelType = DYN
    faults: tuple[RuleFault, ...] = ()
    names: frozenset[Literal] = frozenset()
    """The names that stand alone in it, such as self."""


def compile_expression(
    text: str,
    names: Mapping[str, CelType],
    wanted: tuple[CelType, ...] = (),
    extras: frozenset[str] = frozenset(),
    *,
    take: Take,
) -> Compiled:
    """Compile an expression that is to have one of some types, or any if none is named."""
    take(1 + len(text) // COMPILED)
    inference = Inference(names, take, extras)
    used: frozenset[Literal] = frozenset()
    try:
        expression = parse_expression(text, escaped=True)
        used = expression.collect_names()
        found = inference.infer(expression)
    except CelError as error:
        return _build_failure(f"found what is no CEL: {error}", used)
    except WrongTypeError as error:
        return _build_failure(f"found what does not compile: {error}", used)
    except UndeclaredError as error:
        return _build_failure(str(error), used, "undeclared")
    except UnknownError as error:
        return _build_failure(str(error), used, "unknown")
    except RecursionError:
        return _build_failure("an expression that nests that deep", used, "unknown")
    faults = (*_check_type(found, wanted), *_check_availability(inference), *_check_bounds(inference))
    return Compiled(found, faults, used)


def _build_failure(text: str, names: frozenset[Literal], kind: str = "invalid") -> Compiled:
    return Compiled(faults=(RuleFault((), text, kind),), names=names)


def _check_type(found: CelType, wanted: tuple[CelType, ...]) -> Iterator[RuleFault]:
    """Yield that an expression has none of the wanted types, if there are some."""
    if not wanted or any(_matches_type(found, each) for each in wanted):
        return
    expected = join_words([_format_type(each) for each in wanted])
    hint = ""
    if found.kind == "dyn" and wanted[0].kind in ("bool", "string"):
        hint = f"the server knows no type of what is in an object: compare it, or write {wanted[0].kind}(…)"
    yield RuleFault(
        (), f"found an expression of the type {_format_type(found)}, expected {expected}", hint=hint
    )


def _check_availability(inference: Inference) -> Iterator[RuleFault]:
    """Yield what not all servers take, that of each minor together."""
    newer = inference.notes.newer
    for since in sorted(set(newer.values())):
        names = [name for name, minor in newer.items() if minor == since]
        more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
        yield RuleFault((), join_words([*names[:MOST_NAMES], *more], last="and"), "newer", since)


def _check_bounds(inference: Inference) -> Iterator[RuleFault]:
    whole = "self" in inference.names and inference.names["self"].whole
    for where, keyword in inference.notes.unbounded.items():
        # Only operators write a status, and keep it small.
        if not (whole and where.startswith("self.status.")):
            yield RuleFault((), f"{where} has no {keyword}", "unbounded")


def _matches_type(found: CelType, wanted: CelType) -> bool:
    """Return whether a type may be the wanted one, as far as it is known."""
    if found.kind == "dyn":
        return not found.sure or wanted.kind == "dyn"
    if found.kind != wanted.kind:
        return False
    return not wanted.item or not found.item or _matches_type(found.item, wanted.item)


def _format_type(kind: CelType) -> str:
    return f"{kind.kind}({_format_type(kind.item)})" if kind.item and kind.kind == "list" else kind.kind


REASONS = ("FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate")
STEP = compile_late(r"\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)+)'\]")
BREAK = compile_late(r"[\r\n]")


def check_schema_rules(schemas: Iterable[RuleSchema], take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the rules of schemas, each with its path."""
    for path, node, correlates in schemas:
        for index, rule in entries_at(node, RULES):
            found = _check_rule(rule, node, take, whole=not path, correlates=correlates)
            yield from (each.below(*path, RULES, index) for each in found)


def _check_rule(
    rule: JsonObject, node: JsonObject, take: Take, *, whole: bool, correlates: bool
) -> Iterator[RuleFault]:
    text, message = (str(rule.get(key) or "") for key in ("rule", "message"))
    if rule.get("rule") is None:
        return  # the schema of CRDs tells of it
    if not text.strip():
        yield RuleFault(("rule",), "found an empty rule, expected an expression")
        return
    if message and not message.strip():
        yield RuleFault(("message",), "found an empty message, expected words or none")
    elif BREAK.search(message.strip()):
        yield RuleFault(("message",), "found a message of several lines, expected one")
    elif BREAK.search(text.strip()) and not message:
        yield RuleFault((), "found a rule of several lines without a message, expected one")
    if (reason := rule.get("reason")) is not None and reason not in REASONS:
        yield RuleFault(("reason",), f"found another reason, expected one of {', '.join(REASONS)}")
    if (place := rule.get("fieldPath")) and not _is_field_path(node, str(place)):
        yield RuleFault(("fieldPath",), "found a path that leads to no field of the schema")
    if not (names := _declare_variables(rule, node, whole=whole)):
        yield RuleFault(("rule",), "found a rule over values without a type that rules can see")
        return
    yield from _check_compiled_rule(
        compile_expression(text, names, (BOOL,), take=take), rule, correlates=correlates
    )
    if expression := rule.get("messageExpression"):
        found = compile_expression(str(expression), names, (STRING,), take=take).faults
        yield from (each.below("messageExpression") for each in found)


def find_compile_error(rule: JsonObject, node: JsonObject, take: Take, *, whole: bool) -> str:
    """Return why a rule of a schema does not compile; nothing if it does, as far as that is known."""
    names = _declare_variables(rule, node, whole=whole)
    faults = (
        compile_expression(str(rule.get("rule") or ""), names, (BOOL,), take=take).faults if names else ()
    )
    return next((each.text for each in faults if each.kind == "invalid"), "")


def _declare_variables(rule: JsonObject, node: JsonObject, *, whole: bool) -> dict[str, CelType]:
    if (own := to_cel_type(node, "self", whole=whole)) is None:
        return {}
    return {"self": own, "oldSelf": CelType("optional", own) if rule.get("optionalOldSelf") is True else own}


def _check_compiled_rule(made: Compiled, rule: JsonObject, *, correlates: bool) -> Iterator[RuleFault]:
    yield from (each.below("rule") for each in made.faults)
    if not made.names and made.faults:
        return  # it could not be read
    compares = "oldSelf" in made.names
    if compares and not correlates:
        yield RuleFault(
            ("rule",), "found oldSelf where no value can be told from the one before: in a list without keys"
        )
    if rule.get("optionalOldSelf") is not None and not compares:
        yield RuleFault(("optionalOldSelf",), "found optionalOldSelf of a rule without oldSelf")


def _is_field_path(schema: Json, place: str) -> bool:
    """Return whether a path leads to a field."""
    steps = STEP.findall(place)
    if "".join(match[0] for match in STEP.finditer(place)) != place or not steps:
        return False
    for plain, quoted in steps:
        name = plain or re.sub(r"\\(.)", r"\1", quoted)
        fields, extra = map_at(schema, "properties"), value_at(schema, "additionalProperties")
        if name not in fields and not isinstance(extra, dict):
            return False
        schema = fields.get(name, extra)
    return True
