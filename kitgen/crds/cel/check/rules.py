"""Look at every CEL rule of a schema as the API server does when a CRD comes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from kitgen.crds.cel.check.infer import Inference, WrongTypeError
from kitgen.crds.cel.check.places import RULES, places
from kitgen.crds.cel.check.types import Typed, declared
from kitgen.crds.cel.parse import CelError, Expr, parse
from kitgen.crds.cel.run.values import UnknownError
from kitgen.findings import Path
from kitgen.yamlio import Json, JsonObject

REASONS = ("FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate")
STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)+)'\]")
BREAK = re.compile(r"[\r\n]")


class RuleFault(Struct, frozen=True):
    """What is wrong with a rule."""

    path: Path
    text: str
    kind: str = "invalid"
    """invalid, unknown or unbounded."""


def rule_faults(schema: Json) -> Iterator[RuleFault]:
    """Yield what is wrong with the rules of a whole schema, each with its path."""
    for path, node, correlates in places(schema):
        rules = node[RULES]
        for index, rule in enumerate(rules if isinstance(rules, list) else ()):
            if isinstance(rule, dict):
                found = _faults(rule, node, whole=not path, correlates=correlates)
                yield from (
                    RuleFault((*path, RULES, index, *each.path), each.text, each.kind) for each in found
                )


def _faults(rule: JsonObject, node: JsonObject, *, whole: bool, correlates: bool) -> Iterator[RuleFault]:
    text, message = (str(rule.get(key) or "") for key in ("rule", "message"))
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
    if (place := rule.get("fieldPath")) and not _leads(node, str(place)):
        yield RuleFault(("fieldPath",), "found a path that leads to no field of the schema")
    own = declared(node, "self", whole=whole)
    if own is None:
        yield RuleFault(("rule",), "found a rule over values without a type that rules can see")
        return
    old = Typed("optional", own) if rule.get("optionalOldSelf") is True else own
    names = {"self": own, "oldSelf": old}
    yield from _rule(text, names, rule, correlates=correlates)
    if expression := rule.get("messageExpression"):
        yield from _expression(str(expression), {"self": own, "oldSelf": old}, "string", "messageExpression")


def _rule(text: str, names: dict[str, Typed], rule: JsonObject, *, correlates: bool) -> Iterator[RuleFault]:
    yield from _expression(text, names, "bool", "rule")
    try:
        compares = "oldSelf" in parse(text).names()
    except (CelError, RecursionError):
        return
    if compares and not correlates:
        said = "found oldSelf where no value can be told from the one before: in a list without keys"
        yield RuleFault(("rule",), said)
    if rule.get("optionalOldSelf") is not None and not compares:
        yield RuleFault(("optionalOldSelf",), "found optionalOldSelf of a rule without oldSelf")


def _expression(text: str, names: dict[str, Typed], wanted: str, key: str) -> Iterator[RuleFault]:
    inference = Inference(names)
    try:
        read: Expr = parse(text, escaped=True)
        found = inference.of(read)
    except CelError as error:
        yield RuleFault((key,), f"found what is no CEL: {error}")
    except WrongTypeError as error:
        yield RuleFault((key,), f"found what does not compile: {error}")
    except UnknownError as error:
        yield RuleFault((key,), str(error), "unknown")
    except RecursionError:
        yield RuleFault((key,), "an expression that nests that deep", "unknown")
    else:
        if found.kind not in (wanted, "dyn"):
            yield RuleFault((key,), f"found an expression of the type {found.kind}, expected {wanted}")
        whole = names["self"].whole
        for where, keyword in inference.unbounded.items():
            # Only operators write a status, and keep it small.
            if not (whole and where.startswith("self.status.")):
                yield RuleFault((key,), f"{where} has no {keyword}", "unbounded")


def _leads(schema: Json, place: str) -> bool:
    """Tell whether a path leads to a field."""
    steps = STEP.findall(place)
    if "".join(match[0] for match in STEP.finditer(place)) != place or not steps:
        return False
    for plain, quoted in steps:
        name = plain or re.sub(r"\\(.)", r"\1", quoted)
        if not isinstance(schema, dict):
            return False
        fields, extra = schema.get("properties") or {}, schema.get("additionalProperties")
        if name not in fields and not isinstance(extra, dict):
            return False
        schema = fields.get(name, extra)
    return True
