"""Quantities of Kubernetes, by value: 1 and 1000m of a resource are the same amount.

How large an object is, and whether `kubectl apply` and a plain sync of Argo CD can keep a copy of it.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import msgspec

from kitgen.text.yaml import Json, JsonObject

FORM = re.compile(
    r"([+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40}))(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)", re.ASCII
)
POWERS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def amount(value: object) -> Fraction | None:
    """Return how much a quantity is; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    match = FORM.fullmatch(str(value))
    if match is None:
        return None
    number, exponent, suffix = match.groups()
    if suffix in BINARY:
        return Fraction(number) * (1 << BINARY[suffix])
    power = int(exponent) if exponent else POWERS.get(suffix or "", 0)
    return Fraction(number) * (Fraction(10**power) if power >= 0 else Fraction(1, 10**-power))


def same_amount(left: object, right: object) -> bool:
    """Tell whether two values are the same quantity."""
    found = amount(left)
    return found is not None and found == amount(right)


MAX_ANNOTATIONS = 256 * 1024
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
WITHOUT_ANNOTATION = frozenset({"ServerSideApply=true", "Replace=true"})
"""Options of a sync that keep no copy of the object in it."""
SMALL = MAX_ANNOTATIONS // 2 - 100
"""So large an object is never too large: its annotations, which count twice, have less than all of that."""


def needs_server_side(body: JsonObject) -> bool:
    """Tell whether an object has no room in its own annotations, so that `kubectl apply` fails."""
    size = compact_size(body)
    return size > SMALL and without_room(body, size) is not None


def without_room(body: JsonObject, size: int) -> tuple[int, int] | None:
    """Return the size of an object that has no room in its own annotations, and what they take beside it."""
    meta = body.get("metadata")
    given = meta.get("annotations") if isinstance(meta, dict) else None
    annotations = given if isinstance(given, dict) else {}
    if WITHOUT_ANNOTATION & {*sync_options(annotations)}:
        return None
    kept = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
    others = sum(_bytes(key) + _bytes(value) for key, value in kept.items())
    if kept != annotations:
        size = compact_size({**body, "metadata": {**body["metadata"], "annotations": kept}})
    # kubectl adds empty annotations where there are none, and a line break.
    more = len(LAST_APPLIED) + others + 1 + (0 if annotations else len('"annotations":{},'))
    return None if size + more <= MAX_ANNOTATIONS else (size, more)


def sync_options(annotations: JsonObject) -> list[str]:
    """Return the options that annotations say of a sync, in their order."""
    said = annotations.get(SYNC_OPTIONS)
    return [word for each in said.split(",") if (word := each.strip())] if isinstance(said, str) else []


def compact_size(value: Json) -> int:
    """Return how many bytes a value has as Go writes it in JSON: no blanks, and <, > and & as escapes."""
    text = _encoded(value)
    size = len(text) + 5 * (text.count(b"<") + text.count(b">") + text.count(b"&"))
    return size + 3 * (text.count(b"\xe2\x80\xa8") + text.count(b"\xe2\x80\xa9"))


def _encoded(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError, TypeError):  # such as a number that no computer has
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")


def _bytes(value: Json) -> int:
    return len(value.encode(errors="replace")) if isinstance(value, str) else 0
