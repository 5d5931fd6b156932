"""While an operator serves both sides, its release brings its own CRDs; nothing of them is thrown away."""

from __future__ import annotations

from msgspec.structs import replace
from some import rows
from test_phases import NEW, OLD, crd, migration

from kitgen.kit.model.migration import DroppedKind, KindName, Migration, MigrationPath, Phase
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.objects import build_phase_objects
from kitgen.text.yaml import JsonObject

SERVING = (Phase.INTRODUCE, Phase.SWITCH, Phase.MIGRATE)
WITHIN = KindName("old.io", "v2", "Job")
WEBHOOK: JsonObject = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}


def progressive(new: KindName = NEW, drops: tuple[DroppedKind, ...] = ()) -> Migration:
    return replace(migration(new=new, drops=drops), way=MigrationPath.PROGRESSIVE, both="v1.5")


def several(*names: str, stored: str, field: str = "", conversion: JsonObject | None = None) -> Manifest:
    """Return a CRD of the old group with several versions, whose schemas have a field of their own."""
    made = crd(OLD)
    (version,) = made.body["spec"]["versions"]
    schema = {"type": "object", "properties": {field: {"type": "string"}}} if field else {"type": "object"}
    made.body["spec"]["versions"] = [
        {**version, "name": name, "storage": name == stored, "schema": {"openAPIV3Schema": schema}}
        for name in names
    ]
    made.body["spec"] |= {"conversion": conversion} if conversion else {}
    return made


def crds(
    phase: Phase, before: Manifest, both: list[Manifest], after: list[Manifest], said: Migration
) -> dict[str, JsonObject]:
    found = build_phase_objects(said, phase, {"v1": [before], "v1.5": both, "v2": after})
    assert not found.moved.findings
    return {each.id.name: each.body for each in found.objects if each.id.kind == "CustomResourceDefinition"}


def stored(body: JsonObject) -> list[tuple[str, bool]]:
    return [(each["name"], each["storage"]) for each in body["spec"]["versions"]]


@rows("phase", SERVING)
def test_both_crds_are_those_of_the_release_that_runs(phase: Phase) -> None:
    new = crd(NEW)
    new.body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = "of both"
    both = [several("v1", stored="v1", field="own", conversion=WEBHOOK), new]
    found = crds(phase, crd(OLD), both, [crd(NEW)], progressive())
    assert found["jobs.new.io"] == new.body
    old = found["jobs.old.io"]
    assert "own" in old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert old["spec"]["conversion"] == WEBHOOK
    assert ("annotations" in old["metadata"]) == (phase is not Phase.INTRODUCE)


def test_an_old_crd_stays_as_the_last_release_with_it_had_it() -> None:
    both = [several("v1", "v1beta1", stored="v1beta1", field="own"), crd(NEW)]
    found = crds(Phase.READ_ONLY, several("v1", "v1alpha1", stored="v1"), both, [crd(NEW)], progressive())
    old = found["jobs.old.io"]
    assert stored(old) == [("v1", False), ("v1beta1", True), ("v1alpha1", False)]
    assert "own" in old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]


@rows("phase", [Phase.SWITCH, Phase.MIGRATE, Phase.READ_ONLY])
def test_every_version_of_an_old_crd_is_deprecated(phase: Phase) -> None:
    both = [several("v1beta1", "v1", stored="v1"), crd(NEW)]
    found = crds(phase, several("v1beta1", "v1", stored="v1"), both, [crd(NEW)], progressive())
    assert [each["deprecationWarning"] for each in found["jobs.old.io"]["spec"]["versions"]] == [
        "old.io/v1beta1 Job is deprecated: use new.io/v2 Job",
        "old.io/v1 Job is deprecated: use new.io/v2 Job",
    ]


@rows("phase", SERVING)
def test_a_kind_that_goes_stays_where_the_release_for_both_lacks_it(phase: Phase) -> None:
    task = KindName("old.io", "v1", "Task")
    drops = (DroppedKind(kind=task, reason="nobody uses it", origin=migration().origin),)
    said = progressive(drops=drops)
    releases = {"v1": [crd(OLD), crd(task, "tasks")], "v1.5": [crd(OLD), crd(NEW)], "v2": [crd(NEW)]}
    found = build_phase_objects(said, phase, releases)
    assert "tasks.old.io" in [each.id.name for each in found.objects]


