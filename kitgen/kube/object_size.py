"""The size of an object, and whether `kubectl apply` and a plain Argo CD sync can store a copy of it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from kitgen.text.values import map_at, text_at
from kitgen.text.yaml import Json, JsonObject

MAX_ANNOTATIONS = 256 * 1024
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
WITHOUT_ANNOTATION = frozenset({"ServerSideApply=true", "Replace=true"})
"""Options of a sync that keep no copy of the object in it."""
MANY = 500
"""A kit has fewer CRDs."""
_SPECS: dict[int, tuple[JsonObject, int]] = {}
SMALL = MAX_ANNOTATIONS // 2 - 100
"""So large an object is never too large: its annotations, which count twice, have less than all of that."""


def needs_server_side_apply(body: JsonObject) -> bool:
    """Return whether an object has no room in its own annotations, so that `kubectl apply` fails."""
    size = measure_object_size(body)
    return size > SMALL and measure_oversize(body, size) is not None


def measure_oversize(body: JsonObject, size: int) -> tuple[int, int] | None:
    """Return the size of an object that has no room in its own annotations, and what they take beside it."""
    annotations = map_at(body, "metadata", "annotations")
    if WITHOUT_ANNOTATION & {*parse_sync_options(annotations)}:
        return None
    kept = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
    others = sum(len(f"{key}{text_at(kept, key)}".encode(errors="replace")) for key in kept)
    if kept != annotations:
        size = measure_json_size({**body, "metadata": {**body["metadata"], "annotations": kept}})
    # kubectl adds empty annotations where there are none, and a line break.
    more = len(LAST_APPLIED) + others + 1 + (0 if annotations else len('"annotations":{},'))
    return None if size + more <= MAX_ANNOTATIONS else (size, more)


def parse_sync_options(annotations: JsonObject) -> list[str]:
    """Return the options that annotations say of a sync, in their order."""
    return [word for each in text_at(annotations, SYNC_OPTIONS).split(",") if (word := each.strip())]


def measure_object_size(body: JsonObject) -> int:
    """Return how many bytes an object has as JSON; of a CRD the spec, which many share, is measured once."""
    spec = body.get("spec")
    if body.get("kind") != "CustomResourceDefinition" or not isinstance(spec, dict):
        return measure_json_size(body)
    if id(spec) not in _SPECS:
        if len(_SPECS) > MANY:
            _SPECS.clear()
        # The spec is kept beside its size so that its identity is not given to another one.
        _SPECS[id(spec)] = (spec, measure_json_size(spec))
    return _SPECS[id(spec)][1] + measure_json_size({**body, "spec": 0}) - 1


def measure_json_size(value: Json) -> int:
    """Return how many bytes a value has as Go writes it in JSON: no blanks, and <, > and & as escapes."""
    text = _encode_json(value)
    # To look whether there is one at all is much quicker than to count.
    size = len(text) + 5 * sum(text.count(sign) for sign in (b"<", b">", b"&") if sign in text)
    ends = (b"\xe2\x80\xa8", b"\xe2\x80\xa9")
    return size if text.isascii() else size + 3 * sum(map(text.count, ends))


def _encode_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError, TypeError):  # such as a number that no computer has
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")
