"""Nothing that is made is shared: a change of one place reaches no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import kits
import pytest

from kitgen.compile import Session, Unit
from kitgen.objects import value_at
from kitgen.pipeline.build import build
from kitgen.pipeline.opened import Opened, open_kit
from kitgen.yamlio import Json

GROWING = """
target: olm
release: v1.0.0
components:
  hello:
    patches:
    - name: two
      why: The second operation changes what the first one brought
      object: Deployment/hello-manager
      ops:
      - {op: add, path: /spec/template/spec/tolerations, value: [{key: a, operator: Exists}]}
      - {op: add, path: /spec/template/spec/tolerations/-, value: {key: b, operator: Exists}}
"""
PATCHED = """
webhooks:
  kinds: [batch/v1/Job, v1/Pod, apps/v1/Deployment]
accessRoles:
  sets:
  - {editors: [], viewers: [], resources: [batch/jobs, batch/cronjobs]}
patches:
- name: jobs-only-when-made
  why: The webhook of jobs need not see changes
  object: ValidatingWebhookConfiguration/hello-validating-webhook-configuration
  ops: [{op: remove, path: /webhooks/0/rules/0/operations/1}]
- name: no-deletes
  why: Editors of jobs do not delete them
  object: ClusterRole/hello-job-editor-role
  ops: [{op: remove, path: /rules/0/verbs/1}]
- name: resources
  why: The pod asks for less than it may take
  object: Deployment/hello-manager
  ops: [{op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 10m}]
"""


def test_a_patch_of_one_place_leaves_the_others(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    spec = root / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text() + PATCHED)
    bodies = {str(manifest.id): manifest.body for manifest in build(open_kit(root), "olm", None, None)}
    hooks = bodies["ValidatingWebhookConfiguration/hello-validating-webhook-configuration"]["webhooks"]
    assert [hook["rules"][0]["operations"] for hook in hooks] == [["CREATE"], *[["CREATE", "UPDATE"]] * 2]
    assert "delete" in bodies["ClusterRole/hello-cronjob-editor-role"]["rules"][0]["verbs"]
    place = ("spec", "template", "spec", "containers", 0, "resources")
    got = value_at(bodies["Deployment/hello-manager"], place)
    assert (got["requests"]["cpu"], got["limits"]["cpu"]) == ("10m", "100m")


def units(opened: Opened) -> Iterator[Unit]:
    session = Session(opened.kit)
    for versions in opened.kit.components.values():
        for component in versions.values():
            yield session.base(component)
    for target in opened.kit.targets.values():
        yield from session.units(target, opened.release(target, None))


def nodes(value: Json) -> Iterator[Json]:
    """Yield every list and map inside plain data or a dataclass."""
    if isinstance(value, dict | list):
        yield value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from nodes(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from nodes(getattr(value, field.name))


@pytest.mark.parametrize("case", ["", "families", "objects", "patches", "parameters", "expressions"])
def test_no_list_or_map_stands_in_two_places(case: str, opened: Opened, tmp_path: Path) -> None:
    chosen = open_kit(kits.make_kit(tmp_path, kits.CASES / "valid" / case)) if case else opened
    made = list(units(chosen))
    seen = {id(node): "the model" for node in nodes(chosen.kit)}
    for number, unit in enumerate(made):
        crds = {manifest.id for manifest in unit.crds}
        for stage in ("assembled", "final"):
            for manifest in getattr(unit, stage):
                if manifest.id not in crds:  # those are the same everywhere, and nobody changes them
                    for node in nodes(manifest.body):
                        place = f"{number} {stage} {manifest.id}"
                        assert seen.setdefault(id(node), place) is place


def test_a_patch_does_the_same_every_time(tmp_path: Path) -> None:
    opened = open_kit(kits.write(kits.make_kit(tmp_path), {"targets/olm.yaml": GROWING}))
    first, second = ([m.body for m in build(opened, "olm", None, None)] for _ in range(2))
    assert first == second
