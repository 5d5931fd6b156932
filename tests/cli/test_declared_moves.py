"""A move that a migration declares is told as one, by all that compare; one that nobody declares is not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import kits
import moving
import pytest
from running import run

from kitgen.text.yaml import JsonObject

CASE = kits.CASES / "valid" / "migration"
OLD, NEW = "greetings.example.com", "greetings.greetings.example.org"
USER = ("-c", "user.name=a", "-c", "user.email=a@example.com")
WHY = "declared in migrations/new-group.yaml"
PLAN = "kitgen migrate plan new-group --target olm"
SAID = f"{OLD} moves to {NEW} (migrations/new-group.yaml)"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    root = kits.make_kit(tmp_path / "kit", CASE)
    target = root / "targets/olm.yaml"
    target.write_text(target.read_text().replace("release: v1.0.0", "release: v2.0.0"))
    return root


def flat(text: str) -> str:
    """Return a text as if the terminal had room for it."""
    return " ".join(text.split())


def commit(kit: Path) -> None:
    for args in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", "-C", kit, *USER, *args], check=True)


def undeclare(kit: Path) -> None:
    (kit / "migrations/new-group.yaml").unlink()


def upgraded(kit: Path, baseline: str) -> dict[str, JsonObject]:
    """Return what an upgrade of CRDs breaks, by rule."""
    found = run("check", "olm", "--baseline", baseline, "-o", "json", "--root", kit)
    return {
        each["rule"]: each
        for each in json.loads(found.out)["findings"]
        if "CustomResourceDefinition" in each["subject"]
    }


def test_crd_diff_tells_the_move(kit: Path) -> None:
    args = ["crd", "diff", "target:olm@v1.0.0", "target:olm@v2.0.0", "--root", kit]
    found = run(*args)
    assert (found.code, SAID in found.out, "crd-removed" in found.out) == (0, True, False)
    undeclare(kit)
    assert run(*args).code == 1


def test_a_crd_that_goes_while_the_new_one_stays_has_moved(kit: Path) -> None:
    args = ["crd", "diff", "target:olm@v1.1.0", "target:olm@v2.0.0", "--root", kit]
    found = run(*args)
    assert (found.code, SAID in found.out) == (0, True)
    undeclare(kit)
    assert run(*args).code == 1


@pytest.mark.parametrize("before", ["v1.0.0", "v1.1.0"])
def test_diff_tells_the_move(kit: Path, before: str) -> None:
    args = ["diff", f"target:olm@{before}", "target:olm@v2.0.0", "-o", "json", "--root", kit]
    changes = {each["rule"]: each for each in json.loads(run(*args).out)["changes"]}
    assert changes["crd-moved-declared"]["message"] == SAID
    assert not {"crd-removed", "crd-added", "crd-moved"} & changes.keys()
    undeclare(kit)
    again = {each["rule"] for each in json.loads(run(*args).out)["changes"]}
    assert again & {"crd-removed", "crd-moved"}


@pytest.mark.parametrize("baseline", ["v1.0.0", "v1.1.0"])
def test_an_upgrade_over_a_declared_move_is_accepted(kit: Path, baseline: str) -> None:
    found = upgraded(kit, baseline)
    assert {each["accepted"] for each in found.values()} == {WHY}
    assert "upgrade-group" in found
    undeclare(kit)
    bare = upgraded(kit, baseline)
    assert bare
    assert not any(each["accepted"] for each in bare.values())


def test_a_version_of_which_the_migration_says_nothing_is_not_accepted(kit: Path) -> None:
    crd = kit / "components/hello/v1.0.0/crds/greetings.yaml"
    head, mark, version = crd.read_text().partition("  v1:\n")
    crd.write_text(f"{head}{mark}{version}  v1alpha1:\n{version.replace('storage: true', 'storage: false')}")
    args = ("check", "olm", "--baseline", "v1.0.0", "-o", "json", "--root", kit)
    told = {each["message"]: each["accepted"] for each in json.loads(run(*args).out)["findings"]}
    gone = {message: why for message, why in told.items() if "v1alpha1 is gone" in message}
    assert list(gone.values()) == [None]
    assert WHY in told.values()


def test_a_declared_kind_that_just_goes_is_not(kit: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.yaml"
    there.write_text(run("build", "olm", "--release", "v1.0.0", "--root", kit).out)
    now = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}"
    found = run("check", "-", "--baseline", there, "-o", "json", "--root", kit, stdin=now)
    (lost,) = [each for each in json.loads(found.out)["findings"] if OLD in each["subject"]]
    assert (found.code, lost["rule"], lost["accepted"]) == (1, "upgrade-data", None)


def test_a_move_is_told_in_full_where_others_are_counted(kit: Path) -> None:
    args = ["diff", "target:olm@v1.0.0", "target:olm@v2.0.0", "--root", kit]
    assert f"hint: {PLAN} {NEW}: {SAID} (" in flat(run(*args).out)
    told = run(*args, "-o", "markdown").out
    assert told.index("### Moves (1)") < told.index(SAID) < told.index("<summary>Behaviour (")
    assert told.index(SAID) < told.index(PLAN) < told.index("<summary>Behaviour (")


def test_what_the_move_breaks_is_accepted_by_diffs_too(kit: Path) -> None:
    lose_a_field(kit)
    both = ["target:olm@v1.0.0", "target:olm@v2.0.0", "--root", kit]
    verdict = run("crd", "diff", *both)
    assert (verdict.code, f"    accepted: {WHY}\n" in verdict.out) == (0, True)
    short, whole = run("diff", *both), run("diff", *both, "--all")
    assert f"accepted (1): {WHY}\n  {NEW}: 1 breaking change\n" in short.out
    assert ".spec.tolerations: the field is gone" in whole.out.partition("accepted (1)")[2]
    assert f"<summary>Accepted, {WHY} (1)</summary>" in run("diff", *both, "-o", "markdown").out
    data = json.loads(run("diff", *both, "-o", "json").out)
    found = {each["rule"]: each for each in data["changes"]}
    assert (data["summary"]["accepted"], found["field-removed"]["accepted"]) == (1, WHY)
    undeclare(kit)
    bare = json.loads(run("diff", *both, "-o", "json").out)
    assert (bare["summary"]["accepted"], bare["summary"]["breaking"]) == (0, data["summary"]["breaking"] + 2)


def test_a_change_of_which_the_migration_says_nothing_is_not_hidden_by_the_move(kit: Path) -> None:
    lose_a_field(kit, said=False)
    verdict = run("crd", "diff", "target:olm@v1.0.0", "target:olm@v2.0.0", "--root", kit)
    assert (verdict.code, "accepted" in verdict.out) == (1, False)
    assert ".spec.tolerations: field-removed" in verdict.out


@pytest.mark.parametrize("said", [True, False], ids=["said", "unsaid"])
def test_an_upgrade_accepts_what_fields_say_and_nothing_else(kit: Path, tmp_path: Path, said: bool) -> None:
    there = tmp_path / "there.yaml"
    there.write_text(run("build", "olm", "--release", "v1.0.0", "--root", kit).out)
    lose_a_field(kit, said=said)
    found = run("check", "olm", "--release", "v2.0.0", "--baseline", there, "-o", "json", "--root", kit)
    told = [each for each in json.loads(found.out)["findings"] if "spec.tolerations" in each["message"]]
    assert [(each["rule"], bool(each["accepted"])) for each in told] == [("upgrade-crd", said)]


def test_accepted_changes_fail_as_changes_of_behaviour_do(kit: Path, tmp_path: Path) -> None:
    lose_a_field(kit)
    sides = [tmp_path / f"{each}.yaml" for each in ("v1.0.0", "v2.0.0")]
    for side in sides:
        built = run("build", "olm", "--release", side.stem, "--root", kit).out
        side.write_text("\n---\n".join(each for each in built.split("\n---\n") if "CustomResourceD" in each))
    codes = [run("diff", *sides, "--fail-on", risk, "--root", kit).code for risk in ("breaking", "behaviour")]
    assert codes == [0, 1]


def test_what_breaks_after_the_move_is_not_declared(kit: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.yaml"
    there.write_text(run("build", "olm", "--root", kit).out)
    lose_a_field(kit)
    found = upgraded(kit, str(there))
    assert {rule: each["accepted"] for rule, each in found.items()} == {"upgrade-crd": None}


def test_a_move_that_nobody_declares_is_suggested(kit: Path) -> None:
    undeclare(kit)
    both = ["target:olm@v1.0.0", "target:olm@v2.0.0", "--root", kit]
    hint = f"hint: if {OLD} becomes {NEW}, declare it in migrations/ of the kit"
    assert hint in flat(run("diff", *both).out)
    assert hint in flat(run("crd", "diff", *both).out)


def test_migrations_of_a_revision_count_there(kit: Path) -> None:
    commit(kit)
    undeclare(kit)
    found = run("check", "git:HEAD:olm", "--baseline", "git:HEAD:target:olm@v1.0.0", "--root", kit)
    assert "upgrade-group" not in found.out
    assert found.code == 0


def test_notes_tell_the_move_and_lead_to_the_runbook(kit: Path) -> None:
    args = ["notes", "v2.0.0", "--from", "v1.0.0", "--target", "olm", "--root", kit]
    told = json.loads(run(*args, "-o", "json").out)
    first, last = told["before"][0], told["after"][-1]
    assert (first["rule"], first["risk"]) == ("crd-moved-declared", "breaking")
    assert f"`{PLAN}`" in first["text"]
    assert [each["text"] for each in first["items"]] == [f"{OLD} → {NEW}"]
    assert (last["rule"], last["items"][0]["text"]) == ("crd-moved-declared", OLD)
    assert [each["state"] for each in told["crds"]] == ["moved"]
    assert "Besides" not in run(*args).out
    lose_a_field(kit)
    assert "changes. Besides, migrations declare 1 breaking change.\n" in run(*args).out
    undeclare(kit)
    assert json.loads(run(*args, "-o", "json").out)["before"][0]["rule"] == "crd-moved"


@pytest.mark.parametrize(
    ("start", "phases"),
    [
        ("v1.0.0", "introduce, switch, migrate and read-only"),
        ("v1.1.0", "switch, migrate and read-only"),
    ],
)
def test_a_pin_over_a_migration_is_refused_until_somebody_answers_for_it(
    kit: Path, start: str, phases: str
) -> None:
    target = kit / "targets/olm.yaml"
    target.write_text(target.read_text().replace("release: v2.0.0", f"release: {start}"))
    text = target.read_text()
    found = run("pin", "olm", "v2.0.0", "--root", kit)
    assert (found.code, target.read_text()) == (1, text)
    step = f"found a step over the migration new-group, expected its phases {phases} in between"
    assert f"targets/olm.yaml:3 /release: upgrade-migration: {step}" in found.err
    assert f"(hint: {PLAN} tells what to do in each)" in found.err
    assert "1 error in 1 file\n" in found.err
    assert "to move anyway: --accept upgrade-migration --reason TEXT\n" in found.err
    assert SAID in flat(found.out)
    done = run(
        *("pin", "olm", "v2.0.0", "--accept", "upgrade-migration", "--reason", "all clusters are through"),
        *("--root", kit),
    )
    assert (done.code, "all clusters are through" in target.read_text()) == (0, True)


def test_a_pin_that_keeps_the_old_kind_passes_no_migration(kit: Path) -> None:
    target = kit / "targets/olm.yaml"
    target.write_text(target.read_text().replace("release: v2.0.0", "release: v1.0.0"))
    assert run("pin", "olm", "v1.1.0", "--root", kit).code == 0


def test_a_pin_of_a_target_that_the_migration_is_not_for_says_so(kit: Path) -> None:
    target = kit / "targets/olm.yaml"
    target.write_text(target.read_text().replace("release: v2.0.0", "release: v1.0.0"))
    file = kit / "migrations/new-group.yaml"
    file.write_text(file.read_text().replace("targets: [olm]", "targets: [odh]"))
    found = run("pin", "olm", "v2.0.0", "--dry-run", "--root", kit)
    assert (found.code, "migrations/new-group.yaml is not for olm: add it" in found.err) == (1, True)


def test_an_exception_for_the_step_is_met_while_the_target_upgrades_from_there(kit: Path) -> None:
    target = kit / "targets/olm.yaml"
    said = "{rule: upgrade-migration, from: v1.0.0, to: v2.0.0, reason: all clusters are through}"
    target.write_text(f"{target.read_text()}upgradesFrom: v1.0.0\nexceptions: [{said}]\n")
    found = json.loads(run("check", "-o", "json", "--root", kit).out)["findings"]
    (step,) = [each for each in found if each["rule"] == "upgrade-migration"]
    assert step["accepted"] == "all clusters are through"
    assert not [each for each in found if each["rule"] == "exception-stale"]


def test_a_render_tells_the_move(kit: Path) -> None:
    target = kit / "targets/olm.yaml"
    after = target.read_text()
    target.write_text(after.replace("release: v2.0.0", "release: v1.0.0"))
    assert run("render", "--root", kit).code == 0
    commit(kit)
    target.write_text(after)
    found = run("render", "--check", "--root", kit)
    assert f"\n  move: {NEW}: {SAID} (" in found.err
    assert f": {PLAN}\n" in found.err
    assert f"loses the CRD {OLD}, which moves by a migration; a sync" in found.err
    assert f"(hint: {PLAN} tells when it may go; to keep it, first:" in found.err
    assert SAID in flat(run("render", "--check", "--diff", "--root", kit).out)


def test_a_render_looks_again_when_a_migration_goes(kit: Path) -> None:
    target = kit / "targets/olm.yaml"
    target.write_text(f"{target.read_text()}upgradesFrom: v1.0.0\n")
    assert run("render", "--root", kit).code == 0
    assert run("render", "--root", kit).code == 0
    undeclare(kit)
    assert "upgrade-group" in run("render", "--root", kit).err


def test_bundles_are_held_to_declared_moves(
    kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "hello"
    for version, before in (("v1.0.0", ""), ("v2.0.0", "hello.v1.0.0")):
        built = run("build", "olm", "--release", version, "--root", kit).out
        crd = next(each for each in built.split("\n---\n") if "kind: CustomResourceDefinition" in each)
        bundle(package / version.removeprefix("v"), version, crd, before)
    monkeypatch.chdir(kit)
    args = ("bundle", "check", package, "--select", "bundle-upgrade-schema", "-o", "json")
    accepted = [each["accepted"] for each in json.loads(run(*args).out)["findings"]]
    assert accepted == [WHY]
    undeclare(kit)
    assert [each["accepted"] for each in json.loads(run(*args).out)["findings"]] == [None]


def bundle(folder: Path, version: str, crd: str, replaces: str) -> None:
    """Write as much of a bundle as tells what it replaces and which CRD it has."""
    name, number = f"hello.{version}", version.removeprefix("v")
    spec = {"version": number, **({"replaces": replaces} if replaces else {})}
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name},
        "spec": spec,
    }
    notes = {"operators.operatorframework.io.bundle.package.v1": "hello"}
    files = {
        "manifests/csv.yaml": json.dumps(csv),
        "manifests/crd.yaml": crd,
        "metadata/annotations.yaml": json.dumps({"annotations": notes}),
    }
    kits.write(folder, files)


def lose_a_field(kit: Path, *, said: bool = True) -> None:
    """Let the new CRD lose a field that the old one has; the migration says so."""
    crd = kit / "components/hello/v2.0.0/crds/greetings.yaml"
    lines = crd.read_text().splitlines(keepends=True)
    crd.write_text("".join(line for line in lines if "tolerations" not in line))
    if not said:
        return
    fields = "fields: [{from: spec.tolerations, lost: nobody set them}, {from: spec, to: spec}]"
    spec = kit / "migrations/new-group.yaml"
    spec.write_text(spec.read_text().replace("v1/Greeting}\n", f"v1/Greeting, {fields}}}\n", 1))


BOTH = ("target:olm@v1.0.0", "target:olm@v2.0.0")
COMPARING = [
    ("diff", *BOTH),
    ("crd", "diff", *BOTH),
    ("notes", "v2.0.0", "--from", "v1.0.0", "--target", "olm"),
    ("pin", "olm", "v1.0.0", "--dry-run"),
    ("render", "--check"),
    ("check", "olm", "--baseline", "v1.0.0", "-o", "lines"),
]
WRONG = {
    "12 /both": ("both: v1.1.0", "both: v9.0.0", "found no release 'v9.0.0'"),
    "4 /targets/0": ("targets: [olm]", "targets: [oml]", "found no target 'oml'"),
    "5 /component": ("component: hello", "component: helo", "found no component 'helo'"),
    "3 /about/0": ("about: Greetings", "about: [Greetings", "did not find expected"),
    "3 /path": ("both: v1.1.0", "", "found the path progressive, but no release"),
}


@pytest.mark.parametrize(
    ("place", "command"),
    [*(("12 /both", each) for each in COMPARING), *((each, COMPARING[1]) for each in WRONG)],
)
def test_a_migration_with_errors_declares_nothing_and_is_told(
    kit: Path, place: str, command: tuple[str, ...]
) -> None:
    old, new, message = WRONG[place]
    file = kit / "migrations/new-group.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    found = run(*command, "--root", kit)
    said = "warning: migration-unread: found a migration with errors, which declares no move: "
    assert f"migrations/new-group.yaml:{place}: {said}{message}" in found.out + found.err
    assert SAID not in flat(found.out)


@pytest.mark.parametrize("folder", ["migrations", "targets", "releases", "components/hello/v1.0.0/crds"])
def test_yaml_by_another_ending_is_told(kit: Path, folder: str) -> None:
    (kit / folder / "x.yml").write_text("a: [")
    said = f"{folder}/x.yml:1: warning: spec-ending: found a file that is not read, expected the ending .yaml"
    found = run("check", "-o", "lines", "--root", kit)
    assert (found.code, said in found.out) == (0, True)
    assert said in run("render", "--root", kit).err
    assert run("migrate", "plan", "new-group", "--target", "olm", "--root", kit).code == 0


def test_two_migrations_of_one_move_are_told(kit: Path) -> None:
    text = (kit / "migrations/new-group.yaml").read_text()
    other = kit / "migrations/other.yaml"
    other.write_text(text.replace("migration: new-group", "migration: other"))
    where = "migrations/other.yaml:8 /kinds/0/from: "
    message = "found example.com/v1/Greeting, which new-group moves too, between the same releases"
    found = run("check", "-o", "lines", "--root", kit)
    assert (found.code, f"{where}warning: migration-twice: {message}" in found.out) == (0, True)
    assert SAID in run("crd", "diff", *BOTH, "--root", kit).out
    assert run("migrate", "plan", "other", "--target", "olm", "--root", kit).code == 0
    other.write_text(other.read_text().replace("targets: [olm]", "targets: [odh]"))
    assert message not in run("check", "-o", "lines", "--root", kit).out


def versions_kit(folder: Path) -> Path:
    """Make a kit whose kind gets another version, by a release that serves both."""
    kit = moving.moving_kit(folder)
    (kit / "migrations/groups.yaml").unlink()
    spec = kit / "migrations/fields.yaml"
    text = spec.read_text().replace("path: one-shot", "path: progressive")
    spec.write_text(text.replace("before: v1.0.0", "before: v1.0.0\nboth: v1.5.0"))
    home, first = kit / "components/hello/v1.5.0", kit / "components/hello/v1.0.0"
    crd = (first / "crds/greetings.yaml").read_text()
    newer = (kit / "components/hello/v3.0.0/crds/greetings.yaml").read_text()
    newer = newer.partition("versions:\n")[2].replace("    storage: true\n", "")
    files = {
        "component.yaml": (first / "component.yaml").read_text().replace("v1.0.0", "v1.5.0"),
        "crds/greetings.yaml": crd + newer,
    }
    kits.write(home, files)
    kits.write(kit, {"releases/v1.5.0.yaml": "release: v1.5.0\ncomponents: {hello: v1.5.0}\n"})
    return kit


@pytest.mark.parametrize(
    ("before", "after", "phases"),
    [
        ("v1.0.0", "v1.5.0", ""),
        ("v1.5.0", "v3.0.0", "switch, migrate and read-only"),
        ("v1.0.0", "v3.0.0", "introduce, switch, migrate and read-only"),
    ],
)
def test_a_pin_to_the_release_that_serves_both_versions_is_the_first_phase(
    tmp_path: Path, before: str, after: str, phases: str
) -> None:
    kit = versions_kit(tmp_path / "kit")
    target = kit / "targets/olm.yaml"
    target.write_text(target.read_text().replace("release: v1.0.0", f"release: {before}"))
    found = run("pin", "olm", after, "--dry-run", "--root", kit)
    assert ("upgrade-migration" in found.err) is bool(phases), found.err
    assert f"expected its phases {phases} in between" in found.err or not phases
