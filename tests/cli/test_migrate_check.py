"""kitgen migrate check finds what is old still, what a move hides, and what would lose data."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import Run, run

CASE = kits.CASES / "valid" / "migration"
OLD, NEW = "example.com", "greetings.example.org"
ROLE = f"""\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: people}}
rules:
- apiGroups: [{OLD}]
  resources: [greetings]
  verbs: [get]
"""


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", CASE)


def check(kit: Path, *args: object, stdin: str = "") -> Run:
    return run("migrate", "check", "new-group", *args, "--root", kit, stdin=stdin)


def rendered(kit: Path, phase: str) -> Path:
    out = kit.parent / phase
    args = [
        "migrate",
        "render",
        "new-group",
        "--target",
        "olm",
        "--phase",
        phase,
        "--out",
        out,
        "--root",
        kit,
    ]
    assert run(*args).code == 0
    return out


def rules(found: Run) -> set[str]:
    return {each["rule"] for each in json.loads(found.out)["findings"]}


def test_a_migration_is_checked_in_every_phase(kit: Path) -> None:
    found = check(kit)
    # What phases bring and take is meant, and kitgen check tells what is of no migration.
    assert (found.code, found.out) == (0, "")
    assert "no findings" in found.err


def test_a_permission_that_did_not_move_along_is_told(kit: Path) -> None:
    spec = kit / "components/hello/v2.0.0/component.yaml"
    spec.write_text(spec.read_text().replace(f"{NEW}/greetings: manage", f"{NEW}/greetings: read"))
    found = check(kit, "-o", "lines")
    assert (found.code, found.out.count("upgrade-permission-lost")) == (0, 1)
    assert f"{OLD}/greetings (create delete patch update)" in found.out


def test_an_old_crd_that_a_server_converts_is_told(kit: Path) -> None:
    crd = kit / "components/hello/v1.0.0/crds/greetings.yaml"
    crd.write_text(f"conversion: webhook\n{crd.read_text()}")
    found = check(kit, "-o", "lines")
    where = "migrations/new-group.yaml:8 /kinds/0/from: warning: migration-conversion"
    assert (found.code, f"{where}: found a CRD with a conversion of its own" in found.out) == (0, True)
    assert where in run("migrate", "resources", "new-group", "-", "--root", kit).err


def test_a_change_of_the_schema_is_not_hidden_by_the_move(kit: Path) -> None:
    crd = kit / "components/hello/v2.0.0/crds/greetings.yaml"
    crd.write_text(
        crd.read_text().replace(
            "text: {type: string}", "text: {type: string}\n            tone: {type: string}"
        )
    )
    found = check(kit, "-o", "lines")
    where = "migrations/new-group.yaml:8 /kinds/0: warning: migration-schema"
    assert f"{where}: found a cosmetic change in the move of {OLD}/v1/Greeting: " in found.out
    crd.write_text(
        crd.read_text()
        .replace("            text: {type: string}\n", "")
        .replace("required: [text]", "required: [tone]")
    )
    assert "found a breaking change" in check(kit, "-o", "lines").out


FIELDS = """\
- from: example.com/v1/Greeting
  to: greetings.example.org/v1/Greeting
  fields:
  - {from: spec.text, to: spec.text}
  - {from: spec.tolerations, lost: nobody tolerates anything}
