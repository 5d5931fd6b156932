"""A patch of what only features make is said by the targets that have them on."""

from __future__ import annotations

from typing import Any

from some import rows

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.importing.leftovers import add_patches
from kitgen.importing.spec import Spec
from kitgen.importing.trees import GivenTree
from kitgen.text.yaml import JsonObject


def quota(**hard: Any) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": hard}}


def hook(*names: str) -> JsonObject:
    hooks = [{"name": name, "timeoutSeconds": 5 if name == "late" else 10} for name in names]
    kind = "MutatingWebhookConfiguration"
    api = "admissionregistration.k8s.io/v1"
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "few"}, "webhooks": hooks}


def late(body: JsonObject) -> JsonObject:
    hooks = [{**each, "timeoutSeconds": 10} for each in body["webhooks"]]
    return {**body, "webhooks": hooks}


def key(body: JsonObject) -> tuple[str, str, str]:
    group = "admissionregistration.k8s.io" if "webhooks" in body else ""
    return group, body["kind"], body["metadata"]["name"]


@rows(
    ("made", "real", "alone", "own"),
    [
        (quota(pods="1"), quota(pods="2"), [quota(pods="1")], True),
        (quota(pods="1"), quota(pods="2"), [], False),
        (hook("a", "late"), late(hook("a", "late")), [hook("a", "late")], True),
        (hook("a", "late"), late(hook("a", "late")), [hook("a")], False),
    ],
)
def test_the_component_patches_what_it_makes_by_itself(
    made: JsonObject, real: JsonObject, alone: list[JsonObject], own: bool
) -> None:
    given = GivenTree(who="odh", name="odh.yaml", bodies=(real,))
    base = {key(each): each for each in alone}
    found = add_patches(
        Spec(data={}), [given], [compare_object_sets([made], [real])], [{key(made): made}], base, ()
    )
    assert (("patches" in found.data), ("patches" in found.settings.get("odh", {}))) == (own, not own)
