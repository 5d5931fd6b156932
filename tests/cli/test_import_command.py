"""What people meet when they run `kitgen import`: options, the plan, the summary and the way back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kits
import pytest
from running import run
from some import first

NEW = "components/hello/v1.1.0"
PERMISSION = ("  - list\n", "  - list\n  - patch\n")


@pytest.fixture
def trees(kit: Path, small_trees: dict[str, str]) -> Path:
    """Write what the kit builds beside it: own.yaml and one for each target, with a newer image."""
    for name in ("own", "odh", "olm", "rhoai"):
        Path(f"../{name}.yaml").write_text(small_trees[name].replace("hello:v1.0.0", "hello:v1.1.0"))
    return kit


def edited(name: str, old: str, new: str) -> str:
    """Change one of the trees."""
    path = Path(f"../{name}.yaml")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return str(path)


WRONG = {
    "no name": (["../own.yaml", "--as", "Hello@v1.1.0"], "expected NAME@VERSION"),
    "no version": (["../own.yaml", "--as", "hello@1"], "expected NAME@VERSION"),
    "a path as a name": (["../own.yaml", "--as", "../hello@v1.1.0"], "expected NAME@VERSION"),
    "a line end in a name": (["../own.yaml", "--as", "hello@v1.1.0\n"], "expected NAME@VERSION"),
    "a version that is there": (["../own.yaml", "--as", "hello@v1.0.0"], "the kit has hello@v1.0.0 already"),
    "an older one that is not": (
        ["../own.yaml", "--as", "hello@v1.1.0", "--from", "hello@v0.9.0"],
        "no version of hello 'v0.9.0' in this kit (hint: known are v1.0.0)",
    ),
    "another component": (
        ["../own.yaml", "--as", "hello@v1.1.0", "--from", "bye@v0.9.0"],
        "expected a version of hello, or none",
    ),
    "no older one": (
        ["../own.yaml", "--as", "hello@v1.1.0", "--from", "hello"],
        "expected NAME@VERSION",
    ),
    "no tree of a target": (["../own.yaml", "--as", "hello@v1.1.0", "--target", "odh"], "expected T=REAL"),
    "an empty tree": (["../own.yaml", "--as", "hello@v1.1.0", "--target", "odh="], "expected T=REAL"),
    "a target twice": (
        ["../own.yaml", "--as", "hello@v1.1.0", "--target", "odh=../odh.yaml", "--target", "odh=../olm.yaml"],
        "found --target odh twice",
    ),
    "a source of the kit": (["target:odh", "--as", "hello@v1.1.0"], "expected a folder, a file or -"),
    "a source for a target": (
        ["../own.yaml", "--as", "hello@v1.1.0", "--target", "odh=component:hello@v1.0.0"],
        "expected a folder, a file or -",
    ),
    "a revision": (["git:main:target:odh", "--as", "hello@v1.1.0"], "expected a folder, a file or -"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage_is_told(case: str, trees: Path) -> None:
    args, words = WRONG[case]
    before = kits.contents(trees)
    done = run("import", *args)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert kits.contents(trees) == before


def test_an_unknown_target_is_a_finding(trees: Path) -> None:
    before = kits.contents(trees)
    done = run("import", "../own.yaml", "--as", "hello@v1.1.0", "--target", "oddh=../odh.yaml")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == (
        "kit.yaml:1: reference-missing: found --target 'oddh', expected a target of the kit"
        " (hint: did you mean 'odh'?)"
    )
    assert kits.contents(trees) == before


def test_the_summary(trees: Path) -> None:
    edited("odh", *PERMISSION)
    done = run("import", "path:../odh.yaml", "--as", "hello@v1.1.0")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "hello@v1.1.0 from v1.0.0\n"
        f"  new: {NEW}/component.yaml, 7 lines\n"
        "../odh.yaml as target odh, by its path odh:"
        " 7 objects in both, no differences; 6 of 6 objects from families\n"
        "look at:\n"
        "  changes on a cluster that has v1.0.0:\n"
        "    security (1)\n"
        "      upgrade-permission-gained: somebody may do more\n"
        "        ServiceAccount opendatahub/hello-controller-manager: may patch core/configmaps everywhere\n"
        "    behaviour (2)\n"
        "      ConfigMap: 1 configuration-changed\n"
        "      Deployment: 1 image-changed\n"
    )
    assert run("compare", "odh/hello=v1.1.0", "../odh.yaml").code == 0


def test_a_tree_from_standard_input_may_stand_for_a_target_too(trees: Path) -> None:
    text = Path("../odh.yaml").read_text()
    done = run("import", "-", "--as", "hello@v1.1.0", "--target", "odh=-", stdin=text)
    assert (done.code, done.err) == (0, "")
    assert "- as target odh: 7 objects in both, no differences" in done.out


def test_a_dry_run_prints_all_and_writes_nothing(trees: Path) -> None:
    edited("odh", *PERMISSION)
    before = kits.contents(trees)
    args = ("import", "../own.yaml", "--as", "hello@v1.1.0", "--target", "odh=../odh.yaml")
    planned = run(*args, "--dry-run")
    assert (planned.code, planned.err) == (0, "")
    assert kits.contents(trees) == before
    assert planned.out.startswith(f"==> {NEW}/component.yaml\n# yaml-language-server: ")
    assert "--- targets/odh.yaml\n+++ targets/odh.yaml\n@@ -9,3 +9,6 @@" in planned.out
    assert "  would be new: components/hello/v1.1.0/component.yaml" in planned.out
    done = run(*args)
    assert done.code == 0
    spec = (trees / NEW / "component.yaml").read_text()
    assert spec in planned.out
    # What differs is the tense.
    told = planned.out.partition("\nhello@v1.1.0 from")[2].replace("would be ", "")
    assert told == done.out.removeprefix("hello@v1.1.0 from")


def test_a_dry_run_counts_the_lines_of_crds(trees: Path) -> None:
    done = run("import", "../own.yaml", "--as", "hello@v1.1.0", "--from", "none", "--dry-run")
    assert f"==> {NEW}/crds/greetings.yaml, 16 lines\n\n" in done.out


def test_quietly_says_nothing(trees: Path) -> None:
    done = run("import", "../own.yaml", "--as", "hello@v1.1.0", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("more", first(["", "--from none"]))
def test_the_same_trees_give_the_same_bytes(trees: Path, more: str) -> None:
    targets = ("--target", "odh=../odh.yaml", "--target", "rhoai=../rhoai.yaml")
    args = ("import", "../own.yaml", "--as", "hello@v1.1.0", "--dry-run", *targets)
    found = {
        subprocess.run(
            [sys.executable, "-m", "kitgen", *args, *more.split()],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_the_order_of_objects_does_not_matter(trees: Path) -> None:
    edited("odh", *PERMISSION)
    path = Path("../odh.yaml")
    args = ("import", "../own.yaml", "--as", "hello@v1.1.0", "--dry-run", "--target", "odh=../odh.yaml")
    first = run(*args).out
    path.write_text("---\n".join(reversed(path.read_text().split("---\n"))))
    assert run(*args).out == first
