"""Tell the type of a CEL expression, as the API server does before it takes a CRD.

What is surely wrong is a `WrongTypeError`. A type that cannot be told is dyn, which fits everything.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kitgen.crds.cel.check.types import DYN, Typed
from kitgen.crds.cel.parse import Expr
from kitgen.crds.cel.run.literals import written
from kitgen.crds.cel.run.macros import MACROS, ONE_OF, variables
from kitgen.crds.cel.run.program import TYPES, dotted
from kitgen.crds.cel.run.table import NAMES, overloads
from kitgen.crds.cel.run.values import NUMBERS, UnknownError, kind_of

BOOL, STRING, NULL, TYPE = Typed("bool"), Typed("string"), Typed("null"), Typed("type")
ORDERED = frozenset({"bool", "string", "bytes", "duration", "timestamp"})
SUMS = frozenset({"string", "bytes", "list", "duration", "timestamp"}) | NUMBERS
DIFFERENCES = frozenset({"duration", "timestamp"}) | NUMBERS
GROWING = frozenset(
    {
        ".matches",
        "matches",
        ".find",
        ".findAll",
        ".split",
        ".replace",
        ".contains",
        ".indexOf",
        ".lastIndexOf",
    }
    | {".lowerAscii", ".upperAscii", ".trim", ".join", ".sum", ".min", ".max", ".isSorted", ".distinct"}
    | {"sets.contains", "sets.equivalent", "sets.intersects", ".sort", ".flatten"}
)
"""What these take grows with the text or the list that they are given."""


class WrongTypeError(Exception):
    """An expression that no API server takes."""


class Inference(Struct):
    """Tells types, and keeps what has no bound."""

    names: Mapping[str, Typed]
    unbounded: dict[str, str] = field(default_factory=dict)
    """The field that has no bound → the keyword that would give it one."""

    def of(self, expression: Expr) -> Typed:
        """Return the type of an expression."""
        kind, parts = expression.kind, expression.parts
        match kind:
            case "literal":
                return Typed(kind_of(expression.value))
            case "text":
                return Typed(kind_of(written(str(expression.value))))
            case "uint":
                return Typed("uint")
            case "name":
                return self._name(str(expression.value))
            case "field" if dotted(expression, frozenset(self.names)) in TYPES:
                return TYPE
            case "field" | "maybe-field":
                return self._field(self.of(parts[0]), str(expression.value), maybe=kind != "field")
            case "call" | "method":
                return self._call(expression)
            case "list":
                return Typed("list", self._one([self.of(part) for part in parts]))
            case "map":
                return Typed("map", self._one([self.of(part) for part in parts[1::2]]))
            case "maybe":
                return self.of(parts[0]).item or DYN
            case "index" | "maybe-index":
                return self._index(*(self.of(part) for part in parts), maybe=kind != "index")
            case "?":
                condition, *both = (self.of(part) for part in parts)
                _need("?:", condition, "bool")
                return self._joined("?:", *both)
        return self._operator(kind, [self.of(part) for part in parts])

    def _name(self, name: str) -> Typed:
        if name in self.names:
            return self.names[name]
        if name in TYPES:
            return TYPE
        raise WrongTypeError(f"undeclared reference to {name!r}")

    def _field(self, holder: Typed, name: str, *, maybe: bool) -> Typed:
        within = holder
        if holder.kind == "optional":
            within, maybe = holder.item or DYN, True
        match within.kind:
            case "object":
                found = within.field(name)
                if found is None:
                    raise WrongTypeError(f"undefined field {name!r}")
            case "map":
                found = within.item or DYN
            case "dyn":
                found = DYN
            case _:
                raise WrongTypeError(f"type {within.kind} has no fields, so no {name!r}")
        return Typed("optional", found) if maybe else found

    def _index(self, holder: Typed, key: Typed, *, maybe: bool) -> Typed:
        within = holder
        if holder.kind == "optional":
            within, maybe = holder.item or DYN, True
        if within.kind == "list":
            _need("[]", key, "int", "uint", "double")
        elif within.kind == "map" and within.schema is not None:
            _need("[]", key, "string")
        elif within.kind not in ("map", "dyn"):
            raise WrongTypeError(f"type {within.kind} has nothing at an index")
        found = within.item or DYN
        return Typed("optional", found) if maybe else found

    def _one(self, found: list[Typed]) -> Typed:
        """Return the type that entries have in common."""
        return found[0] if found and all(each.kind == found[0].kind for each in found) else DYN

    def _joined(self, sign: str, one: Typed, other: Typed) -> Typed:
        if "dyn" in (one.kind, other.kind) or "null" in (one.kind, other.kind):
            return DYN
        if one.kind != other.kind:
            raise WrongTypeError(f"no such overload: {sign}({one.kind}, {other.kind})")
        return one if not other.item or (one.item and one.item.kind == other.item.kind) else Typed(one.kind)

    def _operator(self, sign: str, found: list[Typed]) -> Typed:
        if sign in ("||", "&&", "!"):
            for each in found:
                _need(sign, each, "bool")
            return BOOL
        if len(found) == 1:
            _need(sign, found[0], "int", "double")
            return found[0]
        one, other = found
        kinds = {one.kind, other.kind}
        fits = "dyn" in kinds
        match sign:
            case "==" | "!=":
                fits = fits or len(kinds) == 1 or "null" in kinds
            case "in":
                _need(sign, other, "list", "map")
                inner = (other.item or DYN) if other.kind == "list" else STRING if other.schema else DYN
                fits = (
                    fits
                    or len({one.kind, inner.kind} - {"dyn", "null"}) < 2
                    or "null" in (one.kind, inner.kind)
                )
            case "<" | "<=" | ">" | ">=":
                fits = fits or kinds <= NUMBERS or (len(kinds) == 1 and kinds <= ORDERED)
            case _:
                return self._reckoned(sign, one, other)
        if not fits:
            raise WrongTypeError(f"no such overload: {sign}({one.kind}, {other.kind})")
        return BOOL

    def _reckoned(self, sign: str, one: Typed, other: Typed) -> Typed:
        kinds = {one.kind, other.kind}
        if "dyn" in kinds:
            return DYN
        allowed = {"+": SUMS, "-": DIFFERENCES, "%": NUMBERS - {"double"}}.get(sign, NUMBERS)
        if sign in "+-" and kinds == {"duration", "timestamp"}:
            return Typed("timestamp")
        if len(kinds) > 1 or not kinds <= allowed or (sign == "+" and kinds == {"timestamp"}):
            raise WrongTypeError(f"no such overload: {sign}({one.kind}, {other.kind})")
        if kinds == {"timestamp"}:
            return Typed("duration")
        return Typed(one.kind, one.item if one.item and one.item == other.item else None)

    def _call(self, expression: Expr) -> Typed:
        name, parts = str(expression.value), expression.parts
        if expression.kind == "method":
            space = dotted(parts[0], frozenset(self.names))
            if (space, name) == ("cel", "bind") and len(parts) == 4:
                return self._with({str(parts[1].value): self.of(parts[2])}).of(parts[3])
            if space and f"{space}.{name}" in NAMES:
                return self._function(f"{space}.{name}", [self.of(part) for part in parts[1:]])
            if name in MACROS and (found := self._macro(name, parts)):
                return found
            name = f".{name}"
        elif name == "has":
            if len(parts) != 1 or parts[0].kind not in ("field", "maybe-field"):
                raise WrongTypeError("invalid argument to has() macro")
            self.of(parts[0])
            return BOOL
        return self._function(name, [self.of(part) for part in parts])

    def _macro(self, name: str, parts: tuple[Expr, ...]) -> Typed | None:
        holder = self.of(parts[0])
        if name in ("or", "orValue") and len(parts) == 2:
            _need(name, holder, "optional")
            other = self.of(parts[1])
            return other if name == "or" else self._joined(name, holder.item or DYN, other)
        given = variables(name, list(parts[1:]))
        if not given:
            return None
        if name.startswith("opt"):
            _need(name, holder, "optional")
            found = self._with({given[0]: holder.item or DYN}).of(parts[-1])
            return found if name == "optFlatMap" else Typed("optional", found)
        _need(name, holder, "list", "map")
        self._grows(holder)
        key = Typed("int") if holder.kind == "list" else STRING if holder.kind == "map" else DYN
        item = holder.item or DYN
        entries = (key, item) if len(given) == 2 else (item if holder.kind == "list" else key,)
        inner = self._with(dict(zip(given, entries, strict=True)))
        bodies = [inner.of(part) for part in parts[1 + len(given) :]]
        if name in ("all", "exists", "filter", *ONE_OF) or len(bodies) > 1:
            _need(name, bodies[0], "bool")
        if name == "filter":
            return Typed("list", entries[0])
        if name == "sortBy":
            return holder
        if name in ("map", "transformList"):
            return Typed("list", bodies[-1])
        return Typed("map", bodies[-1]) if name.startswith("transform") else BOOL

    def _function(self, name: str, arguments: list[Typed]) -> Typed:
        if name not in NAMES:
            raise UnknownError(f"the function {name.removeprefix('.')[:60]}")
        found = overloads(name, [each.kind for each in arguments])
        if not found:
            kinds = ", ".join(each.kind for each in arguments)
            raise WrongTypeError(f"no such overload: {name.removeprefix('.')}({kinds})")
        if name in GROWING:
            for each in arguments[:1]:
                self._grows(each)
        results = {each.result for each in found}
        if len(results) > 1:
            return DYN
        kind, _, inner = results.pop().rstrip(")").partition("(")
        return Typed(kind, Typed(inner) if inner else None)

    def _grows(self, value: Typed) -> None:
        """Keep a value of the object whose size has no bound."""
        if value.schema is None or not value.where:
            return
        keyword = {"list": "maxItems", "map": "maxProperties", "string": "maxLength"}.get(value.kind)
        bounded = keyword is None or keyword in value.schema or "enum" in value.schema
        if keyword and not bounded and not (keyword == "maxLength" and value.schema.get("format")):
            self.unbounded[value.where] = keyword

    def _with(self, names: Mapping[str, Typed]) -> Inference:
        return Inference({**self.names, **names}, self.unbounded)


def _need(sign: str, found: Typed, *kinds: str) -> None:
    if found.kind not in kinds and found.kind != "dyn":
        raise WrongTypeError(f"no such overload: {sign}({found.kind})")
