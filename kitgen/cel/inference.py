"""Infer the type of a CEL expression, as the API server does before it accepts one.

A definite mistake is a `WrongTypeError`. A type that cannot be inferred is dyn, which fits everything.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kitgen.cel import signatures
from kitgen.cel.parse import RESERVED, Expr, dotted_name_of
from kitgen.cel.run.access import parse_string_literal
from kitgen.cel.run.functions import NAMES, find_overloads
from kitgen.cel.run.macros import MACROS, ONE_OF, list_macro_variables
from kitgen.cel.run.program import TYPES
from kitgen.cel.run.values import NUMBERS, Take, UnknownError, kind_of
from kitgen.cel.signatures import (
    WrongTypeError,
    infer_entry_type,
    infer_operator_type,
    join_types,
    make_overload_error,
    merge_dyn_types,
    require_type,
)
from kitgen.cel.types import BOOL, DYN, FREE, INT, STRING, CelType

TYPE = CelType("type")
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
MOST_NAMES = 12
BIND = "bind"
PATCHES = "patches"
SEMVER = "semver"


class UndeclaredError(UnknownError):
    """A function that is not among those of the minors that are known."""


class InferenceNotes(Struct, frozen=True):
    """What was seen on the way."""

    unbounded: dict[str, str] = field(default_factory=dict)
    """The field that has no bound → the keyword that would give it one."""
    newer: dict[str, int] = field(default_factory=dict)
    """What not all servers know → the first minor that takes it."""


class Inference(Struct):
    """Tells types, and keeps what has no bound and what is new."""

    names: Mapping[str, CelType]
    take: Take
    extras: frozenset[str] = frozenset()
    """What stands for expressions of this place alone: bind, patches, semver."""
    notes: InferenceNotes = field(default_factory=InferenceNotes)

    def infer(self, expression: Expr) -> CelType:
        """Return the type of an expression."""
        kind, parts = expression.kind, expression.parts
        match kind:
            case "literal" | "uint":
                signatures.validate_integer(expression)
                return CelType("uint" if kind == "uint" else kind_of(expression.value))
            case "text":
                return CelType(kind_of(parse_string_literal(str(expression.value))))
            case "name":
                return self._infer_name(str(expression.value))
            case "field" if dotted_name_of(expression, frozenset(self.names)) in TYPES:
                return TYPE
            case "field" | "maybe-field":
                return self._infer_member(expression)
            case "call" | "method":
                return self._infer_call(expression)
            case "list":
                return CelType("list", infer_entry_type([self.infer(part) for part in parts]))
            case "map":
                infer_entry_type([self.infer(part) for part in parts[::2]])
                return CelType("map", infer_entry_type([self.infer(part) for part in parts[1::2]]))
            case "maybe":
                return self.infer(parts[0]).item or DYN
            case "message":
                given = {str(each.value): self.infer(each.parts[0]) for each in parts}
                return signatures.infer_message_type(
                    str(expression.value), given, allowed=PATCHES in self.extras
                )
            case "index" | "maybe-index":
                return self._infer_index(*(self.infer(part) for part in parts), maybe=kind != "index")
            case "?":
                condition, *both = (self.infer(part) for part in parts)
                require_type("?:", condition, "bool")
                return join_types("?:", *both)
        found = [self.infer(part) for part in parts]
        kinds = {each.kind for each in found}
        if kind[0] in "<>" and len(kinds) > 1 and kinds <= NUMBERS:
            self._note_minor("an order of numbers of two types", signatures.MIXED_NUMBERS)
        return infer_operator_type(kind, found)

    def _note_minor(self, name: str, minor: int) -> None:
        if minor and not (SEMVER in self.extras and minor == signatures.SINCE["semver"]):
            self.notes.newer[name] = minor

    def _infer_name(self, name: str) -> CelType:
        if name in self.names:
            return self.names[name]
        if name in TYPES:
            return TYPE
        known = ", ".join(sorted(each for each in self.names if "." not in each)[:MOST_NAMES])
        raise WrongTypeError(f"undeclared reference to {name!r}, expected one of {known}")

    def _infer_member(self, expression: Expr) -> CelType:
        holder, name = expression.parts[0], str(expression.value)
        if holder.kind == "name" and (found := self.names.get(f"{holder.value}.{name}")):
            return found
        return self._infer_field(self.infer(holder), name, maybe=expression.kind == "maybe-field")

    def _infer_field(self, holder: CelType, name: str, *, maybe: bool) -> CelType:
        within, maybe = self._unwrap_optional(holder, "fields that may be none (.?)" if maybe else "")
        match within.kind:
            case "object":
                found = within.find_field(name) or self._infer_reserved_field(within, name)
            case "map":
                found = within.item or DYN
            case "dyn":
                found = FREE if within.sure else DYN
            case kind if signatures.is_message(kind):
                found = signatures.get_field_type(kind, name)
            case _:
                raise WrongTypeError(f"type {within.kind} has no fields, so no {name!r}")
        return CelType("optional", found) if maybe else found

    def _unwrap_optional(self, holder: CelType, maybe: str) -> tuple[CelType, bool]:
        """Return what has fields and entries, and whether there may be none, as a sign or its type says."""
        if maybe:
            self._note_minor(maybe, signatures.OPTIONAL_TYPES)
        return (holder.item or DYN, True) if holder.kind == "optional" else (holder, bool(maybe))

    def _infer_reserved_field(self, within: CelType, name: str) -> CelType:
        """Return the type of a field whose name is a reserved word that newer servers take as it is."""
        found = within.find_field(f"__{name}__") if name in RESERVED else None
        if found is None:
            raise WrongTypeError(f"undefined field {name!r}")
        self._note_minor(f"the field {name} not written as __{name}__", signatures.RESERVED_FIELDS)
        return found

    def _infer_index(self, holder: CelType, key: CelType, *, maybe: bool) -> CelType:
        within, maybe = self._unwrap_optional(holder, "entries that may be none ([?])" if maybe else "")
        if within.kind == "list":
            require_type("[]", key, "int")
        elif within.kind == "map" and within.schema is not None:
            require_type("[]", key, "string")
        elif within.kind not in ("map", "dyn"):
            raise WrongTypeError(f"type {within.kind} has nothing at an index")
        found = within.item or (FREE if within.sure else DYN)
        return CelType("optional", found) if maybe else found

    def _infer_call(self, expression: Expr) -> CelType:
        name, parts = str(expression.value), expression.parts
        if expression.kind == "method":
            space = dotted_name_of(parts[0], frozenset(self.names))
            if (space, name) == ("cel", "bind"):
                return self._infer_bind(parts[1:])
            if space and f"{space}.{name}" in NAMES:
                return self._infer_function(f"{space}.{name}", parts[1:])
            if name in MACROS and (found := self._infer_macro(name, parts)):
                return found
            name = f".{name}"
        elif name == "has":
            if len(parts) != 1 or parts[0].kind != "field":
                raise WrongTypeError("invalid argument to has() macro")
            self.infer(parts[0])
            return BOOL
        return self._infer_function(name, parts)

    def _infer_bind(self, parts: tuple[Expr, ...]) -> CelType:
        if BIND not in self.extras:
            raise UndeclaredError("cel.bind")
        if len(parts) != 3 or parts[0].kind != "name":
            raise WrongTypeError("invalid arguments to cel.bind() macro")
        return self._with_names({str(parts[0].value): self.infer(parts[1])}).infer(parts[2])

    def _infer_macro(self, name: str, parts: tuple[Expr, ...]) -> CelType | None:
        holder = self.infer(parts[0])
        if name in ("or", "orValue") and len(parts) == 2:
            require_type(name, holder, "optional")
            self._note_minor(f"{name}()", signatures.find_first_minor(f".{name}"))
            other = self.infer(parts[1])
            if name == "orValue":
                return join_types(name, holder.item or DYN, other)
            require_type(name, other, "optional")
            return other
        if not (given := list_macro_variables(name, list(parts[1:]))):
            raise WrongTypeError(f"invalid arguments to {name}() macro")
        self._note_minor(f"{name}()", signatures.find_first_minor(f".{name}"))
        if name.startswith("opt"):
            require_type(name, holder, "optional")
            found = self._with_names({given[0]: holder.item or DYN}).infer(parts[-1])
            if name == "optFlatMap":
                require_type(name, found, "optional")
                return found
            return CelType("optional", found)
        if len(given) == 2:
            self._note_minor(f"{name}() with two variables", signatures.TWO_VARIABLES)
        return self._infer_comprehension(name, holder, given, parts[1 + len(given) :])

    def _infer_comprehension(
        self, name: str, holder: CelType, given: tuple[str, ...], parts: tuple[Expr, ...]
    ) -> CelType:
        """Return the type of what a macro makes of the entries of a list or map."""
        require_type(name, holder, "list", *(["map"] if name != "sortBy" else []))
        self._note_unbounded(holder)
        unknown = FREE if holder.sure else DYN
        key = INT if holder.kind == "list" else STRING if holder.kind == "map" and holder.schema else unknown
        item = holder.item or unknown
        entries = (key, item) if len(given) == 2 else (item if holder.kind == "list" else key,)
        inner = self._with_names(dict(zip(given, entries, strict=True)))
        bodies = [inner.infer(part) for part in parts]
        if name in ("all", "exists", "filter", *ONE_OF) or len(bodies) > 1:
            require_type(name, bodies[0], "bool")
        if name == "filter":
            return CelType("list", entries[0])
        if name == "sortBy":
            require_type(name, bodies[0], *signatures.ORDERED_LISTS)
            return holder
        if name in ("map", "transformList"):
            return CelType("list", bodies[-1])
        if name == "transformMapEntry":
            require_type(name, bodies[-1], "map")
            return bodies[-1]
        return CelType("map", bodies[-1]) if name.startswith("transform") else BOOL

    def _infer_function(self, name: str, parts: tuple[Expr, ...]) -> CelType:
        shown = name.removeprefix(".")[:60]
        if name not in NAMES or (name == signatures.ESCAPE and PATCHES not in self.extras):
            raise _make_undeclared_error(name)
        arguments = [self._infer_argument(name, part) for part in parts]
        found = find_overloads(name, [each.kind for each in arguments])
        if not found or not signatures.accepts_list_items(name, arguments):
            raise make_overload_error(shown, *arguments)
        signatures.validate_arguments(name, parts, arguments, self.take)
        self._note_minor(f"{shown}()", signatures.find_first_minor(name))
        if name in GROWING:
            self._note_unbounded(arguments[0])
        if made := signatures.infer_result_type(name, arguments):
            return made
        if len(results := {each.result for each in found}) > 1 or name == "dyn":
            return merge_dyn_types(arguments) if name != "dyn" else FREE
        kind, _, inner = results.pop().rstrip(")").partition("(")
        return CelType(kind, CelType(inner) if inner else None)

    def _infer_argument(self, name: str, part: Expr) -> CelType:
        if name == ".format" and part.kind == "list":
            # What is filled in may be of any types, so it is no list of one type.
            return CelType("list", fields={str(at): self.infer(each) for at, each in enumerate(part.parts)})
        return self.infer(part)

    def _note_unbounded(self, value: CelType) -> None:
        """Keep a value of the object whose size has no bound."""
        if value.schema is None or not value.where:
            return
        keyword = {"list": "maxItems", "map": "maxProperties", "string": "maxLength"}.get(value.kind)
        bounded = keyword is None or keyword in value.schema or "enum" in value.schema
        if keyword and not bounded and not (keyword == "maxLength" and value.schema.get("format")):
            self.notes.unbounded[value.where] = keyword

    def _with_names(self, names: Mapping[str, CelType]) -> Inference:
        return Inference({**self.names, **names}, self.take, self.extras, self.notes)


def _make_undeclared_error(name: str) -> Exception:
    """Return the error of a function that servers do not have, or not in this form."""
    shown = name.removeprefix(".")
    if name.startswith(".") and shown in NAMES:
        return WrongTypeError(f"no such overload: {shown} is no method, expected {shown}(…)")
    if f".{name}" in NAMES:
        return WrongTypeError(f"no such overload: {shown} is a method, expected VALUE.{shown}(…)")
    return UndeclaredError(shown[:60])
