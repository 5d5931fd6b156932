"""Objects of a real tree, without what makes no difference, held against what families make.

They are strangers' objects: anything may be of any type, and nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kitgen.text.yaml import Json, JsonObject, lost_character

NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?")
"""What the name of a role, a binding or an account looks like that a spec can say."""
NOTES = ("controller-gen.kubebuilder.io/version",)
"""Annotations that tell of a tool and of nothing else."""


def bare(body: Json) -> JsonObject:
    """Return a body without what no cluster sees: empty parts of its metadata, and a status."""
    if not isinstance(body, dict):
        return {"metadata": {}}
    meta = body.get("metadata")
    found: JsonObject = {}
    for key, value in meta.items() if isinstance(meta, dict) else ():
        notes = key == "annotations" and isinstance(value, dict)
        left = {name: text for name, text in value.items() if name not in NOTES} if notes else value
        if key != "creationTimestamp" and left not in (None, {}, []):
            found[key] = left
    return {**{key: value for key, value in body.items() if key != "status"}, "metadata": found}


def is_made(body: JsonObject, api: str, kind: str, keys: Collection[str], meta: Collection[str] = ()) -> bool:
    """Tell whether a bare body is of a kind, has a proper name, and nothing besides some keys."""
    metadata = body.get("metadata") or {}
    return (
        (body.get("apiVersion"), body.get("kind")) == (api, kind)
        and body.keys() <= {"apiVersion", "kind", "metadata", *keys}
        and metadata.keys() <= {"name", *meta}
        and is_name(metadata.get("name"))
    )


def is_name(value: Json) -> bool:
    """Tell whether a value is a name that specs can say."""
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_text(value: Json) -> bool:
    """Tell whether a value is a text that specs can say as it is."""
    return value != "" and _is_sayable(value)


def _is_sayable(value: Json) -> bool:
    """Tell whether a value is a text, maybe an empty one, without expressions and lost characters."""
    return isinstance(value, str) and "{{" not in value and not lost_character(value)


def are_texts(value: Json) -> bool:
    """Tell whether a value is a map of texts that specs can say as they are."""
    return isinstance(value, dict) and all(is_text(key) and _is_sayable(text) for key, text in value.items())
