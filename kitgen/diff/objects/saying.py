"""Say what the two sides of a difference have, in few words and without what may be a secret."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from kitgen.diff.objects.difference import ABSENT, Difference
from kitgen.findings import Path
from kitgen.schema.logins import HIDDEN
from kitgen.schema.secrets import redacted
from kitgen.schema.wording import cut
from kitgen.yamlio import Json, JsonObject

LONGEST = 100
DEEPEST = 50
"""How many names around a value are looked at; what is deeper is not shown."""
NAMED_VALUE = re.compile(r"\[([^\[\]]*+)\]\.value")
"""How the place of a value in words ends that stands beside a name, as of an environment variable."""


def both_said(difference: Difference) -> tuple[str, str]:
    """Say what the two sides have; where what is shown of it would look alike, from where it does not."""
    left, right = safe(difference)
    said = _said(left), _said(right)
    if said[0] != said[1] or left == right:
        return said
    if isinstance(left, str) and isinstance(right, str):
        start = max(_first_other(left, right) - LONGEST // 4, 0)
        return _said(f"…{left[start:]}"), _said(f"…{right[start:]}")
    if isinstance(left, list) and isinstance(right, list):
        start = _first_other(left, right)
        return _said(["…", *left[start:]]), _said(["…", *right[start:]])
    return said


def _first_other(left: Sequence[Json], right: Sequence[Json]) -> int:
    pairs = zip(left, right, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _said(value: Json) -> str:
    if isinstance(value, str):
        return cut(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def safe(difference: Difference) -> tuple[Json, Json]:
    """Return what the two sides have, without what may be a secret; None stands for nothing at all."""
    name = NAMED_VALUE.search(difference.field)
    beside = {"name": name[1]} if name and difference.field.endswith(name[0]) else {}
    if name and name[1].isdecimal():  # what it is called is not known, where two are called so
        return HIDDEN, HIDDEN
    left, right = (
        None if each is ABSENT else _safe(each, difference.path, difference.object.kind, beside)
        for each in (difference.left, difference.right)
    )
    return left, right


def _safe(value: Json, path: Path, kind: str, beside: JsonObject) -> Json:
    """Return a value without what may be a secret, by the names of all that it is in."""
    if len(path) > DEEPEST:
        return HIDDEN
    whole = value
    for step in reversed(path):
        whole = [whole] if isinstance(step, int) else {**beside, step: whole}
        beside = {}
    head = {"kind": kind, "metadata": {}}
    found: Json = redacted({**head, **whole} if isinstance(whole, dict) and path else whole)
    for step in path:
        if not isinstance(found, dict | list):
            return HIDDEN
        found = found[0] if isinstance(found, list) else found[step]
    return found
