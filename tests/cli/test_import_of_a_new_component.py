"""A component that the kit does not have comes in for all targets at once; a release may have it later."""

from __future__ import annotations

from pathlib import Path

import kits
import project
import pytest
from kits import PROJECT
from running import run
from some import first

TARGETS = tuple(project.targets())
RELEASE = project.common_release()
OTHERS = list(dict.fromkeys(name for _, name in project.smallest(project.pairs())))


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a kit of one small component, whose targets say nothing of others."""
    root = tmp_path / "kit"
    small = kits.CASES / "kit/components/hello/v1.0.0"
    for path in small.rglob("*"):
        if path.is_file():
            kits.write(root, {f"components/hello/v1.0.0/{path.relative_to(small)}": path.read_text()})
    release = 'release: {}\nkubernetes: ">=1.27 <=1.32"\ncomponents: {{hello: v1.0.0}}\n'
    kits.write(root, {"kit.yaml": 'kit: fresh\nformat: 2\nkubernetes: ">=1.27 <=1.32"\n'})
    kits.write(root, {f"releases/{name}.yaml": release.format(name) for name in ("v1.0.0", "v1.5.0")})
    kits.write(root, {f"targets/{name}.yaml": f"target: {name}\nrelease: v1.0.0\n" for name in TARGETS})
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("component", first(OTHERS))
def test_all_targets_get_what_their_trees_have(component: str, fresh: Path, tmp_path: Path) -> None:
    arguments: list[str] = []
    for target in TARGETS:
        built = run("build", target, component, "--release", RELEASE, "--root", PROJECT)
        (tmp_path / f"{target}.yaml").write_text(built.out)
        arguments += ["--target", f"{target}={tmp_path}/{target}.yaml"]
    main = tmp_path / f"{TARGETS[0]}.yaml"
    made = run("import", main, "--as", f"{component}@v1.5.0", *arguments)
    assert made.out.count("no differences") == len(TARGETS), made.err
    for target in TARGETS:
        assert run("compare", f"{target}/{component}=v1.5.0", tmp_path / f"{target}.yaml").code == 0
    checked = run("check", "-o", "lines")
    assert checked.code == 0
    assert f"component-unreleased: found settings of '{component}'" in checked.err + checked.out