"""


def with_fields(kit: Path, old: str = "", new: str = "") -> None:
    """Have the migration name fields, some of them otherwise."""
    spec = kit / "migrations/new-group.yaml"
    line = next(each for each in spec.read_text().splitlines(keepends=True) if "from: example.com" in each)
    assert old in FIELDS
    spec.write_text(spec.read_text().replace(line, FIELDS.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("from: spec.text", "from: spec.txet", "11 /kinds/0/fields/0/from", "did you mean 'text'?"),
        ("to: spec.text", "to: spec.texts", "11 /kinds/0/fields/0/to", "did you mean 'text'?"),
        ("to: spec.text", 'to: "spec.text[]"', "11 /kinds/0/fields/0/to", "expected spec.text, because"),
    ],
)
def test_fields_are_held_to_both_schemas(kit: Path, old: str, new: str, place: str, message: str) -> None:
    with_fields(kit)
    for command in (("check", "new-group"), ("plan", "new-group", "--target", "olm")):
        assert "migration-mapping" not in run("migrate", *command, "--root", kit).err
    assert run("check", "--root", kit).code == 0
    kits.make_kit(kit, CASE)
    with_fields(kit, old, new)
    checked = [check(kit, "-o", "lines"), run("check", "-o", "lines", "--root", kit)]
    stopped = [
        run("migrate", "plan", "new-group", "--target", "olm", "--root", kit),
        run("migrate", "resources", "new-group", "-", "--root", kit),
    ]
    for found in (*checked, *stopped):
        assert found.code == 1
        said = found.out + found.err
        assert f"migrations/new-group.yaml:{place}: migration-mapping: found" in said
        assert message in said


def test_fields_of_which_nothing_is_said_are_a_warning(kit: Path) -> None:
    with_fields(kit, "  - {from: spec.tolerations, lost: nobody tolerates anything}\n")
    for found in (check(kit, "-o", "lines"), run("check", "-o", "lines", "--root", kit)):
        where = "migrations/new-group.yaml:10 /kinds/0/fields: warning: migration-unsaid"
        assert found.code == 0
        assert f"{where}: found nothing said of spec.tolerations, which example.com/v1/Greeting" in found.out


def test_what_the_last_release_still_says_of_old_kinds_is_told(kit: Path) -> None:
    spec = kit / "components/hello/v2.0.0/component.yaml"
    spec.write_text(
        spec.read_text().replace(
            "core/configmaps: read", f"core/configmaps: read\n      {OLD}/greetings: read"
        )
    )
    found = check(kit, "-o", "lines")
    assert "components/hello/v2.0.0/component.yaml:34 /roles/manager-role/permissions" in found.out
    assert f"migration-old: found {OLD}/v1/Greeting in a rule, expected {NEW}/v1/Greeting" in found.out


def test_manifests_are_told_by_file_line_and_pointer(kit: Path, tmp_path: Path) -> None:
    kits.write(tmp_path, {"some/role.yaml": ROLE})
    for found in (check(kit, tmp_path / "some", "-o", "lines"), check(kit, "-", "-o", "lines", stdin=ROLE)):
        assert (found.code, "5 /rules/0/apiGroups/0: warning: migration-old: found" in found.out) == (0, True)
    assert check(kit, tmp_path / "some", "--fail-on", "warning").code == 1
    fine = check(kit, "-", stdin=ROLE.replace(OLD, NEW))
    assert (fine.code, fine.out, "1 object, no findings" in fine.err) == (0, "", True)


def test_bundles_are_read_whole(kit: Path, tmp_path: Path) -> None:
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": "hello.v1.0.0",
            "annotations": {"alm-examples": json.dumps([{"apiVersion": f"{OLD}/v1", "kind": "Greeting"}])},
        },
        "spec": {"customresourcedefinitions": {"owned": [{"name": f"greetings.{OLD}", "kind": "Greeting"}]}},
    }
    kits.write(
        tmp_path,
        {
            "bundle/manifests/hello.clusterserviceversion.yaml": json.dumps(csv),
            "bundle/metadata/annotations.yaml": "annotations: {}",
        },
    )
    found = check(kit, tmp_path / "bundle", "-o", "json")
    places = [each["pointer"] for each in json.loads(found.out)["findings"]]
    owned = "/spec/customresourcedefinitions/owned/0/name"
    assert (found.code, places) == (0, ["/metadata/annotations/alm-examples", owned])


@pytest.mark.parametrize(("now", "before"), [("switch", "introduce"), ("after", "read-only")])
def test_each_phase_keeps_what_the_one_before_has(kit: Path, now: str, before: str) -> None:
    found = check(kit, rendered(kit, now), "--baseline", rendered(kit, before), "-o", "json")
    assert (found.code, rules(found) <= {"migration-old"}) == (0, True)


def test_a_crd_that_goes_unguarded_is_refused(kit: Path) -> None:
    found = check(kit, rendered(kit, "after"), "--baseline", rendered(kit, "before"), "-o", "lines")
    assert (found.code, "migration-loss: found the CRD" in found.out) == (1, True)


def test_a_phase_that_leaves_out_the_old_crd_is_refused(kit: Path) -> None:
    after = rendered(kit, "after")
    assert check(kit, after).code == 0
    found = check(kit, after, "--phase", "migrate", "-o", "lines")
    assert (found.code, "migration-loss" in found.out, "the phase migrate needs both" in found.out) == (
        1,
        True,
        True,
    )


def test_a_label_that_was_rewritten_is_refused(kit: Path) -> None:
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a, labels: {{{NEW}/greeting: a}}}}}}"
    found = check(kit, "-", "-o", "lines", stdin=pod)
    message = f'migration-key-rewritten: found the key "{NEW}/greeting", expected "{OLD}/greeting"'
    assert (found.code, message in found.out) == (1, True)


def test_what_is_no_manifest_is_told(kit: Path) -> None:
    found = check(kit, "-", "-o", "json", stdin="kind: A")
    assert (found.code, rules(found)) == (1, {"manifest-invalid"})


@pytest.mark.parametrize("form", ["text", "lines", "json", "sarif", "junit", "github"])
def test_a_secret_is_looked_into_and_not_shown(kit: Path, form: str) -> None:
    secret = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: a}}
stringData: {{run: "s3cret greetings.{OLD}", other: "a"}}
"""
    found = check(kit, "-", "-o", form, stdin=secret)
    assert (found.code, f"greetings.{OLD}" in found.out, "/stringData/run" in found.out) == (0, True, True)
    assert "s3cret" not in found.out + found.err
    fine = check(kit, "-", "-o", form, stdin=secret.replace(OLD, "example.net"))
    assert "migration-old" not in fine.out


