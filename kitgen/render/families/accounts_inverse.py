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
    is_family_object,
    is_literal_map,
    is_name,
    make_recogniser,
    normalize_body,
)
from kitgen.render.section_changes import drop_empty_values, keep_empty_values_by_name, make_change_converter
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.yaml import JsonObject


def recognise_operator_account(scene: TreeObjects) -> RecognisedSection | None:
    """Find the account that the operator runs as; if there are several, the one that is given most roles."""
    known = dict(_list_accounts(scene))
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
    return RecognisedSection(section=scene.strip_prefix(name), objects=frozenset([known[name]]), account=name)


def _list_accounts(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts of the component that specs can name; a patch can add to what they hold."""
    for at, body in scene.objects.items():
        name, is_account = text_at(body, "metadata", "name"), (at.group, at.kind) == ("", "ServiceAccount")
        if is_account and body.get("apiVersion") == "v1" and not value_at(body, "metadata", "namespace"):
            short = scene.strip_prefix(name) if is_name(name) else None
            if short and (short not in WORDS or short == OPERATOR):
                yield name, at


INVERSE = Inverse(
    recognise=recognise_operator_account,
    terms=make_change_converter("serviceAccount", str, lambda want, _: want),
)

NOTES = ("labels", "annotations")


def find_service_accounts(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, *tuple[ObjectId, ...]]]:
    """Yield accounts that have labels, annotations or a token at most; the operator's if it has any."""
    tokens = dict(_find_token_secrets(scene))
    for at, given in scene.everything.items():
        if (at.group, at.kind) != ("", "ServiceAccount"):
            continue
        body, operator = normalize_body(given), at.name == scene.account
        own: JsonObject = {key: body["metadata"][key] for key in NOTES if key in body["metadata"]}
        if not all(map(is_literal_map, own.values())) or body["metadata"].get("namespace"):
            continue
        exact = at in scene.objects and is_family_object(body, "v1", "ServiceAccount", (), NOTES)
        name, secret = scene.strip_prefix(at.name), tokens.get(at.name)
        taken = name in WORDS and not (operator and name == OPERATOR)
        if not (operator or exact) or not name or taken:
            continue
        if secret:
            own["token"] = scene.strip_prefix(secret.name)
        if own or not operator:
            yield name, own, at, *([secret] if secret else ())


def _find_token_secrets(scene: TreeObjects) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts that Secrets are for, each with its Secret, the first one last."""
    for at, _, body in reversed([*scene.find_family_objects("v1", ("Secret",), ("type",), ("annotations",))]):
        notes = map_at(body, "metadata", "annotations")
        if body.get("type") == TOKEN and notes.keys() == {OWNER}:
            yield notes[OWNER], at


MORE_ACCOUNTS = Inverse(
    recognise=make_recogniser(find_service_accounts),
    normal=drop_empty_values,
    terms=make_change_converter("serviceAccounts", drop_empty_values, keep_empty_values_by_name, keep=1),
)
