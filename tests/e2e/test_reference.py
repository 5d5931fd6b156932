"""The kit still renders what the downstreams ship: every object is what it was when they agreed."""

from __future__ import annotations

import normal
import project
import pytest
import recorded
import routes

from kitgen.render.placement import build_placement
from kitgen.workspace.kit import OpenedKit

RENDERED = [" ".join(build) for build in project.builds()]
"""Every build that is rendered has a reference; others of old may have one too."""
BUILDS = sorted({*RENDERED, *recorded.references()})


@pytest.mark.parametrize("build", BUILDS)
def test_objects_are_the_reference(
    opened: OpenedKit, build: str, record: bool, record_reference: bool
) -> None:
    release, target, component = build.split()
    if (record or record_reference) and not is_built(opened, *build.split()):
        recorded.forget_reference(build)
        return
    got = normal.by_key(routes.built(opened, target, component, release))
    if record_reference or (record and build not in recorded.references()):
        recorded.store_reference(build, got)
    assert build in recorded.references(), f"compare with the downstream first; {recorded.RECORD}"
    drift = normal.differing(got, recorded.reference(build))
    assert drift == [], "compare with the downstream; if it changed, run pytest tests/e2e --record-reference"


def is_built(opened: OpenedKit, release: str, target: str, component: str) -> bool:
    """Tell whether the kit still has what a reference is of."""
    kit = opened.kit
    if release not in kit.releases or target not in kit.targets:
        return False
    placement = build_placement(kit, kit.targets[target], kit.releases[release])
    return component in [each.name for each in placement.overlay_components]


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


def test_an_update_would_write_the_recordings_as_they_are(record: bool, record_reference: bool) -> None:
    if not (record or record_reference):
        stale = [file.name for file, text in recorded.recording_texts().items() if file.read_text() != text]
        assert stale == [], recorded.RECORD


def test_every_recorded_object_is_kept_as_it_was(record: bool, record_reference: bool) -> None:
    kept_now = {} if record or record_reference else recorded.recordings()
    for name, kept in kept_now.items():
        objects = recorded.objects(name)
        assert {key: recorded.digest(body) for key, body in objects.items()} == kept["objects"], name
