"""An export of any release is what that release builds, and stands by itself."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import kits
import normal
import project
import pytest
import routes
from running import run
from some import first

from kitgen.files import programs
from kitgen.render.outputs import render_output
from kitgen.text.yaml import read_yaml
from kitgen.workspace.kit import OpenedKit

each = pytest.mark.parametrize(("target", "release"), project.ships())
needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)


def exported(folder: Path) -> dict[str, str]:
    own = (".kitgen/",)
    found = kits.contents(folder).items()
    return {name: text.decode() for name, (text, _) in found if not name.startswith(own)}


@pytest.mark.parametrize(("target", "release"), first(project.ships(), 2))
def test_the_command_writes_the_release(opened: OpenedKit, tmp_path: Path, target: str, release: str) -> None:
    done = run("export", target, tmp_path / "out", "--release", release, "--root", kits.PROJECT)
    assert (done.code, done.out) == (0, ""), done.err
    plan = opened.plan(opened.target(target), release)
    assert exported(tmp_path / "out") == render_output("odh", [plan])
    if release == opened.target(target).release:
        assert run("export", target, tmp_path / "out", "--root", kits.PROJECT).err.endswith(": 0 changed\n")


@each
def test_every_folder_is_whole(opened: OpenedKit, target: str, release: str) -> None:
    tree = render_output("odh", [opened.plan(opened.target(target), release)])
    named = set()
    for path, text in tree.items():
        if path.endswith("kustomization.yaml"):
            data, here = read_yaml(text), PurePosixPath(path).parent
            for name in (*data.get("resources", ()), *(patch["path"] for patch in data.get("patches", ()))):
                place = _plain(here / name)
                assert place.split("/")[0] == path.split("/")[0], "a path leaves the component's folder"
                assert place in tree or f"{place}/kustomization.yaml" in tree
                named.add(place)
    beside = ("kustomization.yaml", "params.env", "component_metadata.yaml")
    objects = {path for path in tree if not path.endswith(beside)}
    assert objects <= named


def _plain(path: PurePosixPath) -> str:
    steps: list[str] = []
    for step in path.parts:
        steps = steps[:-1] if step == ".." else [*steps, step]
    return "/".join(steps)


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize(("target", "release"), first(project.ships()))
def test_kustomize_builds_the_release_from_it(
    opened: OpenedKit, tmp_path: Path, target: str, release: str
) -> None:
    plan = opened.plan(opened.target(target), release)
    folder = routes.written(render_output("odh", [plan]), tmp_path)
    pinned = release == opened.target(target).release
    for unit in plan.units:
        export = unit.context.settings.export
        if export is None:
            continue
        place = folder / export.folder / export.build
        if pinned:  # other tests build its CRDs, which take kustomize seconds
            _without_crds(place / "kustomization.yaml")
        want = routes.built(opened, target, unit.context.component.name, release)
        want = [body for body in want if not pinned or body["kind"] != "CustomResourceDefinition"]
        assert normal.differing(normal.by_key(routes.kustomized(place)), normal.by_key(want)) == []


def _without_crds(file: Path) -> None:
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if "../crds/" not in line))


def test_components_of_another_release_may_not_share_a_folder(tmp_path: Path) -> None:
    case = kits.CASES / "valid/two-releases"
    root = kits.make_kit(tmp_path / "kit", case)
    component = (root / "components/hello/v1.0.0/component.yaml").read_text()
    target = "target: odh\nrelease: v1.0.0\nreleases: [v1.0.0]\ncomponents:\n"
    for name in ("hello", "other"):
        target += f"  {name}:\n    export: {{folder: same, build: default}}\n"
    release = "release: v3.0.0\ncomponents: {hello: v1.0.0, other: v1.0.0}\n"
    kits.write(
        root,
        {
            "components/other/v1.0.0/component.yaml": component.replace(
                "component: hello", "component: other"
            ),
            "targets/odh.yaml": target,
            "releases/v3.0.0.yaml": release,
        },
    )
    out = tmp_path / "out"
    assert run("export", "odh", out, "--root", root).code == 0
    told = run("export", "odh", tmp_path / "other", "--release", "v3.0.0", "--root", root)
    assert (told.code, (tmp_path / "other").exists()) == (1, False)
    assert "targets/odh.yaml:8 /components/other/export/folder: name-taken: found 'same'" in told.err


def test_a_release_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit")
    told = run("export", "odh", tmp_path / "out", "--release", "v9.9.9", "--root", root)
    assert (told.code, told.out, (tmp_path / "out").exists()) == (2, "", False)
    assert told.err.startswith("error: no release 'v9.9.9' in this kit (hint: ")
