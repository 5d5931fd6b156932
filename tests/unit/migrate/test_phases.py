"""Phases of a migration are made of what releases hold, and lose nothing on the way."""

from __future__ import annotations

from some import rows

from kitgen.findings import Cause, CauseKind, Origin
from kitgen.kit.model.migration import (
    PHASES,
    DroppedKind,
    KindName,
    Migration,
    MigrationPath,
    MovedKind,
    Phase,
)
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.migrate.phases.objects import build_phase_objects
from kitgen.text.yaml import JsonObject

ORIGIN = Origin("migrations/m.yaml")
OLD, NEW = KindName("old.io", "v1", "Job"), KindName("new.io", "v2", "Job")


def manifest(body: JsonObject) -> Manifest:
    return Manifest(
        body=body, sources=(FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=Origin("x")),)
    )


def crd(kind: KindName, plural: str = "jobs") -> Manifest:
    version = {
        "name": kind.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
    }
    names = {"kind": kind.kind, "plural": plural}
    spec = {"group": kind.group, "names": names, "scope": "Namespaced", "versions": [version]}
    meta = {"name": f"{plural}.{kind.group}"}
    return manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": meta,
            "spec": spec,
        }
    )


def role(*rules: JsonObject) -> Manifest:
    body = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
    return manifest({**body, "rules": list(rules)})


def rule(
    group: str, *resources: str, verbs: tuple[str, ...] = ("get", "update"), **more: object
) -> JsonObject:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs), **more}


def migration(
    old: KindName = OLD,
    new: KindName = NEW,
    drops: tuple[DroppedKind, ...] = (),
    minors: tuple[int, ...] = (30,),
) -> Migration:
    return Migration(
        name="m",
        about="a move",
        way=MigrationPath.ONE_SHOT,
        targets=("olm",),
        component="c",
        minors=minors,
        kinds=(MovedKind(before=old, after=new, origin=ORIGIN),),
        drops=drops,
        before="v1",
        after="v2",
        origin=ORIGIN,
    )


def made(
    phase: Phase, before: list[Manifest], after: list[Manifest], **said: object
) -> dict[str, JsonObject]:
    found = build_phase_objects(migration(**said), phase, {"v1": before, "v2": after})  # type: ignore[arg-type]
    assert not found.moved.findings
    return {f"{each.id.kind}/{each.id.name}": each.body for each in found.objects}


def granted(objects: dict[str, JsonObject]) -> list[tuple[str, list[str], list[str]]]:
    return [
        (each["apiGroups"][0], each["resources"], each["verbs"]) for each in objects["ClusterRole/r"]["rules"]
    ]


def test_permissions_of_the_old_group_are_there_for_the_new_one() -> None:
    rules = [rule("old.io", "jobs", "jobs/status", "others"), rule("apps", "deployments")]
    found = made(Phase.PREPARE, [crd(OLD), role(*rules)], [crd(NEW, "jobz")])
    assert granted(found)[2:] == [("new.io", ["jobz", "jobz/status"], ["get", "update"])]


def test_names_of_resources_and_stars_are_kept() -> None:
    rules = [rule("old.io", "*"), rule("old.io", "jobs", resourceNames=["one"])]
    found = made(Phase.PREPARE, [crd(OLD), role(*rules)], [crd(NEW)])
    assert found["ClusterRole/r"]["rules"][2:] == [
        rule("new.io", "*"),
        rule("new.io", "jobs", resourceNames=["one"]),
    ]


@rows(
    "rules", [[rule("*", "jobs")], [rule("old.io", "jobs"), rule("new.io", "jobs")], [rule("apps", "jobs")]]
)
def test_what_is_granted_already_is_not_granted_twice(rules: list[JsonObject]) -> None:
    found = made(Phase.PREPARE, [crd(OLD), role(*rules)], [crd(NEW)])
    assert found["ClusterRole/r"]["rules"] == rules


def test_the_old_kind_can_be_looked_at_and_removed_in_the_end() -> None:
    found = made(Phase.READ_ONLY, [crd(OLD)], [crd(NEW), role(rule("new.io", "jobs", "jobs/status"))])
    assert granted(found)[1:] == [("old.io", ["jobs"], ["get", "list", "watch", "delete"])]


