"""A feature is one folder: without it and its rows, all that does not use it stays as it is."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kits import CASES, PROJECT, cases, make_kit
from running import run

from docs.rule_data import COMPILED, compiled
from kitgen.kit.feature_use import find_used_features
from kitgen.workspace.kit import open_kit

FEATURES = ("importing", "olm", "argocd", "images", "release", "migrate")
TABLES = ("app/main.py", "render/outputs.py", "check/table.py")
COMMANDS = (("render",), ("check", "-o", "json"), ("build", "olm"), ("list", "-o", "json"))
RUNNER = """
import json, os, sys
from running import run
code, folder, commands = json.load(sys.stdin)
assert sys.modules["kitgen"].__file__.startswith(code)
found = {}
for kit in folder:
    os.chdir(kit)
    for args in commands:
        done = run(*args)
        found[f"{kit}: {' '.join(args)}"] = [done.code, done.out, done.err]
    for at, _, files in os.walk("overlays"):
        for name in files:
            with open(os.path.join(at, name), encoding="utf-8") as file:
                found[f"{kit}: {at}/{name}"] = file.read()
json.dump(found, sys.stdout)
"""
"""Runs commands in kits, and prints what they print and write."""


class _WithoutRows(ast.NodeTransformer):
    """Take the rows of a feature out of a table: entries that name one of its modules."""

    def __init__(self, feature: str) -> None:
        self.named = f"kitgen.{feature}."

    def _names_it(self, node: ast.expr) -> bool:
        texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
        return any(isinstance(text, str) and text.startswith(self.named) for text in texts)

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        kept = [pair for pair in zip(node.keys, node.values, strict=True) if not self._names_it(pair[1])]
        return ast.Dict([key for key, _ in kept], [value for _, value in kept])

    def visit_Tuple(self, node: ast.Tuple) -> ast.Tuple:
        return ast.Tuple([each for each in node.elts if not self._names_it(each)], node.ctx)


def without(feature: str, folder: Path) -> Path:
    """Copy kitgen without a feature: its folder, its rows and its rules are gone."""
    copy = shutil.copytree(PROJECT / "kitgen", folder / "kitgen")  # with its bytecode: times stay as they are
    shutil.rmtree(copy / feature)
    shutil.copytree(PROJECT / "schemas", folder / "schemas")
    for name in TABLES:
        table = ast.parse((copy / name).read_text())
        (copy / name).write_text(ast.unparse(_WithoutRows(feature).visit(table)))
    (folder / COMPILED).write_text(compiled(folder), encoding="utf-8")
    return folder


def outcomes(code: Path, folders: list[Path], base: Path) -> dict[str, Any]:
    """Run the commands in some kits, of which nothing is rendered, by the code of a folder."""
    for each in (base / "cache", *(folder / "overlays" for folder in folders)):
        shutil.rmtree(each, ignore_errors=True)
    path = os.pathsep.join(map(str, (code, PROJECT / "tests")))
    environment = {**os.environ, "PYTHONPATH": path, "KITGEN_CACHE_DIR": str(base / "cache")}
    given = json.dumps([str(code), [*map(str, folders)], COMMANDS])
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUNNER],
        input=given,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.replace(str(base), ""))
    return found


def used_by(root: Path) -> set[str]:
    """Return the features that a kit uses."""
    migrations = [each.name for each in root.glob("migrations/*")]
    return {feature for feature, _ in find_used_features(open_kit(root).kit, migrations)}


USING = {
    "importing": {},
    "olm": {"olm-bundle": ""},
    "argocd": {"argocd": "", "fleet": ""},
    "images": {"digests": ""},
    "release": {
        "matrix": "matrix: {rows: [{label: Hello, of: hello}]}",
        "publishing": "publishing: {images: [{image: registry.example.com/hello, of: hello}]}",
    },
    "migrate": {"migration": ""},
}
"""Feature → kits that use it: a valid case, or the small kit with a line more in kit.yaml."""


def make_kits(folder: Path, names: list[str]) -> list[Path]:
    """Make the starter and the kits of some cases."""
    assert run("init", folder / "starter").code == 0
    return [folder / "starter", *(make_kit(folder / name, CASES / "valid" / name) for name in names)]


def make_using(folder: Path, feature: str) -> list[Path]:
    """Make the kits that use a feature."""
    made = []
    for name, line in USING[feature].items():
        made.append(make_kit(folder / name, None if line else CASES / "valid" / name))
        with (made[-1] / "kit.yaml").open("a") as file:
            file.write(f"{line}\n")
    return made


def remove(half: int, folder: Path, names: list[str]) -> None:
    """Remove features: kits that do not use one stay the same, others get one finding and no files."""
    uses = {each: used_by(each) for each in make_kits(folder, names)}
    expected = outcomes(PROJECT, [*uses], folder)
    for feature in FEATURES[half::2]:
        same = [each for each, used in uses.items() if feature not in used]
        using = make_using(folder / "using" / feature, feature)
        found = outcomes(without(feature, folder / "without" / feature), [*same, *using], folder)
        unchanged = tuple(f"/{each.name}: " for each in same)
        assert {key: found[key] for key in found if not key.startswith("/using/")} == {
            key: expected[key] for key in expected if key.startswith(unchanged)
        }
        for kit in using:
            name = f"/using/{feature}/{kit.name}"
            checked = json.loads(found[f"{name}: check -o json"][1])["findings"]
            errors = [each for each in checked if each["severity"] == "error" and not each["accepted"]]
            assert [each["rule"] for each in errors] == ["feature-missing"]
            assert f"the feature {feature} " in errors[0]["message"]
            assert found[f"{name}: render"][0] == 1
            assert not (kit / "overlays").exists()


@pytest.mark.parametrize("half", [0, 1])
def test_a_feature_can_be_removed(half: int, tmp_path: Path) -> None:
    remove(half, tmp_path, cases("valid")[half::18])


@pytest.mark.exhaustive
@pytest.mark.parametrize("half", [0, 1])
def test_no_case_of_other_features_changes(half: int, tmp_path: Path) -> None:
    remove(half, tmp_path, cases("valid")[half::2])
