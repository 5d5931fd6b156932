"""Look at every CEL rule of a schema as the API server does when a CRD comes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.crds.cel.check.expressions import Compiled, RuleFault, compiled
from kitgen.crds.cel.check.places import RULES, places
from kitgen.crds.cel.check.types import BOOL, STRING, Typed, declared
from kitgen.crds.cel.run.values import Take
from kitgen.yamlio import Json, JsonObject

REASONS = ("FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate")
STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)+)'\]")
BREAK = re.compile(r"[\r\n]")


def rule_faults(schema: Json, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the rules of a whole schema, each with its path."""
    for path, node, correlates in places(schema):
        rules = node[RULES]
        for index, rule in enumerate(rules if isinstance(rules, list) else ()):
            if isinstance(rule, dict):
                found = _faults(rule, node, take, whole=not path, correlates=correlates)
                yield from (each.below(*path, RULES, index) for each in found)


def _faults(
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
    if (place := rule.get("fieldPath")) and not _leads(node, str(place)):
        yield RuleFault(("fieldPath",), "found a path that leads to no field of the schema")
    names = _names(rule, node, whole=whole)
    if not names:
        yield RuleFault(("rule",), "found a rule over values without a type that rules can see")
        return
    yield from _rule(compiled(text, names, (BOOL,), take=take), rule, correlates=correlates)
    if expression := rule.get("messageExpression"):
        found = compiled(str(expression), names, (STRING,), take=take).faults
        yield from (each.below("messageExpression") for each in found)


def uncompiled(rule: JsonObject, node: JsonObject, take: Take, *, whole: bool) -> str:
    """Return why a rule of a schema does not compile; nothing if it does, as far as that is known."""
    names = _names(rule, node, whole=whole)
    text = str(rule.get("rule") or "")
    faults = compiled(text, names, (BOOL,), take=take).faults if names else ()
    return next((each.text for each in faults if each.kind == "invalid"), "")


def _names(rule: JsonObject, node: JsonObject, *, whole: bool) -> dict[str, Typed]:
    own = declared(node, "self", whole=whole)
    if own is None:
        return {}
    return {"self": own, "oldSelf": Typed("optional", own) if rule.get("optionalOldSelf") is True else own}


def _rule(made: Compiled, rule: JsonObject, *, correlates: bool) -> Iterator[RuleFault]:
    yield from (each.below("rule") for each in made.faults)
    if not made.names and made.faults:
        return  # it could not be read
    compares = "oldSelf" in made.names
    if compares and not correlates:
        said = "found oldSelf where no value can be told from the one before: in a list without keys"
        yield RuleFault(("rule",), said)
    if rule.get("optionalOldSelf") is not None and not compares:
        yield RuleFault(("optionalOldSelf",), "found optionalOldSelf of a rule without oldSelf")


def _leads(schema: Json, place: str) -> bool:
    """Tell whether a path leads to a field."""
    steps = STEP.findall(place)
    if "".join(match[0] for match in STEP.finditer(place)) != place or not steps:
        return False
    for plain, quoted in steps:
        name = plain or re.sub(r"\\(.)", r"\1", quoted)
        if not isinstance(schema, dict):
            return False
        given, extra = schema.get("properties"), schema.get("additionalProperties")
        fields = given if isinstance(given, dict) else {}
        if name not in fields and not isinstance(extra, dict):
            return False
        schema = fields.get(name, extra)
    return True