def test_a_version_stays_in_its_crd_until_the_end() -> None:
    new = KindName("old.io", "v2", "Job")
    before, after = [crd(OLD)], [crd(new)]
    (prepared,) = made(Phase.PREPARE, before, after, new=new)["CustomResourceDefinition/jobs.old.io"]["spec"][
        "versions"
    ]
    assert (prepared["storage"], prepared["deprecated"]) == (True, True)
    found = made(Phase.READ_ONLY, before, after, new=new)["CustomResourceDefinition/jobs.old.io"]
    assert [(each["name"], each["served"], each["storage"]) for each in found["spec"]["versions"]] == [
        ("v2", True, True),
        ("v1", True, False),
    ]
    assert "Prune=false" in found["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]


def test_options_of_argo_cd_that_a_crd_has_stay() -> None:
    old = crd(OLD)
    notes = {"argocd.argoproj.io/sync-options": "ServerSideApply=true,Prune=confirm"}
    old.body["metadata"]["annotations"] = notes
    found = made(Phase.PREPARE, [old], [crd(NEW)])["CustomResourceDefinition/jobs.old.io"]
    options = found["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]
    assert options == "ServerSideApply=true,Prune=false,Delete=false"
    assert notes == {"argocd.argoproj.io/sync-options": "ServerSideApply=true,Prune=confirm"}


@rows("phase", PHASES[MigrationPath.ONE_SHOT])
def test_no_crd_is_lost_before_the_last_phase(phase: Phase) -> None:
    found = made(phase, [crd(OLD)], [crd(NEW)])
    old = "CustomResourceDefinition/jobs.old.io" in found
    new = "CustomResourceDefinition/jobs.new.io" in found
    assert (old, new) == (phase is not Phase.AFTER, phase is not Phase.BEFORE)


def test_a_kind_that_no_crd_has_is_told() -> None:
    other = KindName("old.io", "v3", "Job")
    found = build_phase_objects(migration(old=other), Phase.PREPARE, {"v1": [crd(OLD)], "v2": [crd(NEW)]})
    assert [(each.rule.id, each.hint) for each in found.moved.findings] == [
        ("migration-kind", "known are old.io/v1/Job")
    ]


def test_sides_that_were_swapped_are_told_with_what_each_release_has() -> None:
    found = build_phase_objects(migration(), Phase.PREPARE, {"v1": [crd(NEW)], "v2": [crd(OLD)]})
    assert [(each.message, each.hint) for each in found.moved.findings] == [
        ("found old.io/v1/Job, which no CRD of release v1 has", "known are new.io/v2/Job"),
        ("found new.io/v2/Job, which no CRD of release v2 has", "known are old.io/v1/Job"),
    ]


@rows("phase", PHASES[MigrationPath.ONE_SHOT])
def test_a_kind_that_goes_is_kept_until_the_last_phase(phase: Phase) -> None:
    task = KindName("old.io", "v1", "Task")
    drops = (DroppedKind(kind=task, reason="nobody\nuses it", origin=ORIGIN),)
    found = made(phase, [crd(OLD), crd(task, "tasks")], [crd(NEW)], drops=drops)
    there = found.get("CustomResourceDefinition/tasks.old.io")
    assert (there is None) == (phase is Phase.AFTER)
    if there and phase is not Phase.BEFORE:
        warning = "old.io/v1 Task is deprecated and has no successor: nobody uses it"
        assert there["spec"]["versions"][0]["deprecationWarning"] == warning
        assert any("tasks" in each["resources"] for each in found["ClusterRole/m-migration"]["rules"])


def test_whoever_carries_resources_over_may_do_all_steps() -> None:
    rules = made(Phase.PREPARE, [crd(OLD)], [crd(NEW)])["ClusterRole/m-migration"]["rules"]
    assert {each["apiGroups"][0]: each["verbs"] for each in rules} == {
        "old.io": ["get", "list", "watch", "delete", "patch"],
        "new.io": ["get", "list", "watch", "create", "patch"],
    }
