"""The kit still renders what the downstreams ship: every object is what it was when they agreed."""

from __future__ import annotations

import normal
import pytest
import recorded
import routes

from kitgen.pipeline.opened import Opened

BUILDS = [
    *(
        f"v1.5.0 {target} {component}"
        for target in ("odh", "olm", "rhoai")
        for component in ("codeflare-operator", "kuberay", "kueue")
    ),
    "v1.0.0 olm codeflare-operator",
]


@pytest.mark.parametrize("build", BUILDS)
def test_objects_are_the_reference(opened: Opened, build: str, record_reference: bool) -> None:
    release, target, component = build.split()
    got = normal.by_key(routes.built(opened, target, component, release))
    if record_reference:
        recorded.store_reference(build, got)
    drift = normal.differing(got, recorded.reference(build))
    assert drift == [], "compare with the downstream; if it changed, run pytest tests/e2e --record-reference"


def test_every_reference_is_built() -> None:
    assert recorded.references() == sorted(BUILDS)


def test_a_drift_names_the_field() -> None:
    want = {
        "Service.core x/a": {"spec": {"ports": [{"port": 80}, {"port": 81}], "type": "ClusterIP"}},
        "Service.core x/b": {},
    }
    got = {"Service.core x/a": {"spec": {"ports": [{"port": 80.0}], "ip": None}}, "Service.core x/c": {}}
    assert normal.differing(got, want) == [
        "Service.core x/a /spec/ip: surplus",
        "Service.core x/a /spec/ports/0/port: 80.0, expected 80",
        "Service.core x/a /spec/ports/1: missing",
        "Service.core x/a /spec/type: missing",
        "Service.core x/b: missing",
        "Service.core x/c: surplus",
    ]


def test_every_recorded_object_is_kept_as_it_was() -> None:
    for name, kept in recorded.recordings().items():
        objects = recorded.objects(name)
        assert {key: recorded.digest(body) for key, body in objects.items()} == kept["objects"], name
