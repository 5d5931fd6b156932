"""What stands beside expressions of admission policies: names of variables, messages, kinds of patches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.cel.parse import CONSTANTS, RESERVED
from kitgen.check.server import formats
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_LIMIT, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

WORD = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
PATCHES = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
MOST_ANNOTATIONS = 20
LONGEST = 5 * 1024


def _variable(variable: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(variable, "name")
    expression = variable.get("expression")
    if isinstance(expression, str) and not expression.strip():
        yield formats.lacking(variable, "expression", "one")
    name = formats.text(variable, "name")
    if name and (not WORD.fullmatch(name) or name in RESERVED or name in CONSTANTS):
        expected = "letters, digits and _, no digit first, and no word that CEL reserves"
        yield SERVER_INVALID(f"found {cut(name)}, expected {expected}", ("name",))


def validation(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with what a validation says of itself."""
    words = value.get("messageExpression")
    if isinstance(words, str) and words and not words.strip():
        yield SERVER_INVALID("found only blanks, expected an expression", ("messageExpression",))


def audits(spec: JsonObject) -> Iterator[Problem]:
    """Yield too many annotations of audits, and expressions of theirs that are too long."""
    if len(formats.items(spec.get("auditAnnotations"))) > MOST_ANNOTATIONS:
        yield SERVER_LIMIT(f"found more than {MOST_ANNOTATIONS} annotations", ("auditAnnotations",))
    for index, each in formats.mappings(spec, "auditAnnotations"):
        if (size := len(formats.text(each, "valueExpression").strip().encode(errors="replace"))) > LONGEST:
            message = f"found {size:,} bytes, expected at most {LONGEST:,}"
            yield SERVER_LIMIT(message, ("auditAnnotations", index, "valueExpression"))


def mutating(spec: JsonObject) -> Iterator[Problem]:
    """Yield that a policy patches nothing."""
    if not formats.items(spec.get("mutations")):
        yield SERVER_REQUIRED("found no mutations, expected at least one", formats.at(spec, "mutations"))
    yield from formats.worded(spec, "reinvocationPolicy", ("Never", "IfNeeded"), strict=True)


def _mutation(mutation: JsonObject) -> Iterator[Problem]:
    kind = formats.text(mutation, "patchType")
    yield from formats.needed(mutation, "patchType")
    yield from formats.worded(mutation, "patchType", tuple(PATCHES))
    for name, field in PATCHES.items() if kind in PATCHES else ():
        if name == kind and mutation.get(field) is None:
            yield formats.lacking(mutation, field, f"it, for the patchType is {kind}")
        elif name != kind and mutation.get(field) is not None:
            yield SERVER_FORBIDDEN(f"found {field}, expected none, for the patchType is {kind}", (field,))


VERSIONS = ("v1", "v1beta1", "v1alpha1")
VALIDATORS: Validators = {
    f"admissionregistration/{version}.{name}": validator
    for version in VERSIONS
    for name, validator in (("Variable", _variable), ("Mutation", _mutation))
}
