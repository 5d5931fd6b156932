"""Inverse of the usual leader election role."""

from __future__ import annotations

from kitgen.compile.bare import bare, is_made
from kitgen.compile.bound import VERSION, Bound, account, bound
from kitgen.compile.families.elections import rules
from kitgen.compile.families.inverse.accounts import terms
from kitgen.compile.granted import granted
from kitgen.compile.inverse import Inverse, Recognised, Scene
from kitgen.compile.rbac import OPERATOR
from kitgen.objects import RBAC


def recognise(scene: Scene) -> Recognised | None:
    """Find the Role that grants what client-go needs, bound to the operator alone."""
    bindings = {(each.role, each.name): each for each in bound(scene) if each.namespaced}
    usual, roles = granted(rules()), scene.older.get("roles")
    others = roles if isinstance(roles, dict) else {}
    found: dict[str, Recognised] = {}
    for at, given in scene.objects.items():
        name = scene.short(at.name)
        if (at.group, at.kind) != (RBAC, "Role") or not name or name in others:
            continue
        body = bare(given)
        binding = bindings.get((("Role", at.name), f"{name}binding"))
        if binding is None or not _for_operator(scene, binding):
            continue
        if is_made(body, VERSION, "Role", ("rules",)) and granted(body.get("rules")) == usual:
            found[name] = Recognised(section=name, objects=frozenset([at, binding.id]))
    older = scene.older.get("leaderElection")
    return found.get(older if isinstance(older, str) else "") or next(iter(found.values()), None)


def _for_operator(scene: Scene, binding: Bound) -> bool:
    return [account(scene, each) for each in binding.subjects] == [OPERATOR]


INVERSE = Inverse(key="leaderElection", recognise=recognise, terms=terms)
