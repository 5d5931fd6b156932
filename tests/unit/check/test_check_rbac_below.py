"""What stands below a resource in a role: the hint leads to what is there."""

from __future__ import annotations

import pytest

from kitgen.check.rbac.api_groups import find_subresources, hint_for_subresource
from kitgen.check.rbac.known_apis import collect_subresources, read_crd_names
from kitgen.kube.resources import SUBRESOURCES
from kitgen.text.yaml import JsonObject


@pytest.mark.parametrize(
    ("group", "resource", "hint"),
    [
        ("", "pods/log", None),
        ("", "pods/logs", "did you mean 'pods/log'?"),
        ("", "pods/Exec", "did you mean 'pods/exec'?"),
        ("", "pods/portfoward", "did you mean 'pods/portforward'?"),
        ("apps", "deployments/status ", "did you mean 'deployments/status'?"),
        ("apps", "deployments/finalizers", None),
        ("apps", "daemonsets/scale", "there is daemonsets/status"),
        ("", "secrets/status", "there is nothing below it"),
        ("", "services/*", "a wildcard is no part of a name; there is services/proxy and services/status"),
        ("a.com", "xs/status", None),
        ("a.com", "xs/scale", "there is xs/status"),
        ("a.com", "ys/status", "there is nothing below it"),
    ],
)
def test_what_is_below(group: str, resource: str, hint: str | None) -> None:
    versions = [{"name": "v1"}, {"name": "v2", "subresources": {"status": {}, "scale": None}}]
    crds: list[JsonObject] = [
        {"spec": {"group": "a.com", "names": {"plural": "xs"}, "versions": versions}},
        {"spec": {"group": "a.com", "names": {"plural": "ys"}, "versions": 3}},
        {"spec": []},
    ]
    declared = collect_subresources(map(read_crd_names, crds))
    known = find_subresources(group, resource.partition("/")[0], declared)
    assert known is not None
    assert hint_for_subresource(resource, known) == hint


def test_nobody_knows_what_others_have() -> None:
    assert find_subresources("other.com", "xs", {}) is None


def test_the_table_is_in_order() -> None:
    assert [*SUBRESOURCES] == sorted(SUBRESOURCES)
    assert all([*each] == sorted(each) for each in SUBRESOURCES.values())
