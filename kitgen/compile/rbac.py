"""What the families of permissions have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.context import Context
from kitgen.findings import Finding
from kitgen.objects import RBAC
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.yamlio import JsonObject


def role_binding(kind: str, name: str, role: tuple[str, str], subjects: Iterable[JsonObject]) -> JsonObject:
    """Return what gives subjects a role, which goes by its kind and name."""
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": role[0], "name": role[1]},
        "subjects": list(subjects),
    }


def unbound(context: Context, key: str) -> Iterator[Finding]:
    """Yield a finding for roles of an operator without an account; a base may leave that to a feature."""
    for item in context.part[key] if context.target and not context.account else ():
        layer = item.layers[0]
        if layer.data.get("bind", "operator") == "operator":
            message = f"found no serviceAccount to bind the role {item.name!r} to"
            yield REFERENCE_MISSING(message, hint="name one, or say bind: none").at(layer.origin)
