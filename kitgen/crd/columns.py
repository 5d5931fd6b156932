"""Follow the JSON path of a printer column or a selectable field through a schema."""

from __future__ import annotations

import re

from kitgen.crd.structural import KEEPS
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject

STEP = compile_late(
    r"""\.(?P<name>(?!\*)(?:[^.\[\]\\'"()\s]|\\.)+)"""
    r"""|\[(?P<index>-?[0-9]*(?::-?[0-9]*){0,2}|\*)\]"""
    r"""|\[\?\((?P<filter>(?:[^()'"]|'[^']*'|"[^"]*"|\([^()]*\))*)\)\]"""
    r"""|\[(?P<quote>['"])(?P<quoted>(?:\\.|(?!(?P=quote)).)+)(?P=quote)\]"""
    r"""|(?P<any>\.\*|\.\.)"""
)
# What the API server keeps in every object's metadata, whatever the schema says.
METADATA = {
    **dict.fromkeys(("annotations", "labels"), "object"),
    **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), "time"),
    **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), "integer"),
    **dict.fromkeys(("finalizers", "managedFields", "ownerReferences"), "array"),
    **dict.fromkeys(("generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"), "string"),
}


def find_json_path_fault(schema: JsonObject, path: str) -> str:
    """Return what stops a JSON path in this schema, or an empty string when it leads somewhere."""
    text = re.sub(r"^\{(.*)\}$", r"\1", path.strip(), flags=re.DOTALL)
    text = text if text.startswith((".", "[")) else f".{text}"
    node: Json = schema
    at = 0
    while at < len(text):
        if not (match := STEP.match(text, at)):
            return f"cannot read the path from {text[at : at + 20]!r} on"
        if match["any"]:
            return ""  # it looks everywhere below, so it may find something
        at = match.end()
        name = match["name"] or match["quoted"]
        if node is schema and name == "metadata":
            match = STEP.match(text, at)
            name = match["name"] or match["quoted"] if match else None
            return f"no {name!r} in metadata" if name and name not in METADATA else ""
        node, problem = _find_child_schema(node, re.sub(r"\\(.)", r"\1", name) if name else "")
        if node is None:
            return problem
    return ""


def _find_child_schema(node: JsonObject, name: str) -> tuple[Json, str]:
    """Return the schema one step below, None where anything may stand, and what is wrong."""
    below = (node.get("properties") or {}).get(name) if name else node.get("items")
    if isinstance(below, dict):
        return below, ""
    if isinstance(more := node.get("additionalProperties"), dict):
        return more, ""
    if more is True or node.get(KEEPS) is True:
        return None, ""
    if name and isinstance(node.get("items"), dict):
        return _find_child_schema(node["items"], name)
    return None, f"no field {name!r}" if name else "found no list where the path expects one"