def test_a_crd_that_converts_stores_its_own_version_until_resources_are_written_anew() -> None:
    both = [several("v1", "v2", stored="v1", field="own", conversion=WEBHOOK)]
    after = [several("v2", stored="v2")]
    found = {
        phase: crds(phase, crd(OLD), both, after, progressive(WITHIN))["jobs.old.io"] for phase in SERVING
    }
    for phase in (Phase.INTRODUCE, Phase.SWITCH):
        assert stored(found[phase]) == [("v1", True), ("v2", False)]
    # The operator of the next release may convert no more, so this is the last phase for it.
    assert stored(found[Phase.MIGRATE]) == [("v1", False), ("v2", True)]
    for body in found.values():
        assert body["spec"]["conversion"] == WEBHOOK
        assert [each.get("deprecated", False) for each in body["spec"]["versions"]] == [True, False]
        assert all(
            "own" in each["schema"]["openAPIV3Schema"]["properties"] for each in body["spec"]["versions"]
        )


@rows("conversion", [WEBHOOK, None])
def test_nobody_gets_objects_that_were_not_converted_any_more(conversion: JsonObject | None) -> None:
    both = [several("v1", "v2", stored="v1", conversion=conversion)]
    after = [several("v2", stored="v2")]
    body = crds(Phase.READ_ONLY, crd(OLD), both, after, progressive(WITHIN))["jobs.old.io"]
    assert body["spec"].get("conversion") == conversion


@rows("phase", SERVING)
def test_a_crd_that_does_not_convert_stores_the_new_version_from_the_start(phase: Phase) -> None:
    both = [several("v1", "v2", stored="v1", field="own")]
    body = crds(phase, crd(OLD), both, [several("v2", stored="v2")], progressive(WITHIN))["jobs.old.io"]
    assert stored(body) == [("v1", False), ("v2", True)]
    assert "own" in body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]


def test_all_versions_that_were_there_stay_until_the_end() -> None:
    before = several("v1alpha1", "v1", stored="v1")
    both = [several("v1", "v2", stored="v2")]
    body = crds(Phase.READ_ONLY, before, both, [several("v2", stored="v2")], progressive(WITHIN))[
        "jobs.old.io"
    ]
    assert stored(body) == [("v2", True), ("v1", False), ("v1alpha1", False)]
    assert [each.get("deprecated", False) for each in body["spec"]["versions"]] == [False, True, True]


def test_an_old_version_that_the_new_release_keeps_is_deprecated_until_then() -> None:
    kept = several("v1", "v2", stored="v2")
    releases = {"v1": [crd(OLD)], "v2": [kept]}
    found = {
        phase: build_phase_objects(migration(new=WITHIN), phase, releases).objects[0].body
        for phase in (Phase.READ_ONLY, Phase.AFTER)
    }
    assert found[Phase.READ_ONLY]["spec"]["versions"][0]["deprecated"] is True
    assert found[Phase.AFTER] == kept.body


@rows(
    ("both", "message"),
    [
        ([crd(OLD)], "found new.io/v2/Job, which no CRD of release v1.5 has"),
        ([crd(NEW)], "found old.io/v1/Job, which no CRD of release v1.5 has"),
        (
            [crd(OLD), crd(KindName("new.io", "v1", "Job"))],
            "found new.io/v2/Job, which no CRD of release v1.5 has",
        ),
    ],
)
def test_a_release_for_both_has_both_kinds(both: list[Manifest], message: str) -> None:
    found = build_phase_objects(
        progressive(), Phase.SWITCH, {"v1": [crd(OLD)], "v1.5": both, "v2": [crd(NEW)]}
    )
    assert [(each.rule.id, each.message, each.origin.path) for each in found.moved.findings] == [
        ("migration-kind", message, ("both",))
    ]
    assert [*found.objects] == both