@pytest.mark.parametrize("form", ["text", "lines", "json", "sarif", "junit", "github"])
def test_every_form_is_printed(kit: Path, form: str) -> None:
    found = check(kit, "-", "-o", form, stdin=ROLE)
    assert (found.code, "migration-old" in found.out) == (0, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--phase", "after"], "--baseline and --phase are of manifests"),
        (["-", "--phase", "prepare"], "no phase 'prepare' on the path progressive"),
        (["-", "--baseline", "-"], "standard input is both"),
        (["target:olm"], "is of a kit, expected a folder"),
        (["nowhere.yaml"], "nowhere.yaml"),
        (["-", "--baseline", "release:v1.0.0"], "is no baseline for manifests"),
    ],
)
def test_wrong_usage_is_told(kit: Path, args: list[str], message: str) -> None:
    found = check(kit, *args, stdin=ROLE)
    assert (found.code in (2, 3), message in found.err) == (True, True), found.err


def test_a_check_of_the_kit_looks_at_migrations_too(kit: Path) -> None:
    spec = kit / "migrations/new-group.yaml"
    assert run("check", "--root", kit).code == 0
    spec.write_text(spec.read_text().replace("both: v1.1.0", "both: v9.0.0"))
    found = run("check", "-o", "lines", "--root", kit)
    assert (found.code, "migrations/new-group.yaml:12 /both: reference-missing" in found.out) == (1, True)
    assert run("check", "olm", "--root", kit).code == 0
    spec.write_text("migration: [")
    found = run("check", "-o", "lines", "--root", kit)
    assert (found.code, "migrations/new-group.yaml:1" in found.out) == (1, True)


@pytest.mark.parametrize(
    ("version", "code", "rule"),
    [("v2.0.0", 0, "warning: migration-scope"), ("v1.0.0", 1, "migration-unplaced")],
)
def test_a_change_of_scope_is_told_once(kit: Path, version: str, code: int, rule: str) -> None:
    # What is new in the release for both is the same CRD as in the one after.
    beside = ["v1.1.0/crds/welcomes"] if version == "v2.0.0" else []
    for name in (f"{version}/crds/greetings", *beside):
        crd = kit / f"components/hello/{name}.yaml"
        crd.write_text(crd.read_text().replace("scope: Namespaced", "scope: Cluster"))
    for found in (check(kit, "-o", "lines"), run("check", "-o", "lines", "--root", kit)):
        said = f"migrations/new-group.yaml:8 /kinds/0/to: {rule}: found {NEW}/v1/Greeting, which is of"
        assert (found.code, found.out.count(said), "Cluster" in found.out) == (code, 1, False), found.out


def test_what_selects_by_a_key_that_moves_is_told(kit: Path) -> None:
    spec = kit / "migrations/new-group.yaml"
    key = f"- {{key: {OLD}/user, policy: move, to: {NEW}/user, reason: nobody needs it}}"
    spec.write_text(spec.read_text().replace("keys:\n", f"keys:\n{key}\n"))
    text = f"""\
apiVersion: v1
kind: Service
metadata: {{name: a}}
spec:
  selector: {{{OLD}/user: me}}
"""
    found = check(kit, "-", "-o", "lines", stdin=text)
    assert found.code == 0
    assert [line.partition(", which")[0] for line in found.out.splitlines() if "selector: found" in line] == [
        f'-:5 /spec/selector/{OLD}~1user: warning: migration-selector: found "{OLD}/user" in a selector',
    ]
    both = spec.read_text().replace("policy: move", "policy: both")
    spec.write_text(both)
    assert "migration-selector" not in check(kit, "-", "-o", "lines", stdin=text).out


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\n---\n---\n"])
def test_an_input_that_says_nothing_is_an_error(kit: Path, tmp_path: Path, text: str) -> None:
    kits.write(
        tmp_path, {"empty.yaml": text, "folder/notes.txt": "none", "some/a.yaml": ROLE, "some/b.yaml": text}
    )
    for name, where in (
        ("-", "-:1"),
        (tmp_path / "empty.yaml", "empty.yaml:1"),
        (tmp_path / "folder", "folder"),
    ):
        found = check(kit, name, "-o", "lines", stdin=text)
        assert (found.code, f"{where}: export-empty: found" in found.out) == (1, True), found.out
        assert "no findings" not in found.err
    assert check(kit, tmp_path / "some").code == 0
    assert check(kit, tmp_path / "some", "-", stdin=text).code == 1


def test_a_list_without_objects_says_something(kit: Path) -> None:
    found = check(kit, "-", stdin="{apiVersion: v1, kind: List, items: []}")
    assert (found.code, "0 objects, no findings" in found.err) == (0, True)
