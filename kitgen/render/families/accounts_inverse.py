"""Inverse of ServiceAccounts: the operator's own, further ones, and Secrets with their tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kitgen.kube.identity import ObjectId
from kitgen.render.families.accounts import OWNER, TOKEN
from kitgen.render.families.role_binding import OPERATOR, WORDS
from kitgen.render.families.role_binding_inverse import BINDINGS
from kitgen.render.inverse import (
    Inverse,
    RecognisedSection,
    TreeObjects,
    are_texts,
    bare,
    by_name,
    is_made,
    is_name,
)
from kitgen.render.section_changes import older_words, terms_of, without_empty
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.yaml import JsonObject


def recognise(scene: TreeObjects) -> RecognisedSection | None:
    """Find the account that the operator runs as; if there are several, the one that is given most roles."""
    known = dict(_accounts(scene))
    run_as = (
        text_at(body, "spec", "template", "spec", "serviceAccountName")
        for at, body in scene.everything.items()
        if at.kind == "Deployment"
    )
    named = [name for name in run_as if name in known]
    name = f"{scene.prefix}{older}" if (older := text_at(scene.older, "serviceAccount")) else ""
    if name not in (named or known):
        given = Counter(
            text_at(subject, "name")
            for at, body in scene.everything.items()
            if at.kind in BINDINGS
            for _, subject in entries_at(body, "subjects")
        )
        name = max(named, key=lambda each: given[each], default="")  # the first of those with most
    if not name:
        return None
    return RecognisedSection(section=scene.short(name), objects=frozenset([known[name]]), account=name)


def _accounts(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts of the component that specs can name; a patch can add to what they hold."""
    for at, body in scene.objects.items():
        name, is_account = text_at(body, "metadata", "name"), (at.group, at.kind) == ("", "ServiceAccount")
        if is_account and body.get("apiVersion") == "v1" and not value_at(body, "metadata", "namespace"):
            short = scene.short(name) if is_name(name) else None
            if short and (short not in WORDS or short == OPERATOR):
                yield name, at


INVERSE = Inverse(recognise=recognise, terms=terms_of("serviceAccount", str, lambda want, _: want))

NOTES = ("labels", "annotations")


def more_accounts(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, *tuple[ObjectId, ...]]]:
    """Yield accounts that have labels, annotations or a token at most; the operator's if it has any."""
    tokens = dict(_tokens(scene))
    for at, given in scene.everything.items():
        if (at.group, at.kind) != ("", "ServiceAccount"):
            continue
        body, operator = bare(given), at.name == scene.account
        own: JsonObject = {key: body["metadata"][key] for key in NOTES if key in body["metadata"]}
        if not all(map(are_texts, own.values())) or body["metadata"].get("namespace"):
            continue
        exact = at in scene.objects and is_made(body, "v1", "ServiceAccount", (), NOTES)
        name, secret = scene.short(at.name), tokens.get(at.name)
        taken = name in WORDS and not (operator and name == OPERATOR)
        if not (operator or exact) or not name or taken:
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
    recognise=by_name(more_accounts),
    normal=without_empty,
    terms=terms_of("serviceAccounts", without_empty, older_words, keep=1),
)
