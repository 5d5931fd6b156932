"""Messages that patches of a MutatingAdmissionPolicy make: parts of an object, and steps of a JSON patch."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.crds.cel.check.operators import WrongTypeError
from kitgen.crds.cel.check.types import FREE, STRING, Typed

OBJECT, PATCH, ESCAPE = "Object", "JSONPatch", "jsonpatch.escapeKey"
FIELDS = {"op": STRING, "path": STRING, "from": STRING, "value": FREE}


def is_message(kind: str) -> bool:
    """Tell whether a type is one of messages."""
    return kind in (OBJECT, PATCH) or kind.startswith(f"{OBJECT}.")


def field(kind: str, name: str) -> Typed:
    """Return the type of a field; an object may have any."""
    if kind == PATCH and name not in FIELDS:
        raise WrongTypeError(f"undefined field {name!r}")
    return FIELDS[name] if kind == PATCH else FREE


def made(kind: str, given: Mapping[str, Typed], *, allowed: bool) -> Typed:
    """Return the type of a message that is made of some fields."""
    if not allowed or not is_message(kind):
        raise WrongTypeError(f"undeclared reference to {kind[:60]!r}")
    for name, found in given.items():
        wanted = field(kind, name)
        if "dyn" not in (wanted.kind, found.kind) and wanted.kind != found.kind:
            raise WrongTypeError(f"field {name!r} of the type {found.kind}, expected {wanted.kind}")
    return Typed(kind)
