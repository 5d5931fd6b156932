"""Inverse of ServiceAccounts: the operator's own, further ones, and Secrets with their tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from kitgen.kube.identity import ObjectId
from kitgen.render.families.accounts import OWNER, TOKEN
from kitgen.render.families.role_binding import OPERATOR, WORDS
from kitgen.render.families.role_binding_inverse import BINDINGS
from kitgen.render.inverse import (
    Inverse,
    Recognised,
    TreeObjects,
    are_texts,
    bare,
    is_made,
    is_name,
    recognised,
)
from kitgen.render.section_changes import older_words, terms_of, without_empty
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.yaml import JsonObject


def recognise(scene: TreeObjects) -> Recognised | None:
    """Find the account that the operator runs as; if there are several, the one that is given most roles."""
    known = dict(_accounts(scene))
    named = [name for name in _run_as(scene) if name in known]
    name = f"{scene.prefix}{older}" if (older := text_at(scene.older, "serviceAccount")) else ""
    if name not in (named or known):
        given = Counter(_given(scene))
        name = max(named, key=lambda each: given[each], default="")  # the first of those with most
    if not name:
        return None
    return Recognised(section=scene.short(name), objects=frozenset([known[name]]), account=name)


def _accounts(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts of the component that specs can name; a patch can add to what they hold."""
    for at, body in scene.objects.items():
        name, is_account = text_at(body, "metadata", "name"), (at.group, at.kind) == ("", "ServiceAccount")
        if is_account and body.get("apiVersion") == "v1" and not value_at(body, "metadata", "namespace"):
            short = scene.short(name) if is_name(name) else None
            if short and (short not in WORDS or short == OPERATOR):
                yield name, at


def _run_as(scene: TreeObjects) -> Iterator[str]:
    """Yield the accounts that Deployments run as, in order."""
    for at, body in scene.everything.items():
        if at.kind == "Deployment":
            yield text_at(body, "spec", "template", "spec", "serviceAccountName")


def _given(scene: TreeObjects) -> Iterator[str]:
    """Yield the accounts that bindings give a role, each as often as they do."""
    for at, body in scene.everything.items():
        if at.kind in BINDINGS:
            yield from (text_at(each, "name") for _, each in entries_at(body, "subjects"))


INVERSE = Inverse(recognise=recognise, terms=terms_of("serviceAccount", str, lambda want, _: want))

NOTES = ("labels", "annotations")


def recognise_more_accounts(scene: TreeObjects) -> Recognised | None:
    """Find accounts that have labels, annotations or a token at most; the operator's if it has any."""
    return recognised(_more_accounts(scene, dict(_tokens(scene))))


def _more_accounts(
    scene: TreeObjects, tokens: Mapping[str, ObjectId]
) -> Iterator[tuple[str, JsonObject, *tuple[ObjectId, ...]]]:
    for at, given in scene.everything.items():
        if (at.group, at.kind) != ("", "ServiceAccount"):
            continue
        body, operator = bare(given), at.name == scene.account
        own: JsonObject = {key: body["metadata"][key] for key in NOTES if key in body["metadata"]}
        if not all(map(are_texts, own.values())) or body["metadata"].get("namespace"):
            continue
        exact = at in scene.objects and is_made(body, "v1", "ServiceAccount", (), NOTES)
        words = set(WORDS) - {OPERATOR} if operator else WORDS
        name, secret = scene.short(at.name), tokens.get(at.name)
        if not (operator or exact) or not name or name in words:
            continue
        if secret:
            own["token"] = scene.short(secret.name)
        if own or not operator:
            yield name, own, at, *([secret] if secret else ())


def _tokens(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts that Secrets are for, each with its Secret, the first one last."""
    for at, _, body in reversed([*scene.made("v1", ("Secret",), ("type",), ("annotations",))]):
        notes = map_at(body, "metadata", "annotations")
        if body.get("type") == TOKEN and notes.keys() == {OWNER}:
            yield notes[OWNER], at


MORE_ACCOUNTS = Inverse(
    recognise=recognise_more_accounts,
    normal=without_empty,
    terms=terms_of("serviceAccounts", without_empty, older_words, keep=1),
)
