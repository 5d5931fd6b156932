"""Trees of several targets that differ where specs have one word for all: patches of targets say the rest."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import project
import pytest
from kits import PROJECT

from kitgen.importing.report import render_report
from kitgen.importing.request import ImportRequest, ImportResult
from kitgen.importing.run import import_component
from kitgen.text.yaml import JsonObject, dump_yaml_documents

CRD = "CustomResourceDefinition"
COMPONENT = "kueue"
ONE, OTHER = "olm", "rhoai"


def imported(folder: Path, change: Callable[[JsonObject], None]) -> ImportResult:
    """Import the trees of two targets, of which the second is changed."""
    trees = []
    for target in (ONE, OTHER):
        bodies = [deepcopy(each.body) for each in project.unit(target, COMPONENT).final]
        for body in bodies if target == OTHER else ():
            change(body)
        real = folder / f"{target}.yaml"
        real.write_text(dump_yaml_documents(bodies), encoding="utf-8")
        trees.append((target, str(real)))
    made = import_component(
        ImportRequest(
            root=PROJECT,
            real=trees[0][1],
            component=COMPONENT,
            version="v99.0.0",
            targets=tuple(trees),
            dry_run=True,
        )
    )
    assert not made.difference_count
    return made


@pytest.mark.exhaustive
def test_a_target_may_annotate_crds_in_another_way_and_serve_other_ports(tmp_path: Path) -> None:
    def change(body: JsonObject) -> None:
        if body["kind"] == CRD:
            notes = body["metadata"].setdefault("annotations", {})
            notes["service.beta.openshift.io/inject-cabundle"] = "true"
        if body["kind"] == "Service":
            body["spec"]["ports"] = [{"name": "other", "port": 9999, "protocol": "TCP", "targetPort": 8443}]

    made = imported(tmp_path, change)
    assert made.older == made.asked
    said = made.texts[f"targets/{OTHER}.yaml"]
    crds = [each for each in project.unit(OTHER, COMPONENT).final if each.id.kind == CRD]
    assert said.count(f"object: {CRD}/") - said.count(f"object: {CRD}/*") == len(crds)


@pytest.mark.exhaustive
def test_a_label_that_one_target_lacks_is_left_to_the_others(tmp_path: Path) -> None:
    key = "app.kubernetes.io/name"

    def change(body: JsonObject) -> None:
        if body.get("metadata", {}).get("labels", {}).get(key) == "kueue":
            body["metadata"]["labels"][key] = "queues"

    made = imported(tmp_path, change)
    assert made.older == made.asked
    assert len(made.texts[f"components/{COMPONENT}/v99.0.0/component.yaml"].splitlines()) < 40


@pytest.mark.exhaustive
def test_what_is_too_different_is_written_out(tmp_path: Path) -> None:
    """The configuration that the kit types says another port than the Service asks for."""

    def change(body: JsonObject) -> None:
        if body["metadata"]["name"].endswith("webhook-service"):
            body["spec"]["ports"].append({"name": "more", "port": 9999, "targetPort": 9999})

    made = imported(tmp_path, change)
    assert (made.older, bool(made.asked)) == ("", True)
    assert f"too different to be said as changes of {made.asked}" in render_report(made).splitlines()[0]


@pytest.mark.exhaustive
def test_targets_that_cannot_take_the_version_are_named(tmp_path: Path) -> None:
    """A feature of a target that is not imported patches what is gone."""

    def change(body: JsonObject) -> None:
        if body["kind"] == "Deployment":
            body["spec"]["template"]["spec"]["containers"][0]["name"] = "other"

    made = imported(tmp_path, change)
    assert not made.errors, "it may never take the version"
    (lines,) = [each.lines for each in made.looks if each.title == "what kitgen check will say"]
    assert lines[0].startswith("error: ")
