"""What the families of permissions have in common."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.objects import RBAC
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
