"""Rules, patterns and conditions that are long, many or deep are compiled, compared and reported in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from limits import CHECK, VALIDATE, taken, written
from small_crd import crd_of, obj, widget

INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
NUMBERS = {"type": "array", "items": INTEGER}
SHARED = "dyn([1]" + ".map(y, [y, y])" * 30 + ")"
DIFF = ("crd", "diff", "old.yaml", "a.yaml")


def ruled(schema: dict[str, Any], *rules: str, **more: str) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule, "message": "m", **more} for rule in rules]}


def nested() -> dict[str, Any]:
    schema: dict[str, Any] = INTEGER
    for _ in range(40):
        schema = ruled({"type": "array", "items": schema}, "true")
    return schema


def deep(value: Any) -> Any:
    for _ in range(39):
        value = [value]
    return value


def either(part: str, count: int) -> str:
    return " || ".join([part] * count)


OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
FIELDS = obj({f"f{n}": TEXT for n in range(12_000)})
ONES = "[" + "1," * 49_000 + "1].size() > 0"
NUMBER = obj({"n": NUMBERS, "s": TEXT, "m": {"type": "object", "additionalProperties": TEXT}})
THING = {"n": [*range(40_000)], "s": "a" * 500_000, "m": {}}
RULES: dict[str, tuple[dict[str, Any], Any]] = {
    "fields": (
        ruled(FIELDS, *[" || ".join(f"self.f{n} == 'a'" for n in range(5000))] * 5),
        {"f1": "b"},
    ),
    "calls": (ruled(NUMBER, *[either("size('') > 0", 6_000)] * 9), THING),
    "lists": (ruled(NUMBER, *[f"{ONES}0{n}" for n in range(9)]), {}),
    "a long rule": (ruled(NUMBER, either("false", 130_000)), {}),
    "many parts": (ruled(NUMBER, *[either("a", 19_000)] * 9), {}),
    "a long sum": (ruled(NUMBER, *["1+" * 49_000 + f"1 > {n}" for n in range(9)]), {}),
    "a long body": (ruled(NUMBER, f"self.n.all(x, {either('x < 0', 9_000)} || true)"), THING),
    "long rules broken": (obj({"n": {**NUMBERS, "items": ruled(INTEGER, either("self < 0", 8_000))}}), THING),
    "messages": (
        ruled(NUMBER, *["false"] * 50, messageExpression="['abcdefgh']" + ".map(y, y + y)" * 25 + "[0]"),
        {},
    ),
    "nested lists": (obj({"n": nested()}), {"n": deep([*range(140_000)])}),
    "unknown fields": (
        ruled(obj({"a": OPEN, "b": OPEN, "n": NUMBERS}), "self.n.all(x, self.a == self.b)"),
        {"a": {"z": [*range(50_000)]}, "b": {"z": [*range(50_000)]}, "n": [*range(30_000)]},
    ),
    "a key in an error": (ruled(NUMBER, f"{{'a': 1}}[{SHARED}] == 1", "self.m[self.s] == 'a'"), THING),
    "keys in errors": (ruled(NUMBER, "self.n.all(x, self.m[self.s] == 'a')"), THING),
    "long numbers": (ruled(NUMBER, f"self.n.all(x, 0x{'f' * 90_000} * 0x{'f' * 9_000} > 0)"), THING),
    "no entries": (ruled(NUMBER, "self.n.transformMapEntry(i, x, dyn(5)).size() > 0"), THING),
    "large quantities": (
        ruled(
            NUMBER,
            "[quantity('9E')]"
            + (".map(y, y" + ".add(y)" * 45 + ")") * 240
            + "[0].asApproximateFloat() > 1.0",
        ),
        {},
    ),
    "classes": (ruled(NUMBER, *[f"self.s.matches(r'{chr(92)}pL{n}')" for n in range(9_000)]), {"s": "a"}),
    "long patterns": (
        ruled(NUMBER, *["self.s.matches(r'" + r"\pL" * 1000 + f"{n}')" for n in range(250)]),
        {"s": "a"},
    ),
    "digits": (ruled(NUMBER, *["self.s.matches(r'" + r"\d" * 45_000 + f"{n}')" for n in range(9)]), THING),
    "open classes": (ruled(NUMBER, *["self.s.matches(r'" + r"\p{" * 30_000 + "')"] * 9), THING),
    "many states": (
        ruled(NUMBER, *[f"self.s.matches('[ab]*a[ab]{{{200 + n % 50}}}c{n}')" for n in range(900)]),
        {"s": "".join("ab"[n * n % 7 % 2] for n in range(5_000))},
    ),
}


UNREAD = (
    "fields",
    "a long rule",
    "many parts",
    "a long sum",
    "long numbers",
    "large quantities",
    "long patterns",
)
"""Rules of which check tells less, since they do not compile: all others it evaluates as validate does."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("command", "name"),
    [*(pytest.param(CHECK, name, id=f"check-{name}") for name in RULES)]
    + [pytest.param(VALIDATE, name, id=f"validate-{name}") for name in UNREAD],
)
def test_rules_of_a_crd(name: str, command: tuple[str, ...], tmp_path: Path) -> None:
    schema, value = RULES[name]
    crd, shown = crd_of(schema), widget(value)
    written(tmp_path, crd, name="crd.yaml")
    taken(written(tmp_path, *([crd, shown] if command is CHECK else [shown])), *command)


HUNDRED = "[" + ",".join(map(str, range(100))) + "]"
CHANGED = {
    "loops": [f"{HUNDRED}.all(a, {HUNDRED}.all(b, {HUNDRED}.all(c, {HUNDRED}.all(d, a + b + c > d))))"],
    "shared lists": [f"{SHARED[4:-1]} == {SHARED[4:-1]}"],
    "assumptions": [" || ".join(f"!(self.i > {n + k})" for n in range(4_500)) for k in range(8)],
    "many proofs": [
        f"{HUNDRED}.all(a, {HUNDRED}.all(b, {HUNDRED}.all(c, a + b + c >= self.i + {n})))" for n in range(600)
    ],
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CHANGED)
def test_a_rule_that_is_compared(name: str, tmp_path: Path) -> None:
    schema = obj({"i": INTEGER, "j": INTEGER})
    written(tmp_path, crd_of(ruled(schema, "self.j > 5")), name="old.yaml")
    assert "breaking" in taken(written(tmp_path, crd_of(ruled(schema, *CHANGED[name]))), *DIFF)


def admission(kind: str, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "h.example.com"},
        **more,
    }


@pytest.mark.exhaustive
def test_expressions_of_policies(tmp_path: Path) -> None:
    seen = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["*"]}
    spec = {
        "matchConstraints": {"resourceRules": [seen]},
        "variables": [{"name": f"v{n}", "expression": "[1]" + ".map(y, [y, y])" * 60} for n in range(300)],
        "matchConditions": [{"name": f"c{n}", "expression": ONES} for n in range(3)],
        "validations": [{"expression": ONES, "messageExpression": "'a'" + "+'a'" * 9_000}] * 3,
    }
    taken(written(tmp_path, admission("ValidatingAdmissionPolicy", spec=spec)), *CHECK)


def test_what_is_compiled_has_a_limit(tmp_path: Path) -> None:
    rules = ["self.s.matches(r'(?i)" + r"\pL" * 300 + f"{n}')" for n in range(100)]
    said = taken(written(tmp_path, crd_of(ruled(NUMBER, *rules))), *CHECK)
    assert "effort-limit: compiling the CEL expressions takes too many steps" in said
