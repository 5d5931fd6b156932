"""Nothing that is made is shared: a change of one place reaches no other."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from some import first

from kitgen.kube.manifest import existing_value
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import OpenedKit, open_kit
from kitgen.workspace.sources import parse_source

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
ALIASED = """
objects:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: one, labels: &same {tier: front}}
  data: *same
- {apiVersion: v1, kind: ConfigMap, metadata: {name: two}, data: *same}
patches:
- name: zone
  why: The label is for the scheduler, and the data stay
  object: ConfigMap/one
  ops: [{op: add, path: /metadata/labels/zone, value: a}]
"""


def test_a_patch_of_one_place_leaves_the_others(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    spec = root / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text() + PATCHED)
    bodies = {
        str(manifest.id): manifest.body
        for manifest in compile_source(open_kit(root), parse_source("target:olm")).objects
    }
    hooks = bodies["ValidatingWebhookConfiguration/hello-validating-webhook-configuration"]["webhooks"]
    assert [hook["rules"][0]["operations"] for hook in hooks] == [["CREATE"], *[["CREATE", "UPDATE"]] * 2]
    assert "delete" in bodies["ClusterRole/hello-cronjob-editor-role"]["rules"][0]["verbs"]
    place = ("spec", "template", "spec", "containers", 0, "resources")
    got = existing_value(bodies["Deployment/hello-manager"], place)
    assert (got["requests"]["cpu"], got["limits"]["cpu"]) == ("10m", "100m")


def test_a_patch_of_what_an_alias_repeats_leaves_the_rest(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    spec = root / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text() + ALIASED)
    bodies = {
        str(manifest.id): manifest.body
        for manifest in compile_source(open_kit(root), parse_source("target:olm")).objects
    }
    assert bodies["ConfigMap/one"]["metadata"]["labels"]["zone"] == "a"
    assert bodies["ConfigMap/one"]["data"] == {"tier": "front"}
    assert bodies["ConfigMap/two"]["data"] == {"tier": "front"}


def state(opened: OpenedKit) -> str:
    """Write out everything that a kit holds."""
    return repr(opened.kit)


@pytest.mark.parametrize(
    "case", first(["", "families", "patches", "objects", "parameters", "expressions"], 3)
)
def test_compiling_changes_nothing_that_it_is_given(case: str, opened: OpenedKit, tmp_path: Path) -> None:
    chosen = open_kit(kits.make_kit(tmp_path, kits.CASES / "valid" / case)) if case else opened
    before = state(chosen)
    made = [each for target in chosen.kit.targets.values() for each in chosen.plan(target).units]
    finals = [repr([manifest.body for manifest in unit.final]) for unit in made]
    for _ in chosen.kit.targets:
        again = [each for target in chosen.kit.targets.values() for each in chosen.plan(target).units]
        assert [repr([manifest.body for manifest in unit.final]) for unit in again] == finals
    assert [repr([manifest.body for manifest in unit.final]) for unit in made] == finals
    assert state(chosen) == before


def test_a_patch_does_the_same_every_time(tmp_path: Path) -> None:
    opened = open_kit(kits.write(kits.make_kit(tmp_path), {"targets/olm.yaml": GROWING}))
    first, second = (
        [m.body for m in compile_source(opened, parse_source("target:olm")).objects] for _ in range(2)
    )
    assert first == second
