"""Outline a CRD: its API in lines for reviewers and snapshots.

A change of one field changes one line: nothing is aligned, and versions that agree are shown once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import TypeVar

from kitgen.crd.definition import schema_of, versions_of
from kitgen.crd.outline_fields import render_field_lines, to_compact_json
from kitgen.crd.schema_nodes import Nodes
from kitgen.text.values import group_pairs, map_at, value_at
from kitgen.text.wording import escape_unprintable
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T")
NAMES = (
    ("kind", "kind"),
    ("listKind", "list-kind"),
    ("plural", "plural"),
    ("singular", "singular"),
    ("shortNames", "short-names"),
    ("categories", "categories"),
)


def render_outline(body: JsonObject) -> str:
    """Return the outline of one CRD, each line ended."""
    return "".join(f"{escape_unprintable(line)}\n" for line in _outline_crd(body))


def _outline_crd(body: JsonObject) -> Iterator[str]:
    spec = body.get("spec") or {}
    versions = versions_of(body)
    yield f"crd {(body.get('metadata') or {}).get('name', '')}"
    yield f"  group {spec.get('group', '')}"
    names = spec.get("names") or {}
    yield from (
        f"  {label} {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, label in NAMES
        if (value := names.get(key))
    )
    yield f"  scope {spec.get('scope', '')}"
    yield f"  conversion {_format_conversion(spec.get('conversion'))}"
    yield from (
        f"  version {version.get('name')}: {', '.join(_describe_state(version))}" for version in versions
    )
    for line, label in _group_versions(
        (line, version) for version in versions for line in _outline_extras(version)
    ):
        yield f"  {line} of {label}"
    yield from _outline_schemas(versions)
    yield from _outline_types(versions)


def _format_conversion(conversion: Json) -> str:
    if not isinstance(webhook := value_at(conversion, "webhook"), dict):
        return str(map_at(conversion).get("strategy", "None"))
    client = {k: v for k, v in (webhook.get("clientConfig") or {}).items() if k != "caBundle"}
    reviews = ",".join(map(str, webhook.get("conversionReviewVersions") or ()))
    return f"{conversion.get('strategy')} {to_compact_json(client)} reviews={reviews}"


def _describe_state(version: JsonObject) -> Iterator[str]:
    yield "served" if version.get("served") else "not served"
    if version.get("storage"):
        yield "storage"
    if version.get("deprecated"):
        warning = version.get("deprecationWarning")
        yield f"deprecated {to_compact_json(warning)}" if warning else "deprecated"


def _outline_extras(version: JsonObject) -> Iterator[str]:
    """Outline what surrounds the schema: subresources, printer columns, selectable fields."""
    subresources = version.get("subresources") or {}
    if "status" in subresources:
        yield "subresource status"
    if isinstance(scale := subresources.get("scale"), dict):
        yield "subresource scale " + " ".join(f"{key}={scale[key]}" for key in sorted(scale))
    for column in version.get("additionalPrinterColumns") or ():
        parts = [str(column.get("type")), str(column.get("jsonPath"))]
        parts += [f"{key}={column[key]}" for key in ("format", "priority") if column.get(key)]
        yield f"column {to_compact_json(column.get('name'))} {' '.join(parts)}"
    yield from (f"selectable {field.get('jsonPath')}" for field in version.get("selectableFields") or ())


def _group_versions(said: Iterable[tuple[T, JsonObject]]) -> Iterator[tuple[T, str]]:
    """Yield what versions say, once for those that say the same, with their names."""
    groups = group_pairs((what, str(version.get("name"))) for what, version in said)
    yield from ((what, ", ".join(dict.fromkeys(names))) for what, names in groups.items())


def _outline_schemas(versions: list[JsonObject]) -> Iterator[str]:
    first: tuple[str, tuple[str, ...]] | None = None
    for lines, label in _group_versions((tuple(render_field_lines(schema_of(v))), v) for v in versions):
        if first is None:
            first = (label, lines)
        elif (changes := list(_compare_lines(first[1], lines))) and len(changes) <= len(lines) // 2:
            yield f"schema {label}: as {first[0]}, but"
            yield from changes
            continue
        yield f"schema {label}"
        yield from (f"  {line}" for line in lines)


def _compare_lines(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines that leave and those that come, in order."""
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (f"  - {line}" for line in old[start:end])
            yield from (f"  + {line}" for line in new[new_start:new_end])


def _outline_types(versions: list[JsonObject]) -> Iterator[str]:
    """Yield the Kubernetes types that were folded, with a digest: a change inside one shows here."""
    nodes = Nodes()
    if named := [node for version in versions for node in nodes.build_node(schema_of(version)).list_types()]:
        yield "types"
    for name, digests in sorted(group_pairs((node.name, node.digest[:12]) for node in named).items()):
        yield f"  {name} {' '.join(dict.fromkeys(digests))}"
