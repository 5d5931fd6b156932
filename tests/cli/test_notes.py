"""kitgen notes tells what a release brings, worst first, by a template that a kit may replace."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import kits
import pytest
from jsonschema import Draft202012Validator
from running import run

from kitgen.release.matrix.block import END, START
from kitgen.release.notes.model import ReleaseNotes
from kitgen.release.notes.template import read_default_template, render_notes
from kitgen.text import schema_check as schemafiles
from kitgen.text.yaml import JsonObject

MATRIX = """
project: hello
matrix:
  title: Fleet
  rows:
  - {label: Hello, of: release, repository: example/hello}
  - {label: Tested with, of: tester}
"""
SECOND = """\
release: v1.1.0
date: "2024-05-06"
replaces: v1.0.0
components: {hello: v1.1.0}
records: {tester: v0.2.0}
"""
RECORDS = {
    "releases/v0.9.0.yaml": "release: v0.9.0\nrecords: {tester: v0.3.0}\n",
    "releases/v0.9.1.yaml": (
        "release: v0.9.1\nreplaces: v0.9.0\nrecords: {tester: v0.1.0, other: v0.1.0}\nexceptions:\n"
        "- {rule: release-backwards, pointer: /records/tester, reason: the row was wrong}\n"
        "- {rule: release-patch, pointer: /records/other, reason: it was needed}\n"
    ),
}
TEMPLATE = "templates/notes.md.j2"


def edit(kit: Path, name: str, old: str, new: str) -> None:
    file = kit / name
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.fixture
def fleet(kit: Path) -> Path:
    """Return a kit with two releases: the second one has another image, fewer permissions, another CRD."""
    (kit / "kit.yaml").write_text((kit / "kit.yaml").read_text() + MATRIX)
    home = kit / "components/hello"
    shutil.copytree(home / "v1.0.0", home / "v1.1.0")
    component = "components/hello/v1.1.0/component.yaml"
    edit(kit, component, "version: v1.0.0", "version: v1.1.0")
    edit(kit, component, "quay.io/example/hello:v1.0.0", "quay.io/example/hello:v1.1.0")
    edit(kit, component, "      core/configmaps: read\n", "      core/secrets: read\n")
    crd = "components/hello/v1.0.0/crds/greetings.yaml"
    edit(kit, crd, "versions:\n", "versions:\n  v1alpha1: {schema: {type: object}}\n")
    return kits.write(kit, {"releases/v1.1.0.yaml": SECOND, **RECORDS})


def data(*args: str) -> JsonObject:
    found: JsonObject = json.loads(run("notes", *args, "-o", "json").out)
    Draft202012Validator(schemafiles.read_schema("output/notes")).validate(found)
    return found


def test_the_matrix_stands_first_and_without_its_markers(fleet: Path) -> None:
    done = run("notes", "v1.1.0")
    block = run("matrix", "--release", "v1.1.0").out
    inner = block.removeprefix(f"{START}\n").removesuffix(f"{END}\n")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{inner}\n## Changes since v1.0.0\n")
    assert run("notes", "v1.1.0").out == done.out


def test_what_changes_is_told_to_those_who_feel_it(fleet: Path) -> None:
    text = run("notes", "v1.1.0").out
    before, users, administrators = text.partition("### For users")[0], *_sections(text)
    assert "Move manifests and clients to a version that is still served." in before
    assert "   - `Greeting: v1alpha1, v1 → v1`" in before
    assert "#### Greeting" in users
    assert "v1alpha1 is gone" in users
    assert "`ServiceAccount hello-controller-manager`: may no longer read core/configmaps everywhere" in (
        administrators
    )
    assert "| hello | manager | `quay.io/example/hello:v1.0.0` | `quay.io/example/hello:v1.1.0` |" in (
        administrators
    )
    assert "| `greetings.example.com` | changed | v1alpha1, v1 → v1 | 1 breaking |" in administrators


def _sections(text: str) -> tuple[str, str]:
    users, _, administrators = text.partition("### For users")[2].partition("### For administrators")
    return users, administrators


def test_what_holds_for_all_is_told_once_and_a_part_by_its_targets(fleet: Path) -> None:
    edit(fleet, "targets/olm.yaml", "  hello:\n", "  hello:\n    versions: {'>=1.1.0': {replicas: 2}}\n")
    text = run("notes", "v1.1.0").out
    assert text.count("may no longer") == 1
    assert "spec.replicas` (olm): was 1, now 2" in text
    alone = run("notes", "v1.1.0", "--target", "olm").out
    assert "spec.replicas`: was 1, now 2" in alone
    assert "olm" not in alone.partition("##")[2]


def test_json_is_what_templates_get(fleet: Path) -> None:
    own = "{{ release }} {{ since }} {{ images[0].after | code }} {{ summary.breaking }}"
    kits.write(fleet, {TEMPLATE: own})
    found = data("v1.1.0")
    (image,) = found["images"]
    said = f"{found['release']} {found['since']} `{image['after']}` {found['summary']['breaking']}\n"
    assert run("notes", "v1.1.0").out == said
    assert (found["schema"], found["date"], found["patch"]) == ("kitgen/notes/v1", "2024-05-06", False)


def test_from_any_release_to_any_other(fleet: Path) -> None:
    done = run("notes", "v1.0.0", "--from", "v1.1.0")
    assert (done.code, done.err) == (0, "")
    assert "## Back from v1.1.0 to v1.0.0" in done.out
    assert "**Versions go back:**" in done.out
    assert "| Hello | v1.1.0 | v1.0.0 (older) |" in done.out
    assert "go back to an older version" in done.out


def test_a_record_says_what_cannot_be_told(fleet: Path) -> None:
    text = run("notes", "v0.9.1").out
    assert "Only the versions of v0.9.1 are recorded, so what changes on a cluster cannot be told." in text
    assert "| Tested with | v0.3.0 | v0.1.0 (older) |" in text
    assert "- Tested with goes back since v0.9.1, which is a patch: the row was wrong." in text
    assert "- other is new since v0.9.1, which is a patch: it was needed." in text
    assert "###" not in text
    assert run("notes", "v0.9.0").out.endswith("There is no release before v0.9.0 to hold it against.\n")


def test_what_came_on_the_way_is_named_with_its_reason(fleet: Path) -> None:
    edit(fleet, "releases/v1.1.0.yaml", "{tester: v0.2.0}", "{tester: v0.4.0, other: v0.2.0}")
    other = next(each for each in data("v1.1.0", "--from", "v0.9.0")["versions"] if each["name"] == "other")
    assert (other["change"], other["release"], other["patch"]) == ("added", "v1.1.0", False)
    edit(fleet, "releases/v1.0.0.yaml", "components:", "records: {other: v0.1.0}\ncomponents:")
    other = next(each for each in data("v1.1.0", "--from", "v0.9.0")["versions"] if each["name"] == "other")
    assert (other["release"], other["patch"], other["reason"]) == ("v0.9.1", True, "it was needed")


def test_the_one_before_that_builds_is_taken_if_the_replaced_one_does_not(fleet: Path) -> None:
    edit(fleet, "releases/v1.1.0.yaml", "replaces: v1.0.0", "replaces: v0.9.1")
    text = run("notes", "v1.1.0").out
    assert "v1.1.0 replaces v0.9.1, of which only the versions are recorded." in text
    assert "## Changes since v1.0.0" in text


def test_targets_that_did_not_ship_it_before_are_named(fleet: Path) -> None:
    edit(fleet, "targets/olm.yaml", "release: v1.0.0", "release: v1.1.0\nreleases: [v1.1.0]")
    edit(fleet, "targets/odh.yaml", "release: v1.0.0", "release: v1.0.0\nreleases: [v1.0.0]")
    found = data("v1.1.0")
    assert found["targets"] == ["rhoai"]
    assert found["remarks"] == ["Not told of olm, which did not ship v1.0.0."]
    assert "odh does not ship v1.1.0" in run("notes", "v1.1.0", "--target", "odh").out


def test_a_kit_without_a_matrix_has_notes_without_it(kit: Path) -> None:
    done = run("notes", "v1.0.0")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("## v1.0.0\n")


def test_wrong_names(fleet: Path) -> None:
    for args, said in (
        (["v1.1.1"], "no release 'v1.1.1' in this kit (hint: did you mean"),
        (["v1.1.0", "--from", "v1.0.1"], "no release 'v1.0.1' in this kit (hint: did you mean"),
        (["v1.1.0", "--from", "v1.1.0"], "v1.1.0 is the release itself, expected another one"),
        (["v1.1.0", "--target", "oml"], "no target 'oml' in this kit (hint: did you mean"),
    ):
        done = run("notes", *args)
        assert (done.code, done.out) == (2, ""), args
        assert said in done.err


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("one\n{% if %}", 2, "Expected an expression"),
        ("one\ntwo {{ relaese }}", 2, "'relaese' is undefined (hint: did you mean 'release'?)"),
        ("\n\n{{ images[0].name }}", 3, "has no attribute 'name'"),
        ("{{ release.__class__ }}", 1, "has no attribute '__class__'"),
        ("{{ release.upper() }}", 1, "found a call, expected macros and filters only"),
        ("{{ versions }}", 1, "found a list or mapping to print"),
        ("{{ versions | select }}", 1, "found a list or mapping to print"),
        ("{% block a %}{% endblock %}\n{{ self.a }}", 2, "found a list or mapping to print"),
        ("{% macro a() %}{% endmacro %}\n{{ a | code }}", 2, "found a macro or block as a value"),
        ("\n{% include 'x' %}", 2, "found another template, expected one alone"),
        ("\n{{ 'abc' | truncate(-1) }}", 2, "expected length >= 3, got -1"),
        ("\n{{ 1 // 0 }}", 2, "integer division"),
        ("{{ release | nothing }}", 1, "No filter named 'nothing'"),
        ("{% extends 'other' %}", 1, "other"),
    ],
)
def test_a_mistake_in_a_template_is_a_finding(fleet: Path, text: str, line: int, said: str) -> None:
    kits.write(fleet, {TEMPLATE: text})
    done = run("notes", "v1.1.0")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"{TEMPLATE}:{line}")
    assert said in done.err
    assert ": notes-template: " in done.err


def test_a_template_is_a_file_of_text(fleet: Path) -> None:
    (fleet / TEMPLATE).mkdir(parents=True)
    folder = run("notes", "v1.1.0")
    assert (folder.code, folder.out) == (1, "")
    assert folder.err.startswith(f"{TEMPLATE}:1")
    (fleet / TEMPLATE).rmdir()
    (fleet / TEMPLATE).write_bytes(b"\xff\xfe")
    assert (run("notes", "v1.1.0").code, run("notes", "v1.1.0").out) == (1, "")
    (fleet / TEMPLATE).unlink()
    (fleet / TEMPLATE).symlink_to("/etc/hostname")
    assert (run("notes", "v1.1.0").code, run("notes", "v1.1.0").out) == (1, "")


def test_a_template_may_replace_a_part_of_the_one_that_is_there(fleet: Path) -> None:
    own = ["{% extends 'default' %}", "{% block before %}", "Ask us first.", "{% endblock %}"]
    kits.write(fleet, {TEMPLATE: "\n".join(own)})
    text = run("notes", "v1.1.0").out
    assert "Ask us first.\n\n### For users" in text
    assert "### Before the upgrade" not in text


def test_what_specs_say_is_no_markup(fleet: Path) -> None:
    edit(fleet, "releases/v0.9.1.yaml", "it was needed", '"<b> | [a](b) @all `x`"')
    text = run("notes", "v0.9.1").out
    assert "&lt;b> &#124; [a]&#40;b) &#64;all &#96;x&#96;" in text


COMPONENT, CRD = "components/hello/v1.1.0/component.yaml", "components/hello/v1.1.0/crds/greetings.yaml"
OLD_CRD = CRD.replace("v1.1.0", "v1.0.0")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            COMPONENT,
            "app.kubernetes.io/name: hello",
            "app.kubernetes.io/name: other",
            ["Delete these objects, which come back with the upgrade", "kubectl delete deployment.apps/"],
        ),
        (
            "targets/olm.yaml",
            "    namespace: {name: hello-system, create: true}\n",
            "    versions:\n      '<1.1.0': {namespace: {name: hello-system, create: true}}\n"
            "      '>=1.1.0': {namespace: {name: new-system, create: true}}\n",
            [
                "Save what these hold.",
                "   - `Namespace/hello-system` (olm)",
                "now in the namespace new-system, was in hello-system",
                "kubectl delete deployment.apps/hello-manager -n hello-system  # olm",
            ],
        ),
        (
            COMPONENT,
            "quay.io/example/hello:v1.1.0",
            "docker.io/else/hello:v1.1.0",
            ["Let clusters pull these images, or mirror them", "   - `docker.io/else/hello:v1.1.0`"],
        ),
        (
            COMPONENT,
            "services:\n  metrics:\n    ports: {metrics: 8080}\n",
            "services:\n  metrics:\n    ports: {metrics: 8081}\n",
            ["Point callers elsewhere"],
        ),
        (
            COMPONENT,
            "  manager-role:\n",
            "  new-role:\n",
            [
                "Bind whoever you bound to these roles anew",
                "`ClusterRole/hello-manager-role → hello-new-role`",
            ],
        ),
    ],
)
def test_what_to_do_follows_from_what_changes(
    fleet: Path, name: str, old: str, new: str, said: list[str]
) -> None:
    edit(fleet, name, old, new)
    text = run("notes", "v1.1.0").out
    assert [each for each in said if each not in text] == []


def test_a_stored_version_that_goes_is_migrated_first(fleet: Path) -> None:
    stored = "versions:\n  v1alpha1: {storage: true, schema: {type: object}}\n"
    edit(fleet, OLD_CRD, "versions:\n  v1alpha1: {schema: {type: object}}\n", stored)
    edit(fleet, OLD_CRD, "  v1:\n    storage: true\n", "  v1:\n")
    text = run("notes", "v1.1.0").out
    assert "`greetings.example.com: v1alpha1 goes, v1 stays`" in text
    assert '{"op":"replace","path":"/spec/versions/1/storage","value":true}' in text
    assert """--type=merge -p '{"status":{"storedVersions":["v1"]}}'""" in text


def test_a_crd_that_goes_is_saved_first_and_deleted_last(fleet: Path) -> None:
    (fleet / CRD).unlink()
    before, _, after = run("notes", "v1.1.0").out.partition("### After the upgrade")
    assert "kubectl get greetings.example.com --all-namespaces -o yaml > greetings.example.com.yaml" in before
    assert "kubectl delete crd greetings.example.com" not in before
    assert "kubectl delete crd greetings.example.com" in after


def test_a_kind_that_moves_in_a_patch_is_named_as_such(fleet: Path) -> None:
    edit(fleet, CRD, "group: example.com", "group: example.org")
    for name in ("releases/v1.1.0.yaml", COMPONENT):
        edit(fleet, name, "v1.1.0", "v1.0.1")
    edit(fleet, "releases/v1.1.0.yaml", "records: {tester: v0.2.0}\n", "")
    (fleet / "releases/v1.1.0.yaml").rename(fleet / "releases/v1.0.1.yaml")
    (fleet / "components/hello/v1.1.0").rename(fleet / "components/hello/v1.0.1")
    text = run("notes", "v1.0.1").out
    assert "Save the objects of these kinds, which move to another API group" in text
    assert "- The CRD `greetings.example.org` moved to another API group, in what is a patch." in text
    assert "kubectl get greetings.example.com --all-namespaces" in text
    assert "kubectl delete crd greetings.example.com" in text.partition("### After the upgrade")[2]


def test_every_change_that_is_counted_is_listed(fleet: Path) -> None:
    component = "components/hello/v1.1.0/component.yaml"
    edit(fleet, component, "memory: 64Mi", "memory: 65Mi")
    data = json.loads(run("notes", "v1.1.0", "-o", "json").out)
    text = run("notes", "v1.1.0").out
    # The image and the parameter that it follows are two changes.
    assert "hello-image`" in text and "| hello | " in text
    listed = [*data["cosmetic"]]
    for each in (*data["users"], *data["administrators"]):
        listed += [*each["changes"], *each.get("status", [])]
    found = dict.fromkeys(data["summary"], 0)
    for told in listed:
        found[told["risk"]] += sum(len(said["subjects"]) for said in told["changes"])
    for image in data["images"]:
        found[image["risk"]] += 1
    found["cosmetic"] += sum(len(some["fields"]) for each in data["users"] for some in each["added"])
    assert found == data["summary"]


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 cosmetic changes"), (1, "1 cosmetic change"), (2, "2 cosmetic changes")]
)
def test_one_change_is_no_changes(number: int, words: str) -> None:
    notes = ReleaseNotes(
        **{"release": "v1", "date": None, "since": "v0", "back": False, "patch": False, "matrix": None},
        compared=True,
        summary={"breaking": 0, "security": 0, "behaviour": 0, "cosmetic": number, "accepted": 0},
    )
    assert f"{words}." in render_notes(notes, read_default_template())
