"""The kit still renders what the downstreams ship: every object has the digest it had when they agreed."""

from __future__ import annotations

import normal
import pytest
import recorded
import routes

from kitgen.pipeline import Opened

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
    got = normal.digests(routes.built(opened, target, component, release))
    if record_reference:
        recorded.store(recorded.REFERENCE, build, got)
    drift = normal.differing(got, recorded.load(recorded.REFERENCE)[build])
    assert drift == [], "compare with the downstream; if it changed, run pytest tests/e2e --record-reference"


def test_every_reference_is_built() -> None:
    assert sorted(recorded.load(recorded.REFERENCE)) == sorted(BUILDS)


def test_a_drift_names_the_object() -> None:
    want = {"Service.core x/a": "1", "Service.core x/b": "2"}
    got = {"Service.core x/a": "9", "Service.core x/c": "3"}
    assert normal.differing(got, want) == [
        "Service.core x/a: differs",
        "Service.core x/b: missing",
        "Service.core x/c: surplus",
    ]
