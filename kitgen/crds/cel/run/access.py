"""Read what stands in objects, maps and lists, and ask whether it is there."""

from __future__ import annotations

from kitgen.crds.cel.parse import unescaped
from kitgen.crds.cel.run.operators import no_overload
from kitgen.crds.cel.run.scope import Run, Scope
from kitgen.crds.cel.run.values import FaultError, Object, Optional, Value, kind_of

KEYS = frozenset({"string", "int", "uint", "bool", "double"})
LONGEST = 1_000
"""Of a key in a message."""


def of_field(holder: Run, name: str) -> Run:
    """Return what reads a field."""
    plain = unescaped(name)

    def run(scope: Scope) -> Value:
        value = holder(scope)
        if isinstance(value, Object):
            return value.get(plain)
        if isinstance(value, Optional):
            return _optional_at(value, name)
        return at(value, name)

    return run


def at(holder: Value, key: Value) -> Value:
    """Return what stands at a place."""
    if isinstance(holder, Optional):
        return _optional_at(holder, key)
    found = _entry(holder, key)
    if not found:
        what = "index out of bounds" if isinstance(holder, list) else "no such key"
        raise FaultError(f"{what}: {key[:LONGEST] if isinstance(key, str) else key}")
    return found[0]


def _entry(holder: Value, key: Value) -> tuple[Value, ...]:
    """Return what stands at a place, or nothing."""
    if isinstance(holder, dict) and kind_of(key) in KEYS:
        return (holder[key],) if key in holder else ()
    if isinstance(holder, Object) and isinstance(key, str):
        name = unescaped(key)
        return (holder.get(name),) if holder.has(name) else ()
    if isinstance(holder, list) and isinstance(key, int | float) and not isinstance(key, bool):
        return (holder[int(key)],) if 0 <= key < len(holder) and key == int(key) else ()
    raise no_overload("[]", holder, key)


def _optional_at(holder: Optional, key: Value) -> Optional:
    return Optional(_entry(holder.found[0], key)) if holder.found else holder


def perhaps(holder: Run, key: Run) -> Run:
    """Return what reads an entry that may not be there."""

    def run(scope: Scope) -> Value:
        scope.take(1)
        value = holder(scope)
        return _optional_at(value if isinstance(value, Optional) else Optional((value,)), key(scope))

    return run


def present(holder: Run, name: str) -> Run:
    """Return what tells whether a field is there."""
    plain = unescaped(name)

    def run(scope: Scope) -> Value:
        value = holder(scope)
        if isinstance(value, Optional):
            if not value.found:
                return False
            value = value.found[0]
        if isinstance(value, Object):
            return value.has(plain)
        if isinstance(value, dict):
            return name in value
        raise no_overload("has", value)

    return run
