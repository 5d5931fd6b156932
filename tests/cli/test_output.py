"""Every JSON that kitgen prints says which form it has, and has it."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import kits
import pytest
from jsonschema import Draft202012Validator
from running import run

from docs.output_schemas import DOCUMENTS
from kitgen.text import schema_check as schemafiles
from kitgen.text.yaml import JsonObject

CRDS = "hello@v0.9.0", "hello@v1.0.0"
ACCEPTED = """\
- {rule: version-removed, crd: greetings.example.com, path: "", reason: "it is gone"}
- {id: "field-removed:nothing", reason: never mind, expires: "2030-01-31"}
"""
MANIFEST = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dat: 1}"
GREETING = "{apiVersion: example.com/v1, kind: Greeting, metadata: {name: a}, dat: 1}"
QUEUE = "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: a}}"
SOURCE = "    source: {repository: example/hello, ref: main, path: config}\n"
MATRIX = "matrix: {rows: [{label: Hello, of: release}]}\n"
PUBLISHING = "publishing: {images: [{image: quay.io/example/hello, of: release, moving: [stable]}]}\n"
ARGOCD = "argocd: {repository: https://example.com/kit.git}\n"
CLUSTERS = "[{name: a}, {name: b, server: https://b, labels: {kitgen.target: odh}}]"
CASES = {
    "findings": [
        ["check"],
        ["check", "MANIFEST"],
        ["images", "check"],
        ["crd", "validate", "GREETING", "MANIFEST"],
    ],
    "changes": [["crd", "diff", *CRDS], ["crd", "diff", *CRDS, "--exceptions", "ACCEPTED"]],
    "conflicts": [["conflicts", "odh", "rhoai"], ["conflicts", "MANIFEST", "GREETING"]],
    "differences": [
        ["compare", "olm", "MANIFEST"],
        ["compare", "olm", "rhoai"],
        ["compare", "MANIFEST", "GREETING"],
        ["compare", "olm", "olm"],
    ],
    "diff": [
        ["diff", "olm", "rhoai"],
        ["diff", "MANIFEST", "GREETING"],
        ["diff", "olm", "olm"],
        ["diff", "component:hello@v0.9.0", "component:hello@v1.0.0"],
    ],
    "drift": [["drift"], ["drift", "odh", "rhoai"], ["drift", "MANIFEST", "GREETING"]],
    "fleet": [
        ["fleet", "plan", "--clusters", "CLUSTERS"],
        ["fleet", "plan", "--clusters", "CLUSTERS", "--label", "a:kitgen.target=odh"],
    ],
    "health": [["argocd", "health"], ["argocd", "health", "--check", "QUEUE", "--check", "MANIFEST"]],
    "images": [["images", "list"], ["images", "list", "odh", "--release", "v1.0.0"]],
    "kit": [["list"]],
    "matrix": [["matrix"], ["matrix", "--release", "v1.0.0"]],
    "tags": [["tags"], ["tags", "v0.1.0"]],
    "notes": [["notes", "v1.0.0"]],
    "origins": [
        ["why", "odh", "Deployment/hello-manager"],
        ["why", "odh", "Deployment/hello-manager", "spec.replicas"],
    ],
    "plan": [["release", "plan", "v1.0.0"], ["release", "plan", "v0.1.0"]],
    "runbook": [["migrate", "plan", "new-group", "--target", "olm"]],
    "pin": [["pin", "odh", "v1.0.0"], ["pin", "odh", "v0.9.0"], ["pin", "odh", "v0.9.0", "--dry-run"]],
    "permissions": [["rbac", "odh"], ["rbac", "MANIFEST"]],
    "sources": [["sources", "odh"]],
    "spec": [["show", "odh"], ["show", "component:hello@v1.0.0"], ["show", "v1.0.0"]],
}


def told(folder: Path, *args: str) -> JsonObject:
    """Return what a command prints as JSON; words in capitals are files that are made for it."""
    case = "migration" if args[0] == "migrate" else "exceptions"
    root = kits.make_kit(folder / "kit", kits.CASES / "valid" / case)
    older(root / "components/hello")
    kits.write(root, {"releases/v0.9.0.yaml": "release: v0.9.0\ncomponents: {hello: v0.9.0}\n"})
    with (root / "kit.yaml").open("a") as file:
        file.write(f"{MATRIX}{PUBLISHING}fleet: {{}}\n")
    kits.write(root, {"releases/v0.1.0.yaml": "release: v0.1.0\n"})
    target = root / "targets/odh.yaml"
    target.write_text(target.read_text().replace("  hello:\n", f"  hello:\n{SOURCE}") + ARGOCD)
    made = {}
    texts = {"ACCEPTED": ACCEPTED, "MANIFEST": MANIFEST, "GREETING": GREETING, "QUEUE": QUEUE}
    texts |= {"CLUSTERS": CLUSTERS}
    for name, text in texts.items():
        made[name] = str(folder / f"{name}.yaml")
        Path(made[name]).write_text(text)
    given = (made.get(arg, arg) for arg in args)
    data: JsonObject = json.loads(run(*given, "-o", "json", "--root", root).out)
    return data


def older(home: Path) -> None:
    """Add a version from which the newer one takes a version of its CRD away."""
    shutil.copytree(home / "v1.0.0", home / "v0.9.0")
    for name, old, new in (
        ("component.yaml", "version: v1.0.0", "version: v0.9.0"),
        ("crds/greetings.yaml", "versions:\n", "versions:\n  v1alpha1: {schema: {type: object}}\n"),
    ):
        file = home / "v0.9.0" / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))


def test_every_form_has_a_schema() -> None:
    shipped = {
        name.removeprefix("output/") for name in schemafiles.list_schema_names() if name.startswith("output/")
    }
    assert set(CASES) <= set(DOCUMENTS) == shipped


@pytest.mark.parametrize(("form", "args"), [(form, args) for form, each in CASES.items() for args in each])
def test_output_has_the_form_that_it_names(tmp_path: Path, form: str, args: list[str]) -> None:
    data = told(tmp_path, *args)
    assert next(iter(data.items())) == ("schema", f"kitgen/{form}/v1")
    assert [error.message for error in validator(form).iter_errors(data)] == []


@cache
def validator(form: str) -> Draft202012Validator:
    schema = schemafiles.read_schema(f"output/{form}")
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_a_finding_has_the_same_form_wherever_it_is() -> None:
    forms = ("findings", "changes", "drift", "pin")
    first, *others = (schemafiles.read_schema(f"output/{form}")["$defs"]["FindingEntry"] for form in forms)
    assert all(each == first for each in others)


def test_a_change_on_a_cluster_has_the_same_form_wherever_it_is() -> None:
    diff, pin = (schemafiles.read_schema(f"output/{form}")["$defs"] for form in ("diff", "pin"))
    assert {name: pin[name] for name in diff} == diff


def test_changes_carry_their_exceptions(tmp_path: Path) -> None:
    data = told(tmp_path, *CASES["changes"][1])
    assert [(each["reason"], each["expires"], each["stale"]) for each in data["exceptions"]] == [
        ("it is gone", None, False),
        ("never mind", "2030-01-31", True),
    ]
    assert [(each["rule"], each["line"]) for each in data["findings"]] == [("exception-stale", 2)]
    assert data["summary"]["accepted"] == 1
