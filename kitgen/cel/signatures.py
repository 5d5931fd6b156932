"""Types of CEL's operators and functions, and the Kubernetes minors from which each is allowed.

A server compiles a new expression with what the minor before its own knew, so that it can be rolled back:
what came with 1.30 may be used from 1.31 on. Stored expressions go on working. Constants, such as patterns
and durations, are validated when an expression is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kitgen.cel.parse import Expr
from kitgen.cel.run.access import parse_string_literal
from kitgen.cel.run.operators import ORDERED
from kitgen.cel.run.times import parse_rule_duration, parse_timestamp
from kitgen.cel.run.values import LEAST, MOST, MOST_UINT, NUMBERS, FaultError, Take
from kitgen.cel.types import BOOL, DYN, FREE, STRING, CelType
from kitgen.text.patterns import compile_late
from kitgen.text.regex_match import estimate_compile_steps, is_pattern
from kitgen.text.wording import format_count

SUMS = frozenset({"string", "bytes", "list", "duration", "timestamp"}) | NUMBERS
DIFFERENCES = frozenset({"duration", "timestamp"}) | NUMBERS
ALLOWED = {"+": SUMS, "-": DIFFERENCES, "%": NUMBERS - {"double"}}
PLAIN = NUMBERS | {"string", "bytes"}
"""Types that only go with their own."""
OPEN = frozenset({"dyn", "null"})
"""Types that fit others, as far as is known here."""


class WrongTypeError(Exception):
    """An expression that no API server takes."""


def make_overload_error(sign: str, *found: CelType) -> WrongTypeError:
    """Return the error of a function or operator that does not take such values."""
    return WrongTypeError(f"no such overload: {sign}({', '.join(each.kind for each in found)})")


def require_type(sign: str, found: CelType, *kinds: str) -> None:
    """Refuse a value that surely is of none of some types."""
    if found.kind not in kinds and found.kind != "dyn":
        raise make_overload_error(sign, found)


def merge_dyn_types(found: Iterable[CelType]) -> CelType:
    """Return dyn: for a server too, if all that is dyn here is so for it."""
    return FREE if all(each.sure for each in found if each.kind == "dyn") else DYN


def infer_entry_type(found: list[CelType]) -> CelType | None:
    """Return the type that entries of a list or map have, all the same one; none if there are none."""
    if len(kinds := {each.kind for each in found} - OPEN) > 1:
        raise WrongTypeError(f"entries of the types {' and '.join(sorted(kinds))}, expected one type")
    if not found:
        return None
    return found[0] if all(each.kind == found[0].kind for each in found) else DYN


def join_types(sign: str, one: CelType, other: CelType) -> CelType:
    """Return the type of what is one value or another."""
    kinds = {one.kind, other.kind}
    if "dyn" in kinds:
        return FREE if one.sure or other.sure else DYN
    if "null" in kinds:
        return DYN
    if len(kinds) > 1:
        raise make_overload_error(sign, one, other)
    if not one.item or not other.item:
        return one if one.item else other
    return one if one.item.kind == other.item.kind else CelType(one.kind, DYN)


def infer_operator_type(sign: str, found: list[CelType]) -> CelType:
    """Return the type of what an operator makes."""
    if sign in ("||", "&&", "!"):
        for each in found:
            require_type(sign, each, "bool")
        return BOOL
    if len(found) == 1:
        require_type(sign, found[0], "int", "double")
        return found[0]
    one, other = found
    kinds = {one.kind, other.kind}
    match sign:
        case "==" | "!=":
            items = {each.item.kind for each in found if each.kind == "list" and each.item}
            fits = len(kinds - OPEN) < 2 and len(items - OPEN) < 2
        case "in":
            require_type(sign, other, "list", "map")
            inner = (other.item or DYN) if other.kind == "list" else STRING if other.schema else DYN
            fits = len({one.kind, inner.kind} - OPEN) < 2
        case "<" | "<=" | ">" | ">=":
            sure = kinds - {"dyn"}
            fits = sure <= NUMBERS or (len(sure) == 1 and sure <= ORDERED)
        case _:
            return _infer_arithmetic_type(sign, one, other)
    if not fits:
        raise make_overload_error(sign, one, other)
    return BOOL


def _infer_arithmetic_type(sign: str, one: CelType, other: CelType) -> CelType:
    kinds = {one.kind, other.kind} - {"dyn"}
    allowed = ALLOWED.get(sign, NUMBERS)
    if sign in "+-" and kinds == {"duration", "timestamp"}:
        return CelType("timestamp")
    if len(kinds) > 1 or not kinds <= allowed:
        raise make_overload_error(sign, one, other)
    if "dyn" in (one.kind, other.kind):
        return CelType(min(kinds)) if kinds and kinds <= PLAIN else merge_dyn_types((one, other))
    if kinds == {"timestamp"}:
        if sign == "+":
            raise make_overload_error(sign, one, other)
        return CelType("duration")
    return CelType(one.kind, one.item if one.item and one.item == other.item else None)


KNOWN = 35
"""The newest minor whose functions are all known here."""
FIRST: dict[int, tuple[str, ...]] = {
    29: (
        "quantity", "isQuantity", "sign", ".isInteger", ".asInteger", ".asApproximateFloat", ".add", ".sub",
        "optional.of", "optional.none", "optional.ofNonZeroValue", ".hasValue", ".value", ".or", ".orValue",
        ".optMap", ".optFlatMap",
    ),
    30: (".format", "strings.quote", "sets.contains", "sets.equivalent", "sets.intersects"),
    31: (
        "ip", "isIP", "ip.isCanonical", "cidr", "isCIDR", ".family", ".isUnspecified", ".isLoopback",
        ".isLinkLocalUnicast", ".isLinkLocalMulticast", ".isGlobalUnicast", ".containsIP", ".containsCIDR",
        ".ip", ".masked", ".prefixLength",
    ),
    32: (".validate", ".fieldSelector", ".labelSelector"),
    33: (".first", ".last", "optional.unwrap", ".unwrapOpt", ".existsOne"),
    34: ("semver", "isSemver", ".major", ".minor", ".patch"),
    35: (".distinct", ".flatten", ".slice", ".reverse", ".sort", ".sortBy", "lists.range"),
}  # fmt: skip
SINCE = {name: minor for minor, names in FIRST.items() for name in names}
"""Function → the first minor whose servers take it; older ones all do, if it is not here."""
FORMAT_NAMES, TWO_VARIABLES, OPTIONAL_TYPES, MIXED_NUMBERS = 32, 33, 29, 29
RESERVED_FIELDS = 32
"""Since when the name of a field may be a reserved word, such as namespace, without its escape."""
ORDERED_LISTS = ORDERED | NUMBERS
ITEMS: dict[str, frozenset[str]] = {
    ".isSorted": ORDERED_LISTS,
    ".min": ORDERED_LISTS,
    ".max": ORDERED_LISTS,
    ".sort": ORDERED_LISTS,
    ".sum": frozenset({"int", "uint", "double", "duration"}),
    ".join": frozenset({"string"}),
    ".flatten": frozenset({"list"}),
    "optional.unwrap": frozenset({"optional"}),
    ".unwrapOpt": frozenset({"optional"}),
}
"""What lists may hold that these functions take."""


def find_first_minor(name: str) -> int:
    """Return the first minor whose servers take a function in a new expression; 0 for all of them."""
    return FORMAT_NAMES if name.startswith("format.") else SINCE.get(name, 0)


def accepts_list_items(name: str, arguments: Sequence[CelType]) -> bool:
    """Return whether lists hold what a function can work with, as far as that is known."""
    items = [each.item for each in arguments if each.kind == "list" and each.item]
    if name.startswith("sets.") or name in (".indexOf", ".lastIndexOf"):
        kinds = {each.kind for each in items}
        if not name.startswith("sets.") and items:
            kinds |= {each.kind for each in arguments[1:]}
        return len(kinds - {"dyn", "null"}) < 2
    if name == ".flatten" and len(arguments) > 1:
        return True  # to a depth, it takes items of any type
    return name not in ITEMS or not items or items[0].kind in ITEMS[name] | {"dyn"}


def infer_result_type(name: str, arguments: Sequence[CelType]) -> CelType | None:
    """Return the type of what a function gives, where that depends on what it is given."""
    if not arguments:
        return None
    first = arguments[0]
    item = first.item or (FREE if first.sure else DYN)
    is_list = first.kind == "list"
    match name:
        case ".value" | ".min" | ".max" | ".sum":
            return item if first.kind in ("optional", "list") else DYN
        case ".sort" | ".distinct" | ".slice" | ".reverse" if is_list:
            return first
        case ".first" | ".last" if is_list:
            return CelType("optional", item)
        case ".flatten" | "optional.unwrap" | ".unwrapOpt" if is_list:
            return CelType("list", item.item if len(arguments) == 1 else None)
        case "optional.of" | "optional.ofNonZeroValue":
            return CelType("optional", first)
    return None


PATTERNED = frozenset({".matches", "matches", ".find", ".findAll"})
WHOLE = frozenset({"int", "uint"})
CLAUSES: dict[str, frozenset[str]] = {
    "s": WHOLE.union(
        ("list", "map", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null")
    ),
    "d": WHOLE,
    "f": frozenset({"double", "string"}),
    "e": frozenset({"double", "string"}),
    "b": WHOLE | {"bool"},
    "x": WHOLE | {"string", "bytes"},
    "X": WHOLE | {"string", "bytes"},
    "o": WHOLE,
}
"""Letter of a formatting clause → the types that it takes."""
CLAUSE = compile_late(r"%(?:%|(?:\.[0-9]+)?(?P<letter>.?))", re.DOTALL)


def validate_integer(number: Expr) -> None:
    """Refuse a whole number that 64 bits do not hold."""
    value = number.value
    if type(value) is not int:
        return
    low, high = (0, MOST_UINT) if number.kind == "uint" else (LEAST, MOST)
    if not low <= value <= high:
        raise WrongTypeError(f"invalid {'uint' if number.kind == 'uint' else 'int'} literal")


def validate_arguments(name: str, parts: tuple[Expr, ...], arguments: Sequence[CelType], take: Take) -> None:
    """Refuse a constant argument that a function cannot read."""
    if name == ".format" and (given := arguments[1].fields) is not None:
        text = _get_string_literal(parts[0])
        if text is not None:
            _validate_format(text, [*given.values()])
    if name in PATTERNED and len(parts) > 1:
        text = _get_string_literal(parts[1])
        take(estimate_compile_steps(text or ""))
        if text is not None and not is_pattern(text):
            raise WrongTypeError(f"invalid {name[1:]} argument, which is no regular expression of Go")
    elif name in ("duration", "timestamp") and len(parts) == 1:
        try:
            if (text := _get_string_literal(parts[0])) is not None:
                (parse_rule_duration if name == "duration" else parse_timestamp)(text)
        except FaultError as error:
            raise WrongTypeError(f"invalid {name} argument") from error


def _validate_format(text: str, given: Sequence[CelType]) -> None:
    """Refuse a constant format whose clauses do not fit the list that it is filled with."""
    letters = [match["letter"] for match in CLAUSE.finditer(text) if match["letter"] is not None]
    if len(letters) != len(given):
        raise WrongTypeError(f"{format_count(len(given), 'argument')} of format(), expected {len(letters)}")
    for letter, found in zip(letters, given, strict=True):
        if letter not in CLAUSES:
            raise WrongTypeError(f"unrecognized formatting clause '%{letter}'")
        if found.kind not in CLAUSES[letter] | {"dyn"}:
            raise WrongTypeError(f"format() cannot fill %{letter} with the type {found.kind}")


def _get_string_literal(part: Expr) -> str | None:
    if part.kind == "text":
        found = parse_string_literal(str(part.value))
        return found if isinstance(found, str) else None
    return part.value if part.kind == "literal" and isinstance(part.value, str) else None


OBJECT, PATCH, ESCAPE = "Object", "JSONPatch", "jsonpatch.escapeKey"
FIELDS = {"op": STRING, "path": STRING, "from": STRING, "value": FREE}


def is_message(kind: str) -> bool:
    """Return whether a type is one of messages."""
    return kind in (OBJECT, PATCH) or kind.startswith(f"{OBJECT}.")


def get_field_type(kind: str, name: str) -> CelType:
    """Return the type of a field; an object may have any."""
    if kind == PATCH and name not in FIELDS:
        raise WrongTypeError(f"undefined field {name!r}")
    return FIELDS[name] if kind == PATCH else FREE


def infer_message_type(kind: str, given: Mapping[str, CelType], *, allowed: bool) -> CelType:
    """Return the type of a message that is made of some fields."""
    if not allowed or not is_message(kind):
        raise WrongTypeError(f"undeclared reference to {kind[:60]!r}")
    for name, found in given.items():
        wanted = get_field_type(kind, name)
        if "dyn" not in (wanted.kind, found.kind) and wanted.kind != found.kind:
            raise WrongTypeError(f"field {name!r} of the type {found.kind}, expected {wanted.kind}")
    return CelType(kind)
