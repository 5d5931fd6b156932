"""Inverse of the operator's service account: the one that its Deployment runs as.

Inverse of further service accounts, and of Secrets that hold their tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kitgen.kube.identity import ObjectId
from kitgen.render.families.accounts import OWNER, TOKEN
from kitgen.render.families.role_binding import OPERATOR, WORDS
from kitgen.render.inverse import Inverse, Recognised, TreeObjects
from kitgen.render.real_objects import are_texts, bare, is_made, is_name
from kitgen.render.section_changes import older_words, terms_of, without_empty
from kitgen.text.yaml import Json, JsonObject


def recognise(scene: TreeObjects) -> Recognised | None:
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


def _found(scene: TreeObjects, name: str, at: ObjectId) -> Recognised:
    return Recognised(section=scene.short(name), objects=frozenset([at]), account=name)


def _accounts(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts of the component that specs can name; a patch can add to what they hold."""
    for at, body in scene.objects.items():
        meta: Json = body.get("metadata")
        if (at.group, at.kind) != ("", "ServiceAccount") or body.get("apiVersion") != "v1":
            continue
        if isinstance(meta, dict) and is_name(meta.get("name")) and not meta.get("namespace"):
            short = scene.short(meta["name"])
            if short and (short not in WORDS or short == OPERATOR):
                yield meta["name"], at


def _run_as(scene: TreeObjects) -> Iterator[str]:
    """Yield the accounts that Deployments run as, in order."""
    for at, body in scene.everything.items():
        value: Json = body
        for step in ("spec", "template", "spec", "serviceAccountName"):
            value = value.get(step) if isinstance(value, dict) else None
        if at.kind == "Deployment" and isinstance(value, str):
            yield value


def _given(scene: TreeObjects) -> Counter[str]:
    """Count the bindings that give each account a role."""
    found: Counter[str] = Counter()
    for at, body in scene.everything.items():
        subjects: Json = body.get("subjects") if at.kind in ("RoleBinding", "ClusterRoleBinding") else None
        for each in subjects if isinstance(subjects, list) else ():
            name = each.get("name") if isinstance(each, dict) else None
            if isinstance(name, str):
                found[name] += 1
    return found


INVERSE = Inverse(recognise=recognise, terms=terms_of("serviceAccount", str, lambda want, _: want))

NOTES = ("labels", "annotations")


def recognise_more_accounts(scene: TreeObjects) -> Recognised | None:
    """Find accounts that have labels, annotations or a token at most; the operator's if it has any."""
    tokens = dict(_tokens(scene))
    section: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, own in _accounts_more_accounts(scene):
        secret = tokens.get(at.name)
        if secret:
            own["token"] = scene.short(secret.name)
        if own or at.name != scene.account:
            section[str(scene.short(at.name))] = own
            taken |= {at, *([secret] if secret else ())}
    return Recognised(section=section, objects=frozenset(taken)) if section else None


def _accounts_more_accounts(scene: TreeObjects) -> Iterator[tuple[ObjectId, JsonObject]]:
    """Yield the accounts that the family could have made, with their labels and annotations."""
    for at, given in scene.everything.items():
        if (at.group, at.kind) != ("", "ServiceAccount"):
            continue
        body, operator = bare(given), at.name == scene.account
        own: JsonObject = {key: body["metadata"][key] for key in NOTES if key in body["metadata"]}
        if not all(map(are_texts, own.values())) or body["metadata"].get("namespace"):
            continue
        exact = at in scene.objects and is_made(body, "v1", "ServiceAccount", (), NOTES)
        words = set(WORDS) - {OPERATOR} if operator else WORDS
        if (operator or exact) and scene.short(at.name) not in (None, "", *words):
            yield at, own


def _tokens(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts that Secrets are for, each with its Secret, the first one last."""
    for at, given in reversed([*scene.objects.items()]):
        if (at.group, at.kind) != ("", "Secret"):
            continue
        body = bare(given)
        notes = body["metadata"].get("annotations")
        if not is_made(body, "v1", "Secret", ("type",), ("annotations",)) or body.get("type") != TOKEN:
            continue
        if are_texts(notes) and notes.keys() == {OWNER} and scene.short(at.name):
            yield notes[OWNER], at


MORE_ACCOUNTS = Inverse(
    recognise=recognise_more_accounts,
    normal=without_empty,
    terms=terms_of("serviceAccounts", without_empty, older_words, keep=1),
)
