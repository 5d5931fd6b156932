"""Say what is different, and where."""

from __future__ import annotations

from kitgen.check.index import below
from kitgen.diff.objects import ABSENT, Difference
from kitgen.diff.objects.saying import both_said
from kitgen.findings import Path
from kitgen.objects import ObjectId
from kitgen.yamlio import Json


def values(difference: Difference) -> str:
    """Say what was, and what is now; of an item that has a name, that it came or went."""
    now, was = both_said(difference)
    if difference.order:
        return f"the order was {was}, now {now}"
    for side, said, word in ((difference.right, now, "new"), (difference.left, was, "gone")):
        if side is ABSENT:
            other = difference.left if word == "new" else difference.right
            named = difference.field.endswith("]") and isinstance(other, dict)
            return f"{'it' if named else said} is {word}"
    return f"was {was}, now {now}"


def called(name: ObjectId) -> str:
    """Return what an object is called, with its namespace."""
    return f"{name} in {name.namespace}" if name.namespace else str(name)


def place(body: Json, path: Path) -> str:
    """Write a place as differences do: items of lists by their names."""
    said = ""
    for step in path:
        body = below(body, step)
        if isinstance(step, int):
            name = below(body, "name")
            said += f"[{name if isinstance(name, str) else step}]"
        else:
            said += f"[{step}]" if "." in step or "/" in step else f".{step}"
    return said.removeprefix(".")
