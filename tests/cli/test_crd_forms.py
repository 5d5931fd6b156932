"""Features that change CRDs: every command sees the form that a target has."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.workspace.kit import open_kit

NOTE = "apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: a}\nspec: {text: hi, note: kept}\n"
OPENING = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/opening/properties/note"
GREETINGS = "CustomResourceDefinition/greetings.example.com"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "features-of-crds")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("hello@v1.0.0", None),
        ("target:olm/hello", None),
        ("target:odh/hello", "max-length=100"),
        ("target:rhoai/hello", "max-length=10"),
    ],
)
def test_crd_commands_show_the_form_of_a_target(
    root: Path, tmp_path: Path, source: str, found: str | None
) -> None:
    outline = run("crd", "outline", source, "--root", root).out
    assert [
        line.split()[-1] for line in outline.splitlines() if ".spec.note" in line and "column" not in line
    ] == ([found] if found else [])
    kits.write(tmp_path, {"note.yaml": NOTE})
    checked = run("crd", "validate", tmp_path / "note.yaml", "--crds", source, "--root", root)
    assert (checked.code, "field-unknown" in checked.out) == ((0, False) if found else (1, True))


def test_why_leads_to_the_feature_and_to_what_turned_it_on(root: Path) -> None:
    told = run("why", "rhoai", GREETINGS, "note.maxLength", "--root", root).out
    places = [line.split(": ")[0] for line in told.splitlines()[-4:]]
    component, target = "components/hello/v1.0.0/component.yaml", "targets/rhoai.yaml"
    assert places == [
        f"{target}:6 /components/hello/features/1",
        f"{component}:49 /features/notes/crds/greetings/$add/v1~1spec.note/maxLength",
        f"{target}:6 /components/hello/features/0",
        f"{component}:56 /features/short-notes/crds/greetings.example.com/$set/v1~1spec.note#maxLength",
    ]
    # What uses a part of another CRD leads to the change of that one, and a carried CRD to its own component.
    told = run("why", "odh", "CustomResourceDefinition/songs.example.com", OPENING, "--root", root).out
    assert "/features/notes/crds/greetings/$add/v1~1spec.note: " in told
    told = run("why", "odh", "CustomResourceDefinition/words.example.com", "--root", root).out
    assert "targets/odh.yaml:7 /components/words/features/0: " in told


def test_what_features_change_in_crds_is_declared_drift(root: Path) -> None:
    told = run("drift", "olm", "odh", "--root", root).out
    assert "CustomResourceDefinition" not in told
    assert "declared: The fork keeps notes beside a greeting" in told


@pytest.mark.parametrize("place", ["beside", "bundle", "none"])
@pytest.mark.parametrize("features", ["[notes, kept]", "[kept]"])
def test_custom_resources_of_a_target_are_validated_against_its_form(
    root: Path, place: str, features: str
) -> None:
    first = NOTE.replace("\n", "\n      ")
    kept = f"  kept:\n    about: A first greeting\n    objects:\n    - {first}\n"
    component = root / "components/hello/v1.0.0/component.yaml"
    component.write_text(component.read_text() + kept)
    text = f"target: odh\nrelease: v1.0.0\ncomponents:\n  hello: {{crds: {place}, features: {features}}}\n"
    kits.write(root, {"targets/odh.yaml": text})
    checked = run("check", "-o", "lines", "--root", root)
    assert ("field-unknown" in checked.out) is ("notes" not in features), checked.out


def test_targets_share_what_they_have_alike(root: Path) -> None:
    again = (root / "targets/odh.yaml").read_text().replace("target: odh", "target: other")
    kits.write(root, {"targets/other.yaml": again})
    opened = open_kit(root)
    odh, other, olm, rhoai = (
        {crd.id.name: crd for crd in opened.plan(opened.target(name)).crds}
        for name in ("odh", "other", "olm", "rhoai")
    )
    assert all(odh[name] is crd for name, crd in other.items())
    assert odh["words.example.com"] is not olm["words.example.com"] is rhoai["words.example.com"]


def test_a_version_builds_on_what_features_change(root: Path) -> None:
    kits.write(
        root,
        {
            "components/hello/v1.1.0/component.yaml": (
                "version: v1.1.0\nfrom: v1.0.0\nimages: {manager: quay.io/example/hello:v1.1.0}\n"
                "features: {notes: {crds: {greetings: {$add: {v1/spec.note: {maxLength: 50}}}}}}\n"
                "remove:\n- /features/notes/crds/greetings/$add/v1/spec.tolerations[].key#maxLength\n"
            ),
            "releases/v1.1.0.yaml": "release: v1.1.0\nfrom: v1.0.0\ncomponents: {hello: v1.1.0}\n",
            "targets/odh.yaml": (
                "target: odh\nrelease: v1.1.0\nreleases: [v1.1.0, v1.0.0]\ncomponents:\n"
                '  hello: {versions: {">=1.1.0": {features: [notes]}}}\n'
            ),
        },
    )
    assert run("check", "--root", root).code == 0
    built = run("build", "odh", "--root", root).out
    assert built.count("maxLength: 50") == 3
    assert "maxLength: 63" not in built
    assert "note:" not in run("build", "odh@v1.0.0", "--root", root).out
    run("flatten", "hello@v1.1.0", "--root", root)
    assert run("build", "odh", "--root", root).out == built


def test_a_feature_may_undo_what_another_one_adds(root: Path) -> None:
    fewer = (
        "  fewer:\n    about: The fork has one version\n    crds:\n      songs:\n"
        "        $remove: [v1]\n        $set: {v1beta1: {storage: true, schema: {type: object}}}\n"
    )
    component, target = root / "components/hello/v1.0.0/component.yaml", root / "targets/odh.yaml"
    component.write_text(component.read_text() + fewer)
    target.write_text(target.read_text().replace("[notes]", "[notes, fewer]"))
    assert run("check", "--root", root).code == 0
    told = run(
        "why", "odh", "CustomResourceDefinition/songs.example.com", "/spec/versions", "--root", root
    ).out
    assert '"v1beta1"' in told.splitlines()[0]
    assert "/features/fewer/crds/songs/$remove/0: " in told


def test_a_bundle_may_turn_a_feature_on_by_itself(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "olm-bundle")
    notes = "  notes: {about: Notes are kept, crds: {greetings: {$add: {v1/spec.note: {type: string}}}}}\n"
    component, target = root / "components/hello/v1.0.0/component.yaml", root / "targets/olm.yaml"
    component.write_text(component.read_text() + notes)
    target.write_text(target.read_text().replace("settings: {", "settings: {features: [notes], "))
    assert run("render", "--root", root).code == 0
    having = [path for path in (root / "overlays").rglob("*.yaml") if "note:" in path.read_text()]
    assert having == [root / "overlays/olm/bundle/manifests/example.com_greetings.yaml"]


def test_a_review_leads_to_the_feature_behind_a_change(root: Path) -> None:
    out = run("diff", "target:olm/hello", "target:odh/hello", "--all", "--root", root).out
    assert out.count(".example.com v1") == 4
    assert "/crds/" not in "".join(out.split())
