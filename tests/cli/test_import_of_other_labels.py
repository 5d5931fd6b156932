"""Trees whose objects carry other labels, or are called by another prefix, than the version before says."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import project
import pytest
from kits import PROJECT
from running import run
from some import first

from kitgen.importing.request import ImportRequest, ImportResult
from kitgen.importing.run import import_component
from kitgen.text.yaml import JsonObject, dump_yaml_documents

LABELLED = project.smallest(
    (target, component)
    for target in project.targets()
    for component, unit in project.units(target).items()
    if unit.labels and len(unit.final) < 40
)


@pytest.mark.parametrize(("target", "component"), first(LABELLED))
def test_another_value_is_for_the_new_version_alone(target: str, component: str, tmp_path: Path) -> None:
    key, value = next(iter(project.unit(target, component).labels[0].pairs.items()))
    built = run("build", target, component, "--root", PROJECT).out
    made = imported(built.replace(f"{key}: {value}\n", f"{key}: other\n"), target, component, tmp_path)
    assert '">=99.0.0"' in made.texts[f"targets/{target}.yaml"]


def imported(text: str, target: str, component: str, folder: Path) -> ImportResult:
    """Import a target's tree over the version before; it must come in as changes, without a difference."""
    real = folder / "real.yaml"
    real.write_text(text, encoding="utf-8")
    request = ImportRequest(
        root=PROJECT,
        real=str(real),
        component=component,
        version="v99.0.0",
        targets=((target, str(real)),),
        dry_run=True,
    )
    made = import_component(request)
    assert not made.difference_count
    assert made.older == made.asked != ""
    return made


def changed(target: str, component: str, change: Callable[[JsonObject], None]) -> str:
    """Return what a target builds, with every object changed."""
    bodies = [deepcopy(each.body) for each in project.unit(target, component).final]
    for body in bodies:
        change(body)
    return dump_yaml_documents(bodies)


@pytest.mark.parametrize(("target", "component"), first(LABELLED))
@pytest.mark.parametrize("kind", ["ServiceAccount", "CustomResourceDefinition"])
def test_an_object_without_the_labels_is_left_alone(
    target: str, component: str, kind: str, tmp_path: Path
) -> None:
    names = [each.id.name for each in project.unit(target, component).final if each.id.kind == kind]

    def bare(body: JsonObject) -> None:
        if (body["kind"], body["metadata"]["name"]) == (kind, names[0]):
            body["metadata"].pop("labels")

    made = imported(changed(target, component, bare), target, component, tmp_path)
    texts = [text for path, text in made.texts.items() if path not in made.before or "targets" in path]
    assert sum(text.count(f"object: {kind}/{names[0]}") for text in texts) == 1
    assert sum(text.count("unlabelled: true") for text in texts) == 1


@pytest.mark.parametrize(("target", "component"), first(LABELLED))
def test_a_label_that_is_new_on_all_objects_is_a_rule(target: str, component: str, tmp_path: Path) -> None:
    def more(body: JsonObject) -> None:
        body["metadata"].setdefault("labels", {})["example.com/team"] = "ml"

    made = imported(changed(target, component, more), target, component, tmp_path)
    said = [path for path, text in made.texts.items() if "example.com/team: ml" in text]
    assert said == [f"targets/{target}.yaml"]


@pytest.mark.parametrize(("target", "component"), first(LABELLED))
def test_rules_go_when_no_object_has_labels(target: str, component: str, tmp_path: Path) -> None:
    made = imported(
        changed(target, component, lambda body: body["metadata"].pop("labels", None)),
        target,
        component,
        tmp_path,
    )
    assert '"<99.0.0"' in made.texts.get(f"targets/{target}.yaml", '"<99.0.0"')


@pytest.mark.parametrize("target", first(project.targets()))
def test_a_fork_may_take_another_prefix(target: str, tmp_path: Path) -> None:
    component = "codeflare-operator"
    names = [each.id.name for each in project.unit(target, component).final]
    prefix = project.unit(target, component).context.component.prefix
    text = run("build", target, component, "--root", PROJECT).out
    for name in sorted(filter(lambda each: each.startswith(prefix), names), key=len, reverse=True):
        text = text.replace(f" {name}\n", f" cf-{name.removeprefix(prefix)}\n")
    made = imported(text, target, component, tmp_path)
    spec = made.texts[f"components/{component}/v99.0.0/component.yaml"]
    assert "prefix: cf-\n" in spec
    assert len(made.texts) == 1
    assert spec.count("\n") < 20, "nothing but the prefix, and what the release before says of the target"
