"""Every JSON that kitgen prints says which form it has, and has it."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from jsonschema import Draft202012Validator
from running import run

from kitgen.report import Form
from kitgen.schema import files as schemafiles
from kitgen.yamlio import JsonObject

CRDS = "codeflare-operator@v1.0.0", "appwrapper@v0.20.2"
ACCEPTED = """\
- {rule: version-removed, crd: appwrappers.workload.codeflare.dev, path: "", reason: "it is gone"}
- {id: "field-removed:nothing", reason: never mind, expires: "2030-01-31"}
"""
MANIFEST = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dat: 1}"
GREETING = "{apiVersion: example.com/v1, kind: Greeting, metadata: {name: a}, dat: 1}"
CASES = {
    "findings": [
        ["check", "--root", "KIT"],
        ["check", "MANIFEST", "--root", "KIT"],
        ["crd", "validate", "GREETING", "MANIFEST", "--root", "KIT"],
    ],
    "changes": [["crd", "diff", *CRDS], ["crd", "diff", *CRDS, "--exceptions", "ACCEPTED"]],
    "differences": [
        ["compare", "olm", "MANIFEST", "--root", "KIT"],
        ["compare", "olm", "rhoai", "--root", "KIT"],
        ["compare", "MANIFEST", "GREETING"],
        ["compare", "olm", "olm", "--root", "KIT"],
    ],
    "kit": [["list"], ["list", "--root", "KIT"]],
    "unused": [["list", "--unused"], ["list", "--unused", "--root", "KIT"]],
    "origins": [
        ["why", "odh", "Deployment/kueue-controller-manager"],
        ["why", "odh", "Deployment/kueue-controller-manager", "spec.replicas"],
    ],
    "spec": [["show", "odh"], ["show", "component:kueue@v0.7.0"], ["show", "v1.0.0", "--root", "KIT"]],
}


def told(folder: Path, *args: str) -> JsonObject:
    """Return what a command prints as JSON; words in capitals are files that are made for it."""
    made = {"KIT": str(kits.make_kit(folder / "kit", kits.CASES / "valid" / "exceptions"))}
    for name, text in (("ACCEPTED", ACCEPTED), ("MANIFEST", MANIFEST), ("GREETING", GREETING)):
        made[name] = str(folder / f"{name}.yaml")
        Path(made[name]).write_text(text)
    data: JsonObject = json.loads(run(*(made.get(arg, arg) for arg in args), "-o", "json").out)
    return data


def test_every_form_has_a_schema_and_a_case() -> None:
    shipped = {name.removeprefix("output/") for name in schemafiles.names() if name.startswith("output/")}
    assert set(Form) == set(CASES) == shipped


@pytest.mark.parametrize(("form", "args"), [(form, args) for form, each in CASES.items() for args in each])
def test_output_has_the_form_that_it_names(tmp_path: Path, form: str, args: list[str]) -> None:
    data = told(tmp_path, *args)
    assert next(iter(data.items())) == ("schema", f"kitgen/{form}/v1")
    schema = schemafiles.schema(f"output/{form}")
    Draft202012Validator.check_schema(schema)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []


def test_a_finding_has_the_same_form_wherever_it_is() -> None:
    schemas = [schemafiles.schema(f"output/{form}") for form in (Form.FINDINGS, Form.CHANGES)]
    assert schemas[0]["$defs"]["finding"] == schemas[1]["$defs"]["finding"]


def test_changes_carry_their_exceptions(tmp_path: Path) -> None:
    data = told(tmp_path, *CASES["changes"][1])
    assert [(each["reason"], each["expires"], each["stale"]) for each in data["exceptions"]] == [
        ("it is gone", None, False),
        ("never mind", "2030-01-31", True),
    ]
    assert [(each["rule"], each["line"]) for each in data["findings"]] == [("exception-stale", 2)]
    assert data["summary"]["accepted"] == 1
