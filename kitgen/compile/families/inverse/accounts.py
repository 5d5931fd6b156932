"""Inverse of the operator's service account: the one that its Deployment runs as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kitgen.compile.bare import is_name
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.compile.rbac import OPERATOR, WORDS
from kitgen.objects import ObjectId
from kitgen.yamlio import Json


def recognise(scene: Scene) -> Recognised | None:
    """Find the account that the operator runs as; if there are several, the one that is given most roles."""
    known = dict(_accounts(scene))
    named = [name for name in _run_as(scene) if name in known]
    older = scene.older.get("serviceAccount")
    usual = f"{scene.prefix}{older}" if isinstance(older, str) else ""
    if usual in named or (not named and usual in known):
        return _found(scene, usual, known[usual])
    given = _given(scene)
    best = max(named, key=lambda name: given[name], default="")  # the first of those with most
    return _found(scene, best, known[best]) if best else None


def _found(scene: Scene, name: str, at: ObjectId) -> Recognised:
    return Recognised(section=scene.short(name), objects=frozenset([at]), account=name)


def _accounts(scene: Scene) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts of the component that specs can name; a patch can add to what they hold."""
    for at, body in scene.objects.items():
        meta: Json = body.get("metadata")
        if (at.group, at.kind) != ("", "ServiceAccount") or body.get("apiVersion") != "v1":
            continue
        if isinstance(meta, dict) and is_name(meta.get("name")) and not meta.get("namespace"):
            short = scene.short(meta["name"])
            if short and (short not in WORDS or short == OPERATOR):
                yield meta["name"], at


def _run_as(scene: Scene) -> Iterator[str]:
    """Yield the accounts that Deployments run as, in order."""
    for at, body in scene.everything.items():
        value: Json = body
        for step in ("spec", "template", "spec", "serviceAccountName"):
            value = value.get(step) if isinstance(value, dict) else None
        if at.kind == "Deployment" and isinstance(value, str):
            yield value


def _given(scene: Scene) -> Counter[str]:
    """Count the bindings that give each account a role."""
    found: Counter[str] = Counter()
    for at, body in scene.everything.items():
        subjects: Json = body.get("subjects") if at.kind in ("RoleBinding", "ClusterRoleBinding") else None
        for each in subjects if isinstance(subjects, list) else ():
            name = each.get("name") if isinstance(each, dict) else None
            if isinstance(name, str):
                found[name] += 1
    return found


def terms(change: Change) -> Said:
    """Say another name, or that there is none."""
    gone = () in change.gone and not change.new and change.old
    return Said(section=change.new or None, remove=("",) if gone else ())


INVERSE = Inverse(key="serviceAccount", recognise=recognise, terms=terms)
