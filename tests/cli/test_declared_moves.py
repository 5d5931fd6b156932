"""A move that a migration declares is told as one, by all that compare; one that nobody declares is not."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.yamlio import JsonObject

CASE = kits.CASES / "valid" / "migration"
OLD, NEW = "greetings.example.com", "greetings.greetings.example.org"
SAID = f"{OLD} moves to {NEW} (migrations/new-group.yaml)"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    root = kits.make_kit(tmp_path / "kit", CASE)
    target = root / "targets/olm.yaml"
    target.write_text(target.read_text().replace("release: v1.0.0", "release: v2.0.0"))
    return root


def undeclare(kit: Path) -> None:
    (kit / "migrations/new-group.yaml").unlink()


def upgraded(kit: Path, baseline: str) -> dict[str, JsonObject]:
    """Return what an upgrade of CRDs breaks, by rule."""
    found = run("check", "olm", "--baseline", baseline, "-o", "json", "--root", kit)
    return {
        each["rule"]: each
        for each in json.loads(found.out)["findings"]
        if "CustomResourceDefinition" in each["subject"]
    }


def test_crd_diff_tells_the_move(kit: Path) -> None:
    args = ["crd", "diff", "target:olm@v1.0.0", "target:olm@v2.0.0", "--root", kit]
    found = run(*args)
    assert (found.code, SAID in found.out, "crd-removed" in found.out) == (0, True, False)
    undeclare(kit)
    assert run(*args).code == 1


def test_a_crd_that_goes_while_the_new_one_stays_has_moved(kit: Path) -> None:
    args = ["crd", "diff", "target:olm@v1.1.0", "target:olm@v2.0.0", "--root", kit]
    found = run(*args)
    assert (found.code, SAID in found.out) == (0, True)
    undeclare(kit)
    assert run(*args).code == 1


@pytest.mark.parametrize("before", ["v1.0.0", "v1.1.0"])
def test_diff_tells_the_move(kit: Path, before: str) -> None:
    args = ["diff", f"target:olm@{before}", "target:olm@v2.0.0", "-o", "json", "--root", kit]
    changes = {each["rule"]: each for each in json.loads(run(*args).out)["changes"]}
    assert changes["crd-moved-declared"]["message"] == SAID
    assert not {"crd-removed", "crd-added", "crd-moved"} & changes.keys()
    undeclare(kit)
    again = {each["rule"] for each in json.loads(run(*args).out)["changes"]}
    assert again & {"crd-removed", "crd-moved"}


@pytest.mark.parametrize("baseline", ["v1.0.0", "v1.1.0"])
def test_an_upgrade_over_a_declared_move_is_accepted(kit: Path, baseline: str) -> None:
    found = upgraded(kit, baseline)
    assert {each["accepted"] for each in found.values()} == {"declared in migrations/new-group.yaml"}
    assert "upgrade-group" in found
    undeclare(kit)
    bare = upgraded(kit, baseline)
    assert bare
    assert not any(each["accepted"] for each in bare.values())


def test_a_declared_kind_that_just_goes_is_not(kit: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.yaml"
    there.write_text(run("build", "olm", "--release", "v1.0.0", "--root", kit).out)
    now = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}"
    found = run("check", "-", "--baseline", there, "-o", "json", "--root", kit, stdin=now)
    (lost,) = [each for each in json.loads(found.out)["findings"] if OLD in each["subject"]]
    assert (found.code, lost["rule"], lost["accepted"]) == (1, "upgrade-data", None)
