"""Shorthands of the specs, written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kit.config_type import parse_duration
from kitgen.kit.model import ComponentPart
from kitgen.kube.names import content_hash
from kitgen.kube.rbac.rules import parse_permission
from kitgen.render.families.deployment import expand_resources
from kitgen.text.yaml import JsonObject

READ = ["get", "list", "watch"]


def test_a_section_that_no_spec_has_is_a_mistake() -> None:
    assert ComponentPart()["roles"] == ()
    with pytest.raises(KeyError):
        ComponentPart()["rolls"]


@pytest.mark.parametrize(
    ("key", "verbs", "want"),
    [
        ("core/pods", "get", {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}),
        (
            "apps/deployments,statefulsets",
            "read",
            {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets"], "verbs": READ},
        ),
        (
            "batch/jobs/status",
            "get patch get",
            {"apiGroups": ["batch"], "resources": ["jobs/status"], "verbs": ["get", "patch"]},
        ),
        (
            "core/secrets[a,b]",
            "get",
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a", "b"], "verbs": ["get"]},
        ),
        ("/metrics", "get", {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}),
        ("*/*", "*", {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
        (
            "core/pods",
            "read deletecollection",
            {"apiGroups": [""], "resources": ["pods"], "verbs": [*READ, "deletecollection"]},
        ),
    ],
)
def test_permissions(key: str, verbs: str, want: JsonObject) -> None:
    assert parse_permission(key, verbs) == want


def test_manage_is_everything_but_deletecollection() -> None:
    verbs = parse_permission("core/pods", "manage")["verbs"]
    assert sorted(verbs) == ["create", "delete", "get", "list", "patch", "update", "watch"]


@pytest.mark.parametrize(
    ("text", "want"),
    [("1m30s", 90 * 10**9), ("168h", 604800 * 10**9), ("1.5ms", 1_500_000), (7, 7), ("0s", 0)],
)
def test_durations(text: str | int, want: int) -> None:
    assert parse_duration(text) == want


@given(hours=st.integers(0, 1000), minutes=st.integers(0, 59), seconds=st.integers(0, 59))
def test_durations_add_up(hours: int, minutes: int, seconds: int) -> None:
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == (hours * 3600 + minutes * 60 + seconds) * 10**9


def test_resources_are_requests_and_limits_alike() -> None:
    assert expand_resources({"cpu": 1}) == {"limits": {"cpu": 1}, "requests": {"cpu": 1}}
    assert expand_resources({"requests": {"cpu": 1}}) == {"requests": {"cpu": 1}}


@pytest.mark.parametrize(
    ("data", "want"),
    # As kustomize names a ConfigMap with this content.
    [({"a": "b"}, "4h2mbtbbt6"), ({"html": "<a & b>", "x": "é"}, "dc76gmb55f")],
)
def test_the_hash_of_a_config_map(data: dict[str, str], want: str) -> None:
    assert content_hash(data) == want
