"""What the kit builds, imported as the next version, changes nothing."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from pathlib import Path

import project
import pytest
from kits import PROJECT
from running import run
from some import first

from kitgen.importing.request import ImportRequest
from kitgen.importing.run import import_component
from kitgen.kit.model import Component
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import read_yaml
from kitgen.workspace.kit import OpenedKit


def following(version: str, known: Collection[str]) -> str:
    """Return the next version that is not there: near enough to get the same settings."""
    start, _, last = version.rpartition(".")
    return next(each for number in count(int(last) + 1) if (each := f"{start}.{number}") not in known)


@pytest.mark.parametrize(("target", "component"), first(project.smallest(project.pairs())))
def test_a_target_gives_nothing_but_a_version(
    target: str, component: str, tmp_path: Path, opened: OpenedKit
) -> None:
    real = tmp_path / "real.yaml"
    built = run("build", target, component, "--root", PROJECT)
    assert built.code == 0
    real.write_text(built.out, encoding="utf-8")
    chosen = opened.target(target)
    version = chosen.component_versions(opened.release(chosen, None))[component]
    new = following(version, opened.kit.components[component])
    made = import_component(
        ImportRequest(
            root=PROJECT,
            real=str(real),
            component=component,
            version=new,
            older=version,
            targets=((target, str(real)),),
            dry_run=True,
        )
    )
    assert not made.difference_count
    spec = f"components/{component}/{new}/component.yaml"
    assert read_yaml(made.texts[spec]) == {"version": new, "from": version}
    assert list(made.texts) == [spec]


def versions() -> list[tuple[str, str]]:
    """Return every version of a component that is whole by itself: Kueue's labels are its targets'."""
    opened = project.project()
    return [
        (name, version)
        for name, some in sorted(opened.kit.components.items())
        for version, component in some.items()
        if all("selector" in each.body["spec"] for each in deployments(opened, component))
    ]


def deployments(opened: OpenedKit, component: Component) -> list[Manifest]:
    return [each for each in opened.session.compile_alone(component).final if each.id.kind == "Deployment"]


@pytest.mark.parametrize(("component", "version"), first(versions()))
def test_a_component_by_itself_gives_nothing_but_a_version(
    component: str, version: str, tmp_path: Path, opened: OpenedKit
) -> None:
    real = tmp_path / "real.yaml"
    real.write_text(run("build", f"component:{component}@{version}", "--root", PROJECT).out)
    new = following(version, opened.kit.components[component])
    request = ImportRequest(
        root=PROJECT, real=str(real), component=component, version=new, older=version, dry_run=True
    )
    made = import_component(request)
    assert not made.difference_count
    texts = {path: read_yaml(text) for path, text in made.texts.items()}
    assert texts == {f"{request.folder}/component.yaml": {"version": new, "from": version}}
