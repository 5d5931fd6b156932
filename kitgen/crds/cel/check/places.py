"""Find the schemas that have CEL rules, without the machinery that reads them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.yamlio import Json, JsonObject, Shared

RULES = "x-kubernetes-validations"


def has_rules(schema: Json) -> bool:
    """Tell whether a schema has a rule anywhere; the types of Kubernetes have none."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict) or (isinstance(node, Shared) and node.name):
            continue
        if RULES in node:
            return True
        properties = node.get("properties")
        if isinstance(properties, dict):
            waiting += properties.values()
        waiting += (node.get("items"), node.get("additionalProperties"))
    return False


def places(schema: Json) -> Iterator[tuple[Path, JsonObject, bool]]:
    """Yield every schema with rules, its path, and whether its values can be told from those before."""
    waiting: list[tuple[Path, Json, bool]] = [((), schema, True)]
    while waiting:
        path, node, correlates = waiting.pop()
        if not isinstance(node, dict) or (isinstance(node, Shared) and node.name):
            continue
        if RULES in node:
            yield path, node, correlates
        granular = correlates and node.get("x-kubernetes-map-type") != "atomic"
        keyed = correlates and node.get("x-kubernetes-list-type") == "map"
        properties = node.get("properties")
        for name, child in properties.items() if isinstance(properties, dict) else ():
            waiting.append(((*path, "properties", name), child, granular))
        if "additionalProperties" in node:
            waiting.append(((*path, "additionalProperties"), node["additionalProperties"], granular))
        if "items" in node:
            waiting.append(((*path, "items"), node["items"], keyed))
