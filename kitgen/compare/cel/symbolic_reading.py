"""Read a CEL expression over the schemas before and after, instead of over an object.

An object of today has none of the fields that are new, but for those that a default fills in. Whether an
old field that may be left out is there is undecided, so both ways are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.cel.parse import Expr
from kitgen.compare.cel.implication import Implications
from kitgen.compare.cel.symbolic_values import (
    FALSE,
    TRUE,
    AnyItem,
    KnownValue,
    MacroKey,
    ObjectPart,
    RefusedError,
    Route,
    SymbolicOptional,
    UndecidedError,
    Value,
    ValueState,
    add_or_subtract,
    apply_macro,
    build_list,
    combine_fallible,
    combine_logic,
    combine_outcomes,
    compare_symbolic,
    outcome_of,
)
from kitgen.crd.outline_fields import join_field_path

TRIES = 512
STEPS = 100_000
"""How many parts of the expression one proof reads, those of a macro again for each item of a list."""
MOST_ASSUMED = 100
"""Conditions that are kept in mind; what only counts if more are met is read without the others."""
ALWAYS = frozenset({"apiVersion", "kind", "metadata", "spec"})
"""Fields of a whole object that are thought of as there, whatever the schema demands."""
TOTAL = frozenset(
    {"size", "startsWith", "endsWith", "contains", "matches", "lowerAscii", "upperAscii", "trim", "split"}
    | {"hasValue", "orValue", "isURL", "isIP", "isCIDR", "isQuantity"}
)
"""Functions that never fail."""
MACROS = frozenset({"all", "exists", "exists_one", "filter", "map"})
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in"})


def _is_new_field(part: ObjectPart, name: str) -> bool:
    """Return whether no object of today can have a field."""
    return name not in part.old.properties and part.old.kind == "object" and not part.old.keeps_unknown_fields


def _format_route(steps: Route) -> str:
    return "".join(
        step.sign if isinstance(step, AnyItem) else join_field_path("", step) for step in steps[1:]
    )


def _build_macro_item(values: Value, variable: str) -> tuple[Value, Route]:
    """Return what a macro calls by its variable, an item of a list or a key of a map, and where it is."""
    if isinstance(values, ObjectPart) and values.old.items and values.new.items:
        steps = (*values.steps, AnyItem("[]", variable))
        return ObjectPart(values.old.items, values.new.items, steps), steps
    if isinstance(values, ObjectPart) and values.old.values and values.new.values:
        steps = (*values.steps, AnyItem("{}", variable))
        return MacroKey(ObjectPart(values.old.values, values.new.values, steps)), steps
    return ValueState.MAYBE, ("",)


class Search(Struct, kw_only=True):
    """What one proof knows and finds out all along."""

    root: bool
    given: frozenset[Expr]
    refusals: bool
    tries: int = 0
    steps: int = 0
    seen: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    implications: Implications = field(default_factory=Implications)
    known: dict[tuple[int, ...], bool] = field(default_factory=dict)
    """What follows was asked, by the parts of the one expression that is read."""

    def is_implied(self, expression: Expr, assumed: tuple[Expr, ...]) -> bool:
        """Return whether an expression is true because of what is given, where some conditions are met."""
        if (key := (id(expression), *map(id, assumed))) not in self.known:
            self.known[key] = expression in self.given or any(
                self.implications.rule_implies(each, assumed, expression) for each in (*self.given, *assumed)
            )
        return self.known[key]


class Reading(Struct, frozen=True):
    """Reads an expression while it is settled which fields are there."""

    search: Search
    names: Mapping[str, Value]
    there: Mapping[Route, bool] = field(default_factory=dict)
    assumed: tuple[Expr, ...] = ()
    """Conditions that are met where the expression counts."""

    def evaluate_cases(self, expression: Expr, within: Route = ()) -> Iterator[tuple[Value, Reading]]:
        """Yield the value of an expression for each way in which old fields below some steps are there."""
        self.search.tries += 1
        if self.search.tries > TRIES:
            yield ValueState.MAYBE, self
            return
        try:
            yield self.evaluate(expression), self
        except UndecidedError as asked:
            if asked.steps[: len(within)] != within:
                raise
            for present in (True, False):
                yield from replace(self, there={**self.there, asked.steps: present}).evaluate_cases(
                    expression, within
                )
        except RefusedError:
            if within:
                raise
            yield TRUE, self

    def evaluate(self, expression: Expr) -> Value:
        """Return what is known of the value of an expression."""
        self.search.steps += 1
        if self.search.steps > STEPS:
            return ValueState.MAYBE
        if self.search.given and self.search.is_implied(expression, self.assumed):
            return TRUE
        kind, parts, said = expression.kind, expression.parts, str(expression.value)
        match kind:
            case "literal":
                return KnownValue(expression.value)
            case "name":
                return self.names.get(said, ValueState.MAYBE)
            case "||" | "&&":
                return self._evaluate_logic(kind, parts)
            case "?":
                return self._evaluate_ternary(*parts)
            case "call" | "method":
                return self._evaluate_call(said, parts)
        values = [self.evaluate(part) for part in parts]
        match kind, values:
            case "!", [KnownValue(value=known)]:
                return KnownValue(not known)
            case "!", [inner]:
                return outcome_of(inner)
            case "field", [holder]:
                return self._evaluate_field(holder, said)
            case "maybe-field", [holder]:
                return self._evaluate_optional_field(holder, said)
            case "list", _:
                return build_list(values)
            case "index", [ObjectPart(steps=steps), MacroKey(item=item)] if item.steps[:-1] == steps:
                return item
            case "+" | "-", [one, other]:
                return add_or_subtract(kind, one, other)
            case _, [one, other] if kind in COMPARISONS:
                return compare_symbolic(kind, one, other)
        # Products may overflow, a quotient may be of zero, an index may be beyond the end.
        return ValueState.SOME if kind == "text" else combine_fallible(values)

    def _evaluate_logic(self, sign: str, parts: tuple[Expr, ...]) -> Value:
        decides = TRUE if sign == "||" else FALSE
        found: list[Value] = []
        reading = self
        for part in parts:
            found.append(reading.evaluate(part))
            if found[-1] == decides:
                break
            if sign == "||" and part.kind == "!" and outcome_of(found[-1]) is ValueState.SOME:
                reading = reading._assume(part.parts[0])  # or else the whole is true already
        return combine_logic(found, decides)

    def _assume(self, condition: Expr) -> Reading:
        """Return a reading of what only counts if a condition is met."""
        return replace(self, assumed=(*self.assumed, condition)[:MOST_ASSUMED])

    def _evaluate_ternary(self, condition: Expr, then: Expr, other: Expr) -> Value:
        if isinstance(found := self.evaluate(condition), KnownValue):
            return self._assume(condition).evaluate(then) if found.value else self.evaluate(other)
        if outcome_of(found) is not ValueState.SOME:
            return outcome_of(found)
        one, two = self._assume(condition).evaluate(then), self.evaluate(other)
        if one == two and not isinstance(one, ObjectPart):
            return one
        return ValueState.SOME if combine_outcomes((one, two)) is ValueState.SOME else ValueState.MAYBE

    def _has_field(self, part: ObjectPart, name: str) -> bool | None:
        """Return whether a part has a field; None if the schemas do not know the field."""
        old, new = part.old, part.new
        if (child := new.properties.get(name)) is None:
            return None
        # CEL reads null as a field that is not there; neither a default nor a demand keeps it away.
        null = all(each and each.facts.get("nullable") for each in (child, old.properties.get(name)))
        if "default" in child.facts and not null:
            return True
        steps = (*part.steps, name)
        if _is_new_field(part, name):
            # An item may be in no object at all: then nothing refuses it.
            item = any(isinstance(step, AnyItem) for step in steps)
            if name in new.required and self.search.refusals and not item:
                raise RefusedError
            self.search.seen.add(_format_route(steps))
            return False
        whole = self.search.root and len(part.steps) == 1 and name in ALWAYS
        required = name in old.required or (name in new.required and steps[0] != "oldSelf")
        if whole or (required and not null):
            return True
        if steps not in self.there:
            raise UndecidedError(steps)
        return self.there[steps]

    def _evaluate_field(self, value: Value, name: str) -> Value:
        if isinstance(value, SymbolicOptional):
            return self._evaluate_optional_field(value, name)
        if not isinstance(value, ObjectPart):
            return combine_fallible([value])
        match self._has_field(value, name):
            case None:
                return ValueState.MAYBE
            case False:
                if _is_new_field(value, name):
                    self.search.missed.add(_format_route((*value.steps, name)))
                return ValueState.ERROR
        child = value.new.properties[name]
        if before := value.old.properties.get(name):
            return ObjectPart(before, child, (*value.steps, name))
        filled = child.facts.get("default")
        plain = isinstance(filled, str | int | float | bool)
        return KnownValue(filled) if plain and _is_new_field(value, name) else ValueState.MAYBE

    def _evaluate_optional_field(self, value: Value, name: str) -> Value:
        if isinstance(value, SymbolicOptional):
            if value.value is None:
                return value
            value = value.value
        if isinstance(value, ObjectPart) and self._has_field(value, name) is False:
            return SymbolicOptional(None)
        found = self._evaluate_field(value, name)
        return found if isinstance(found, ValueState) else SymbolicOptional(found)

    def _evaluate_call(self, name: str, parts: tuple[Expr, ...]) -> Value:
        if name == "has" and len(parts) == 1 and parts[0].kind == "field":
            return self._evaluate_has(parts[0])
        if name in MACROS and len(parts) == 3 and parts[1].kind == "name":
            return self._evaluate_macro(name, self.evaluate(parts[0]), str(parts[1].value), parts[2])
        bound = len(parts) == 4 and parts[1].kind == "name" and parts[1].value not in self.names
        if name == "bind" and bound:
            return self._bind_name(str(parts[1].value), self.evaluate(parts[2])).evaluate(parts[3])
        values = [self.evaluate(part) for part in parts]
        first = values[0] if values else ValueState.MAYBE
        if isinstance(first, SymbolicOptional) and name == "hasValue":
            return KnownValue(first.value is not None)
        if isinstance(first, SymbolicOptional) and name == "orValue" and len(values) == 2:
            return values[1] if first.value is None else first.value
        if name == "size" and isinstance(first, KnownValue) and isinstance(first.value, str | list):
            return KnownValue(len(first.value))
        return combine_outcomes(values) if name in TOTAL else combine_fallible(values)

    def _evaluate_has(self, asked: Expr) -> Value:
        if not isinstance(holder := self.evaluate(asked.parts[0]), ObjectPart):
            return combine_fallible([holder])
        found = self._has_field(holder, str(asked.value))
        return ValueState.MAYBE if found is None else KnownValue(found)

    def _evaluate_macro(self, name: str, values: Value, variable: str, body: Expr) -> Value:
        """Read a body once for any item; items differ in which fields they have."""
        if outcome_of(values) is not ValueState.SOME:
            return outcome_of(values)
        if variable in self.names:  # what is settled of the one would be taken for the other
            return ValueState.MAYBE
        if isinstance(values, KnownValue) and isinstance(values.value, list):
            return apply_macro(
                name,
                values.value,
                [self._bind_name(variable, KnownValue(item)).evaluate(body) for item in values.value],
            )
        item, steps = _build_macro_item(values, variable)
        found = [value for value, _ in self._bind_name(variable, item).evaluate_cases(body, steps)]
        sure = {"all": TRUE, "exists": FALSE}.get(name)
        if sure and all(each == sure for each in found):
            return sure
        return ValueState.SOME if combine_outcomes(found) is ValueState.SOME else ValueState.MAYBE

    def _bind_name(self, name: str, value: Value) -> Reading:
        """Return a reading that knows one more name."""
        return replace(self, names={**self.names, name: value})
