"""What a bundle needs of others, and what it says of itself to those who resolve that."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.cel.parse import CelError, parse_expression
from kitgen.findings import Path, Problem, get_rule
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import BundleFault, BundleTerms
from kitgen.olm.rules.versions import describe_range_error
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json

BUNDLE_DEPENDENCY = get_rule("bundle-dependency")
BUNDLE_PROPERTY = get_rule("bundle-property")

NEEDED = {"olm.gvk": ("group", "version", "kind"), "olm.package": ("packageName", "version")}
TYPES = ("olm.package", "olm.gvk", "olm.label", "olm.constraint")
KINDS = ("cel", "gvk", "package", "all", "any", "not", "none")
"""What a constraint may be."""
DEEPEST = 20
"""Constraints within constraints that are looked at."""


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what is wrong with dependencies and properties."""
    for manifest, key, look in (
        (bundle.dependencies, "dependencies", _check_dependency),
        (bundle.properties, "properties", _check_property),
    ):
        if manifest is None or manifest.body.get(key) is None:
            continue
        rule = BUNDLE_DEPENDENCY if key == "dependencies" else BUNDLE_PROPERTY
        if not isinstance(items := manifest.body[key], list):
            yield BundleFault(manifest, rule(f"found {describe_value(items)}, expected a list", (key,)))
            continue
        for at, item in enumerate(items):
            if not isinstance(item, dict):
                yield BundleFault(
                    manifest, rule(f"found {describe_value(item)}, expected a mapping", (key, at))
                )
                continue
            yield from (BundleFault(manifest, each.prefix_path(key, at)) for each in look(item))


def _check_property(item: dict[str, Json]) -> Iterator[Problem]:
    if not text_at(item, "type"):
        yield BUNDLE_PROPERTY(f"found {describe_value(item.get('type'))}, expected a type", ("type",))
    if item.get("value") is None:
        yield BUNDLE_PROPERTY("found no value, expected one")


def _check_dependency(item: dict[str, Json]) -> Iterator[Problem]:
    kind, value = item.get("type"), item.get("value")
    if kind not in TYPES:
        yield BUNDLE_DEPENDENCY(f"found {describe_value(kind)}, expected {join_words(TYPES)}", ("type",))
        return
    if not isinstance(value, dict):
        yield BUNDLE_DEPENDENCY(f"found {describe_value(value)}, expected a mapping", ("value",))
        return
    match kind:
        case "olm.label":
            if not text_at(value, "label"):
                yield BUNDLE_DEPENDENCY("found no label, expected one", ("value",))
        case "olm.constraint":
            yield from _check_constraint(value, ("value",))
        case _:
            yield from _check_required_keys(value, str(kind), ("value",))


def _check_required_keys(
    value: dict[str, Json], kind: str, path: Path, ranged: str = "version"
) -> Iterator[Problem]:
    """Yield what is missing of a kind or a package; a constraint has another word for the versions."""
    for name in NEEDED[kind]:
        key = ranged if (kind, name) == ("olm.package", "version") else name
        if not (text := text_at(value, key)):
            yield BUNDLE_DEPENDENCY(
                f"found {describe_value(value.get(key))} for {key}, expected a value", path
            )
        elif key == ranged and kind == "olm.package" and (message := describe_range_error(text)):
            yield BUNDLE_DEPENDENCY(message, (*path, key))


def _check_constraint(value: dict[str, Json], path: Path, depth: int = 0) -> Iterator[Problem]:
    """Yield what is wrong with a constraint, and with those within it."""
    if depth > DEEPEST:
        yield BUNDLE_DEPENDENCY("found constraints within constraints without an end", path)
        return
    if not any(key in value for key in KINDS):
        yield BUNDLE_DEPENDENCY(f"found no constraint, expected {join_words(KINDS)}", path)
    rule = value_at(value, "cel", "rule")
    if "cel" in value:
        if not text_at(rule):
            yield BUNDLE_DEPENDENCY("found no rule, expected a CEL expression", (*path, "cel"))
        else:
            try:
                parse_expression(rule)
            except (CelError, RecursionError):
                yield BUNDLE_DEPENDENCY(
                    f"found {quote_text(rule)}, expected a CEL expression", (*path, "cel", "rule")
                )
    for key, kind in (("gvk", "olm.gvk"), ("package", "olm.package")):
        if isinstance(inner := value.get(key), dict):
            yield from _check_required_keys(inner, kind, (*path, key), "versionRange")
    for key in ("all", "any", "not", "none"):
        for at, each in entries_at(value, key, "constraints"):
            yield from _check_constraint(each, (*path, key, "constraints", at), depth + 1)
