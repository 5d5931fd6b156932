"""Return whether one CEL expression that is true makes another one true, by their structure alone.

An expression that is an error is not true, so what is true has no error in the parts that make it so. Nothing
is known of values: only equal parts, limits, lists, patterns and how they are joined are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from kitgen.cel.parse import Expr
from kitgen.text.regex_inclusion import Inclusion, compute_inclusion

STEPS = 20_000
"""How many pairs of parts one proof compares."""
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
BOOLEAN = frozenset({"||", "&&", "!", "?", *FLIPPED, "in", "call", "method"})
ROUNDS = frozenset({"all", "exists"})
"""Macros that hold for whatever their body holds for, and more of it."""
MATCHES = "matches"
AFFIXES = {"startsWith": str.startswith, "endsWith": str.endswith, "contains": str.__contains__}


class Implications:
    """What one proof found out."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.left = STEPS
        self.cost = 0  # steps that patterns took
        self._known: dict[tuple[int, int, bool], tuple[bool, Expr, Expr]] = {}

    def rule_implies(self, rule: Expr, assumed: tuple[Expr, ...], goal: Expr) -> bool:
        """Return whether a rule makes an expression true, where conditions are met that it may ask for."""
        if self.implies(rule, goal):
            return True
        if rule.kind == "?" and self._is_met(rule.parts[0], assumed):
            return self.rule_implies(rule.parts[1], assumed, goal)
        left = [each for each in rule.parts if each.kind != "!" or not self._is_met(each.parts[0], assumed)]
        if rule.kind != "||" or not 0 < len(left) < len(rule.parts):
            return False
        return all(self.implies(each, goal) for each in left)

    def _is_met(self, condition: Expr, assumed: tuple[Expr, ...]) -> bool:
        return any(self.implies(each, condition) for each in assumed)

    def implies(self, one: Expr, other: Expr, *, truth: bool = True) -> bool:
        """Return whether the other is true if one is; without truth, whether it is false if one is false."""
        if other.kind not in BOOLEAN and one.kind not in BOOLEAN:
            return one == other or _is_bool_literal(other, truth) or _is_bool_literal(one, not truth)
        if (key := (id(one), id(other), truth)) not in self._known:
            self.left -= 1
            # Both are kept along, so that no other expression gets their place in memory.
            self._known[key] = (self.left > 0 and self._implies_uncached(one, other, truth), one, other)
        return self._known[key][0]

    def _implies_uncached(self, one: Expr, other: Expr, truth: bool) -> bool:
        if one == other or _is_bool_literal(other, truth) or _is_bool_literal(one, not truth):
            return True
        # Where something is true, all parts of && are, and one of ||; where it is false, the reverse.
        every, some = ("&&", "||") if truth else ("||", "&&")
        if one.kind == "?" and _is_bool_literal(one.parts[2], truth):
            condition, then, _ = one.parts
            met = Expr("!", None, (condition,)) if truth else condition
            if self.implies(Expr(some, None, (met, then)), other, truth=truth):
                return True
        if one.kind == some:
            return all(self.implies(each, other, truth=truth) for each in one.parts)
        if other.kind == every:
            return all(self.implies(one, each, truth=truth) for each in other.parts)
        if one.kind == every and any(self.implies(each, other, truth=truth) for each in one.parts):
            return True
        if other.kind == some:
            return any(self.implies(one, each, truth=truth) for each in other.parts)
        return self._implies_by_form(one, other, truth)

    def _implies_by_form(self, one: Expr, other: Expr, truth: bool) -> bool:
        if one.kind == other.kind == "!":
            return self.implies(one.parts[0], other.parts[0], truth=not truth)
        if one.kind == other.kind == "?" and one.parts[0] == other.parts[0]:
            return all(
                self.implies(a, b, truth=truth) for a, b in zip(one.parts[1:], other.parts[1:], strict=True)
            )
        if one.kind == other.kind == "method" and one.value == other.value in ROUNDS:
            same = len(one.parts) == len(other.parts) == 3 and one.parts[:2] == other.parts[:2]
            return same and self.implies(one.parts[2], other.parts[2], truth=truth)
        # What is false by a comparison is true by none that could be an error: both look at the same value.
        return self._comparison_implies(*(one, other) if truth else (other, one))

    def _comparison_implies(self, one: Expr, other: Expr) -> bool:
        """Return whether a comparison of a value with constants makes another one of the same value true."""
        (subject, sign, limit), (again, goal, bound) = _split_comparison(one), _split_comparison(other)
        if subject is None or subject != again:
            return False
        if sign == goal == MATCHES:
            self.left -= STEPS // 10  # only some pairs are tried
            patterns = (str(bound[0].value), str(limit[0].value))
            found = compute_inclusion(*patterns) if self.left >= 0 else Inclusion(None)
            self.cost += found.steps
            return found.held is True
        if sign in AFFIXES:
            return sign == goal and AFFIXES[sign](str(limit[0].value), str(bound[0].value))
        if sign in ("==", "in"):  # one of these values
            return all(_passes_comparison(each, goal, bound) for each in limit)
        if sign == "!=":
            return goal == "!=" and limit == bound
        way = sign[0]
        # What is less than a limit is less than what is equal to it, or beyond.
        needed = f"{way}=" if sign == way or goal == f"{way}=" else way
        return goal in (way, f"{way}=", "!=") and _passes_comparison(limit[0], needed, bound)


def _is_bool_literal(expression: Expr, truth: bool) -> bool:
    return expression.kind == "literal" and expression.value is truth


def _split_comparison(expression: Expr) -> tuple[Expr | None, str, tuple[Expr, ...]]:
    """Return the value that is compared, how, and the constants; no value if it is not of that form."""
    kind, parts = expression.kind, expression.parts
    if kind in FLIPPED and len(parts) == 2:
        left, right = parts
        if _is_constant(right):
            return left, kind, (right,)
        return (right, FLIPPED[kind], (left,)) if _is_constant(left) else (None, "", ())
    if kind == "in" and parts[1].kind == "list" and parts[1].parts and all(map(_is_constant, parts[1].parts)):
        return parts[0], kind, parts[1].parts
    method = kind == "method" and len(parts) == 2 and expression.value in (*AFFIXES, MATCHES)
    if method and parts[1].kind == "literal" and isinstance(parts[1].value, str):
        return parts[0], str(expression.value), (parts[1],)
    return None, "", ()


def _is_constant(expression: Expr) -> bool:
    return expression.kind == "literal" and type(expression.value) in (int, float, str, bool)


def _passes_comparison(value: Expr, sign: str, constants: tuple[Expr, ...]) -> bool:
    """Return whether a constant passes a comparison with others of its own type."""
    if any(type(each.value) is not type(value.value) for each in constants):
        return False
    if sign == "in":
        return value in constants
    comparable = sign in ("==", "!=") or type(value.value) in (int, float)
    return comparable and ORDER[sign](value.value, constants[0].value)
