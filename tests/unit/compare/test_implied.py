"""One rule makes another one true: by its structure, and compared with the evaluation of small objects."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kitgen.cel.parse import parse_expression
from kitgen.cel.run.functions import CelScope
from kitgen.cel.run.program import build_program
from kitgen.cel.run.values import FaultError
from kitgen.compare.cel.implication import Implications
from kitgen.compare.cel.proof import prove_rule
from kitgen.crd.schema_nodes import Nodes

LOOSER = [
    ("self.n <= 5", "self.n <= 10"),
    ("self.n <= 5", "self.n < 6"),
    ("self.n < 5", "5 > self.n"),
    ("self.n < 5", "self.n <= 5"),
    ("self.n >= 2", "self.n > 1"),
    ("self.n < 5", "self.n != 5"),
    ("self.s in ['a', 'b']", "self.s in ['c', 'b', 'a']"),
    ("self.s == 'a'", "self.s in ['a', 'b']"),
    ("self.s in ['a']", "self.s == 'a'"),
    ("self.s in ['a', 'b']", "self.s != 'c'"),
    ("!(self.s in ['a', 'b'])", "!(self.s in ['a'])"),
    ("self.s.size() <= 5 && self.n > 1", "self.s.size() <= 9 && self.n > 0"),
    ("self.a || self.b", "self.b || self.a || self.c"),
    ("!self.a || (self.b && self.n < 3)", "!self.a || (self.b && self.n < 4)"),
    ("!(self.a && self.b)", "!(self.c && self.b && self.a)"),
    ("self.a ? self.n < 3 : self.b", "self.a ? self.n < 4 : true"),
    ("self.a ? self.n < 3 : true", "!self.a || self.n < 9"),
    ("self.list.all(x, x.n < 3)", "self.list.all(x, x.n < 4 || x.ok)"),
    ("self.list.exists(x, x.n < 3)", "self.list.exists(x, x.n < 4)"),
    ("self.s.matches('^a+$')", "self.s.matches('^[ab]+$')"),
    ("self.s.startsWith('ab')", "self.s.startsWith('a')"),
]
NOT = [
    ("self.n < 6", "self.n <= 5"),
    ("self.n <= 5", "self.n < 5"),
    ("self.n <= 5", "self.n != 5"),
    ("self.n <= 5", "self.n >= 0"),
    ("self.s != 'a'", "self.s != 'b'"),
    ("self.s in ['a', 'b']", "self.s in ['a']"),
    ("!(self.s in ['a'])", "!(self.s in ['a', 'b'])"),
    ("self.a || self.b", "self.a"),
    ("!(self.a && self.b)", "!self.a"),
    ("!self.a || self.b", "self.a ? self.b : true"),  # which is an error where a is not there
    ("self.list.all(x, x.n < 3)", "self.list.all(y, y.n < 2)"),
    ("self.s.matches('^[ab]+$')", "self.s.matches('^a+$')"),
    ("self.n == 1", "self.m == 1"),
    ("self.n <= 5", "self.n <= 6.0"),
]


@pytest.mark.parametrize(("one", "other"), LOOSER)
def test_a_rule_that_accepts_more(one: str, other: str) -> None:
    assert Implications().implies(parse_expression(one), parse_expression(other))
    for each in (f"({other}) || self.more", f"self.more || ({one})"):
        assert Implications().implies(parse_expression(f"({one}) && self.more2"), parse_expression(each))


@pytest.mark.parametrize(("one", "other"), NOT)
def test_a_rule_that_accepts_less_or_others(one: str, other: str) -> None:
    assert not Implications().implies(parse_expression(one), parse_expression(other))


def test_effort_is_bounded() -> None:
    one, other = ("&&".join(f"(self.{name}{i} || self.n == {i})" for i in range(300)) for name in "ab")
    assert not Implications().implies(parse_expression(one), parse_expression(other))


NUMBERS = st.integers(0, 3).map(str)
WORDS = st.sampled_from(["'a'", "'b'", "'ab'"])
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
ATOMS = st.one_of(
    st.tuples(st.sampled_from(["self.n", "self.m"]), SIGNS, NUMBERS).map(" ".join),
    st.tuples(NUMBERS, SIGNS, st.just("self.n")).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda some: f"self.s in [{', '.join(some)}]"),
    st.tuples(st.sampled_from(["==", "!="]), WORDS).map(lambda pair: f"self.s {pair[0]} {pair[1]}"),
    st.tuples(st.sampled_from(["startsWith", "endsWith", "matches"]), WORDS).map(
        lambda pair: f"self.s.{pair[0]}({pair[1]})"
    ),
    st.sampled_from(["has(self.n)", "has(self.s)", "self.f", "true", "false"]),
)
RULES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) || ({pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) && ({pair[1]})"),
        inner.map(lambda rule: f"!({rule})"),
        st.tuples(ATOMS, inner, inner).map(lambda each: f"({each[0]}) ? ({each[1]}) : ({each[2]})"),
        inner.map(lambda rule: f"self.l.all(x, x > 1 || ({rule}))"),
        inner.map(lambda rule: f"self.l.exists(x, x > 1 && ({rule}))"),
    ),
    max_leaves=4,
)
OBJECTS = [
    {key: value for key, value in zip("nsfml", values, strict=True) if value is not None}
    for values in product((None, 0, 1, 2), (None, "a", "ab"), (None, True, False), (1,), ([], [1, 2]))
]


SCHEMA = {
    "type": "object",
    "required": ["m", "l"],
    "properties": {
        "n": {"type": "integer"},
        "m": {"type": "integer"},
        "s": {"type": "string"},
        "f": {"type": "boolean"},
        "l": {"type": "array", "items": {"type": "integer"}},
    },
}
NODE = Nodes().build_node(SCHEMA)


def outcome(rule: str, body: dict[str, object]) -> object:
    try:
        return build_program(rule)(CelScope({"self": body}, lambda _: None))
    except FaultError:
        return "error"


@settings(max_examples=300, deadline=None)
@given(one=RULES, other=RULES, more=RULES, how=st.integers(0, 3))
def test_small_objects_agree(one: str, other: str, more: str, how: int) -> None:
    goal = (other, f"({one}) || ({other})", f"({other}) || (({one}) && ({more}))", one)[how]
    base = (one, one, f"({one}) && ({more})", f"({one}) && ({other})")[how]
    found = Implications().implies(parse_expression(base), parse_expression(goal))
    assert found or not how
    if found:
        assert [each for each in OBJECTS if outcome(base, each) is True is not outcome(goal, each)] == []


@settings(max_examples=300, deadline=None)
@given(one=RULES, other=RULES, more=RULES, how=st.integers(0, 4))
def test_a_proof_holds_for_small_objects(one: str, other: str, more: str, how: int) -> None:
    guarded = f"(({one}) && ({more}))"
    base = (one, f"({one}) ? ({other}) : true", f"!({one}) || ({other})", one, f"({one}) && ({more})")[how]
    goal = (
        other,
        f"{guarded} ? ({other}) : true",
        f"!{guarded} || ({other})",
        guarded,
        f"({other}) || ({one})",
    )[how]
    if prove_rule(goal, NODE, NODE, given=[base]).held:
        assert [each for each in OBJECTS if outcome(base, each) is True is not outcome(goal, each)] == []


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        ("has(self.n) ? self.m > 1 : true", "has(self.n) && has(self.s) ? self.m > 1 : true", True),
        ("has(self.n) ? self.m > 1 : true", "self.s == 'a' ? self.m > 1 : true", False),  # or an error
        ("has(self.n) && has(self.s) ? self.m > 1 : true", "has(self.n) ? self.m > 1 : true", False),
        ("!has(self.n) || self.m > 1", "has(self.n) && has(self.s) ? self.m > 0 : true", True),
        ("self.m < 2 ? self.l.size() > 1 : true", "!(self.m < 1) || self.l.size() > 0", True),
        ("self.m < 2 ? self.l.size() > 1 : true", "!(self.m < 3) || self.l.size() > 0", False),
    ],
)
def test_a_rule_with_one_more_condition(old: str, new: str, held: bool) -> None:
    assert prove_rule(new, NODE, NODE, given=[old]).held is held


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ({}, {}, True),
        ({"nullable": True}, {"nullable": True}, False),
        ({"nullable": True}, {"nullable": True, "default": "a"}, False),
        ({"nullable": True}, {"default": "a"}, True),
        ({}, {"nullable": True}, True),
    ],
)
def test_null_is_no_field_to_a_rule(before: dict[str, object], after: dict[str, object], held: bool) -> None:
    nodes = Nodes()
    old, new = (
        nodes.build_node(
            {"type": "object", "required": ["s"], "properties": {"s": {"type": "string", **more}}},
        )
        for more in (before, after)
    )
    assert prove_rule("has(self.s)", old, new).held is held
