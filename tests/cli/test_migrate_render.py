"""kitgen migrate render writes each phase of a migration, and leaves none out."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.kit.model.migration import PHASES, MigrationPath
from kitgen.text.yaml import JsonObject, read_yaml, read_yaml_documents

CASE = kits.CASES / "valid" / "migration"
OLD, NEW = "example.com", "greetings.example.org"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", CASE)


def phase(kit: Path, name: str, *more: str) -> dict[str, JsonObject]:
    """Render a phase, and return its objects by kind and name."""
    out = kit.parent / name
    made = run(
        "migrate",
        "render",
        "new-group",
        "--target",
        "olm",
        "--phase",
        name,
        "--out",
        out,
        *more,
        "--root",
        kit,
    )
    assert made.code == 0, made.err
    listed = read_yaml((out / "kustomization.yaml").read_text())["resources"]
    bodies = [read_yaml((out / each).read_text()) for each in listed]
    return {f"{each['kind']}/{each['metadata']['name']}": each for each in bodies}


def groups(objects: dict[str, JsonObject]) -> dict[str, list[str]]:
    """Return the verbs that the operator has on greetings, by group."""
    rules = objects["ClusterRole/hello-manager-role"]["rules"]
    return {each["apiGroups"][0]: each["verbs"] for each in rules if "greetings" in each["resources"]}


def crds(objects: dict[str, JsonObject]) -> list[str]:
    return sorted(name.partition("/")[2] for name in objects if name.startswith("CustomResourceDefinition/"))


def test_the_first_and_the_last_phase_are_the_releases(kit: Path) -> None:
    before, after = phase(kit, "before"), phase(kit, "after")
    assert (crds(before), list(groups(before))) == ([f"greetings.{OLD}"], [OLD])
    assert (crds(after), list(groups(after))) == ([f"greetings.{NEW}"], [NEW])
    for release, made in (("v1.0.0", before), ("v2.0.0", after)):
        built = read_yaml_documents(run("build", "olm", "--release", release, "--root", kit).out)
        assert [*made.values()] == built


@pytest.mark.parametrize("name", ["introduce", "switch", "migrate"])
def test_both_groups_are_served_with_the_same_verbs(kit: Path, name: str) -> None:
    objects = phase(kit, name)
    assert crds(objects) == [f"greetings.{OLD}", f"greetings.{NEW}"]
    granted = groups(objects)
    assert granted[OLD] == granted[NEW]
    for kind in ("Mutating", "Validating"):
        (hook,) = objects[f"{kind}WebhookConfiguration/hello-{kind.lower()}-webhook-configuration"][
            "webhooks"
        ]
        assert [each["apiGroups"] for each in hook["rules"]] == [[OLD], [NEW]]


@pytest.mark.parametrize(("name", "said"), [("introduce", False), ("switch", True), ("read-only", True)])
def test_old_versions_are_deprecated_and_guarded_before_they_go(kit: Path, name: str, said: bool) -> None:
    crd = phase(kit, name)[f"CustomResourceDefinition/greetings.{OLD}"]
    (version,) = crd["spec"]["versions"]
    options = crd["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-options", "")
    assert (version.get("deprecated", False), "Prune=false" in options) == (said, said)
    assert version["served"] and version["storage"]
    if said:
        assert version["deprecationWarning"] == f"{OLD}/v1 Greeting is deprecated: use {NEW}/v1 Greeting"


def test_nothing_old_can_be_made_once_it_is_read_only(kit: Path) -> None:
    objects = phase(kit, "read-only")
    assert groups(objects)[OLD] == ["get", "list", "watch", "delete"]
    policy = objects["ValidatingAdmissionPolicy/new-group-old-kinds"]["spec"]
    (rule,) = policy["matchConstraints"]["resourceRules"]
    assert (rule["apiGroups"], rule["operations"]) == ([OLD], ["CREATE"])


def test_clusters_that_know_no_policies_get_none(kit: Path) -> None:
    spec = kit / "migrations/new-group.yaml"
    spec.write_text(spec.read_text().replace(">=1.30 <=1.32", ">=1.29 <=1.32"))
    assert not [name for name in phase(kit, "read-only") if name.startswith("ValidatingAdmissionPolicy")]


def test_whoever_carries_resources_over_has_a_role(kit: Path) -> None:
    rules = phase(kit, "migrate")["ClusterRole/new-group-migration"]["rules"]
    assert {each["apiGroups"][0]: "create" in each["verbs"] for each in rules} == {OLD: False, NEW: True}


def test_no_phase_is_left_out(kit: Path, tmp_path: Path) -> None:
    args = ["migrate", "render", "new-group", "--target", "olm", "--root", kit]
    found = run(*args, "--phase", "after", "--from", "switch", "--out", tmp_path / "out")
    message = "found the phase 'after' behind 'switch', expected migrate and read-only in between"
    assert (found.code, f"migration-skip: {message}" in found.err) == (1, True)
    assert not (tmp_path / "out").exists()
    back = run(*args, "--phase", "before", "--from", "switch", "--out", tmp_path / "out")
    assert (back.code, "expected one that comes later" in back.err) == (1, True)
    assert phase(kit, "migrate", "--from", "switch")


def test_rendering_twice_changes_nothing(kit: Path) -> None:
    for name in PHASES[MigrationPath.PROGRESSIVE]:
        phase(kit, name)
        before = kits.contents(kit.parent / name)
        phase(kit, name)
        assert kits.contents(kit.parent / name) == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["new-grup", "--target", "olm", "--phase", "after"],
            "no migration 'new-grup' in this kit (hint: did you mean",
        ),
        (["new-group", "--target", "odh", "--phase", "after"], "new-group is not for the target 'odh'"),
        (
            ["new-group", "--target", "olm", "--phase", "prepare"],
            "no phase 'prepare' on the path progressive",
        ),
    ],
)
def test_wrong_usage_is_told(kit: Path, tmp_path: Path, args: list[str], message: str) -> None:
    found = run("migrate", "render", *args, "--out", tmp_path / "out", "--root", kit)
    assert (found.code, found.out) == (2, "")
    assert message in found.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("both: v1.1.0\n", "", "/path: migration-path: found the path progressive, but no release of hello"),
        ("path: progressive", "path: one-shot", "/both: migration-path"),
        (
            "example.com/v1/Greeting, to",
            "example.com/v1/Greting, to",
            "migration-kind: found example.com/v1/Greting",
        ),
        (
            "to: greetings.example.org/v1/G",
            "to: example.com/v1/G",
            "migration-kind: found example.com/v1/Greeting on both",
        ),
        (", to: greetings.example.org/greeting", "", "migration-key: found the policy both"),
        (
            "after: v2.0.0",
            "after: v2.0.0\nsteps: [{phase: prepare, title: Wait}]",
            "/steps/0/phase: migration-step: found the phase 'prepare', expected one of the path progressive",
        ),
        ("after: v2.0.0", "after: v9.0.0", "reference-missing: found no release 'v9.0.0'"),
        ("component: hello", "component: helo", "reference-missing: found no component 'helo'"),
        ("migration: new-group", "migration: other", "spec-path"),
        ('kubernetes: ">=1.30 <=1.32"', 'kubernetes: "?"', "/kubernetes"),
        ("path: progressive", "path: slow", "spec-value"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_written(
    kit: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    spec = kit / "migrations/new-group.yaml"
    assert old in spec.read_text()
    spec.write_text(spec.read_text().replace(old, new))
    out = tmp_path / "out"
    found = run(
        "migrate", "render", "new-group", "--target", "olm", "--phase", "after", "--out", out, "--root", kit
    )
    assert (found.code, out.exists()) == (1, False)
    assert message in found.err


def test_migrations_that_lead_in_a_circle_are_told(kit: Path, tmp_path: Path) -> None:
    text = (kit / "migrations/new-group.yaml").read_text()
    back = text.replace("migration: new-group", "migration: back").replace(
        "{from: example.com/v1/Greeting, to: greetings.example.org/v1/Greeting}",
        "{from: greetings.example.org/v1/Greeting, to: example.com/v1/Greeting}",
    )
    kits.write(kit, {"migrations/back.yaml": back})
    args = ["--target", "olm", "--phase", "after", "--out", tmp_path / "out", "--root", kit]
    found = run("migrate", "render", "new-group", *args)
    assert (found.code, "migration-kind: found a circle" in found.err) == (1, True)
