"""Webhooks in a phase are asked what they can answer, and nothing old is made in the end."""

from __future__ import annotations

from some import rows
from test_phases import NEW, OLD, crd, made, manifest
from test_phases_both import SERVING, WITHIN, progressive, several

from kitgen.kit.model.migration import KindName, Phase
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.objects import build_phase_objects
from kitgen.text.yaml import JsonObject

OF_OLD, OF_NEW = "/validate-old-io-v1-job", "/validate-new-io-v2-job"


def hooks(*asked: tuple[str, KindName], kind: str = "Validating", resources: str = "jobs") -> Manifest:
    """Return webhooks, each with its path and the kind that it is asked about."""
    webhooks = [
        {
            "name": f"{index}.kb.io",
            "clientConfig": {"service": {"name": "s", "path": path}},
            "rules": [{"apiGroups": [name.group], "apiVersions": [name.version], "resources": [resources]}],
        }
        for index, (path, name) in enumerate(asked)
    ]
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind}WebhookConfiguration"}
    return manifest({**body, "metadata": {"name": kind.lower()}, "webhooks": webhooks})


def groups(objects: dict[str, JsonObject], kind: str = "Validating") -> list[list[str]]:
    """Return the groups that each webhook is asked about."""
    found = objects[f"{kind}WebhookConfiguration/{kind.lower()}"]["webhooks"]
    return [[each["apiGroups"][0] for each in hook["rules"]] for hook in found]


def serving(phase: Phase, *more: Manifest) -> dict[str, JsonObject]:
    releases = {"v1": [crd(OLD)], "v1.5": [crd(OLD), crd(NEW), *more], "v2": [crd(NEW)]}
    found = build_phase_objects(progressive(), phase, releases)
    return {f"{each.id.kind}/{each.id.name}": each.body for each in found.objects}


@rows("phase", SERVING)
def test_one_operator_for_both_is_asked_about_both(phase: Phase) -> None:
    assert groups(serving(phase, hooks((OF_OLD, OLD)))) == [["old.io", "new.io"]]


@rows("phase", SERVING)
@rows("resources", ["jobs", "*", "jobs/status"])
def test_webhooks_that_a_release_has_for_both_are_left_alone(phase: Phase, resources: str) -> None:
    both = hooks((OF_OLD, OLD), (OF_NEW, NEW), resources=resources)
    mutating = hooks((OF_OLD.replace("validate", "mutate"), OLD), kind="Mutating")
    found = serving(phase, both, mutating)
    assert groups(found) == [["old.io"], ["new.io"]]
    assert groups(found, "Mutating") == [["old.io"]]


@rows(
    ("path", "asked"),
    [
        (OF_NEW, ["new.io"]),
        ("/mutate-new-io-v2beta1-job", ["new.io"]),
        ("/validate", ["new.io", "old.io"]),
        ("/validate-new-io-v2-jobset", ["new.io", "old.io"]),
    ],
)
def test_an_operator_of_one_side_is_not_asked_where_it_reads_that_kind(path: str, asked: list[str]) -> None:
    found = made(Phase.READ_ONLY, [crd(OLD)], [crd(NEW), hooks((path, NEW))])
    assert groups(found) == [asked]


def test_the_old_operator_is_not_asked_about_new_kinds_as_if_they_were_old() -> None:
    assert groups(made(Phase.PREPARE, [crd(OLD), hooks((OF_OLD, OLD))], [crd(NEW)])) == [["old.io"]]


def refused(before: Manifest, after: Manifest, new: KindName) -> list[tuple[str, list[str]]]:
    found = made(Phase.READ_ONLY, [before], [after], new=new)
    rules = found["ValidatingAdmissionPolicy/m-old-kinds"]["spec"]["matchConstraints"]["resourceRules"]
    return [(each["apiGroups"][0], each["apiVersions"]) for each in rules]


def test_no_version_of_an_old_kind_can_be_made() -> None:
    old = several("v1beta1", "v1", stored="v1")
    assert refused(old, crd(NEW), NEW) == [("old.io", ["*"])]
    assert refused(old, several("v2", stored="v2"), WITHIN) == [("old.io", ["v1beta1", "v1"])]
