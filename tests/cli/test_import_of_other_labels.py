"""A tree whose objects carry another value of a label: rules for older versions stay theirs."""

from __future__ import annotations

from pathlib import Path

import project
import pytest
from kits import PROJECT
from running import run

from kitgen.pipeline.imports.importing import import_component
from kitgen.pipeline.imports.request import ImportRequest

LABELLED = [
    (target, component)
    for target in project.targets()
    for component, unit in project.units(target).items()
    if unit.labels and len(unit.final) < 40
]


@pytest.mark.parametrize(("target", "component"), LABELLED)
def test_another_value_is_for_the_new_version_alone(target: str, component: str, tmp_path: Path) -> None:
    key, value = next(iter(project.unit(target, component).labels[0].pairs.items()))
    built = run("build", target, component, "--root", PROJECT).out
    real = tmp_path / "real.yaml"
    real.write_text(built.replace(f"{key}: {value}\n", f"{key}: other\n"), encoding="utf-8")
    made = import_component(
        ImportRequest(
            root=PROJECT,
            real=str(real),
            component=component,
            version="v99.0.0",
            targets=((target, str(real)),),
            dry_run=True,
        )
    )
    assert not made.differences
    assert '">=99.0.0"' in made.texts[f"targets/{target}.yaml"]
