"""What the functions of CEL ask of lists, and since when API servers take each in new expressions.

A server compiles an expression that is new with what the minor before its own knew, so that it can be
rolled back: what came with 1.30 may be used from 1.31 on. Expressions that are stored go on to work.
"""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.crds.cel.check.types import DYN, FREE, Typed

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
ORDERED = frozenset({"int", "uint", "double", "bool", "string", "bytes", "duration", "timestamp"})
ITEMS: dict[str, frozenset[str]] = {
    ".isSorted": ORDERED,
    ".min": ORDERED,
    ".max": ORDERED,
    ".sort": ORDERED,
    ".sum": frozenset({"int", "uint", "double", "duration"}),
    ".join": frozenset({"string"}),
    ".flatten": frozenset({"list"}),
    "optional.unwrap": frozenset({"optional"}),
    ".unwrapOpt": frozenset({"optional"}),
}
"""What lists may hold that these functions take."""
ONE = frozenset({".min", ".max", ".sum"})
SAME = frozenset({".sort", ".distinct", ".slice", ".reverse"})
TAKEN = frozenset({".first", ".last"})
INNER = frozenset({".flatten", "optional.unwrap", ".unwrapOpt"})
"""What these give has the items of the items."""


def since(name: str) -> int:
    """Return the first minor whose servers take a function in a new expression; 0 for all of them."""
    return FORMAT_NAMES if name.startswith("format.") else SINCE.get(name, 0)


def fits(name: str, arguments: Sequence[Typed]) -> bool:
    """Tell whether lists hold what a function can work with, as far as that is known."""
    items = [each.item for each in arguments if each.kind == "list" and each.item]
    if name.startswith("sets.") or name in (".indexOf", ".lastIndexOf"):
        kinds = {each.kind for each in items}
        if not name.startswith("sets.") and items:
            kinds |= {each.kind for each in arguments[1:]}
        return len(kinds - {"dyn", "null"}) < 2
    if name == ".flatten" and len(arguments) > 1:
        return True  # to a depth, it takes items of any type
    return name not in ITEMS or not items or items[0].kind in ITEMS[name] | {"dyn"}


def result(name: str, arguments: Sequence[Typed]) -> Typed | None:
    """Return the type of what a function gives, where that depends on what it is given."""
    if not arguments:
        return None
    first = arguments[0]
    item = first.item or (FREE if first.sure else DYN)
    if name == ".value" or name in ONE:
        return item if first.kind in ("optional", "list") else DYN
    if first.kind == "list" and name in SAME:
        return first
    if first.kind == "list" and name in TAKEN:
        return Typed("optional", item)
    if first.kind == "list" and name in INNER:
        return Typed("list", item.item if len(arguments) == 1 else None)
    if name in ("optional.of", "optional.ofNonZeroValue"):
        return Typed("optional", first)
    return None
