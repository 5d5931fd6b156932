"""A release may be for other minors of Kubernetes than the kit, and a component may run on fewer."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"
RELEASE = "releases/v1.0.0.yaml"
# Served by 1.26 to 1.31, where the small kit is for 1.29 to 1.30.
OLD = """
objects:
- apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
  kind: FlowSchema
  metadata: {name: hello}
  spec: {priorityLevelConfiguration: {name: exempt}}
"""
# Served from 1.29 on.
NEW = OLD.replace("v1beta3", "v1")
LINES = ("check", "-o", "lines")
COMMANDS = (LINES, ("render",), (*LINES, "olm"), ("build", "olm"), ("build", "olm", "hello"))


def kit(folder: Path, more: str, clusters: str = "", release: str = "") -> Path:
    root = kits.make_kit(folder)
    text = (root / COMPONENT).read_text() + more
    head = f'clusters: "{clusters}"\n' if clusters else ""
    said = (root / RELEASE).read_text() + (f'kubernetes: "{release}"\n' if release else "")
    return kits.write(root, {COMPONENT: head + text, RELEASE: said})


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("more", "clusters", "release", "lacking"),
    [
        (OLD, "", "", ""),
        (OLD, "", ">=1.30 <=1.32", "1.32"),
        (OLD, "<=1.31", ">=1.30 <=1.32", ""),
        (NEW, "", ">=1.27 <=1.30", "1.27 to 1.28"),
        (NEW, ">=1.28", ">=1.27 <=1.30", "1.28"),
        (NEW, ">=1.29", ">=1.27 <=1.30", ""),
    ],
)
def test_objects_are_held_against_the_minors_that_all_agree_on(
    command: tuple[str, ...], more: str, clusters: str, release: str, lacking: str, tmp_path: Path
) -> None:
    done = run(*command, "--root", kit(tmp_path, more, clusters, release))
    told = done.out + done.err
    assert ("kubernetes-api" in told, done.code) == (bool(lacking), int(bool(lacking))), told
    assert f"by Kubernetes {lacking} [" in told or not lacking


def test_a_component_by_itself_narrows_the_range_of_the_kit(tmp_path: Path) -> None:
    root = kits.write(
        kit(tmp_path, OLD, "<=1.31"), {"kit.yaml": 'kit: small\nformat: 2\nkubernetes: ">=1.30 <=1.32"\n'}
    )
    assert run("check", "-o", "lines", "component:hello@v1.0.0", "--root", root).code == 0
    root = kit(tmp_path / "all", OLD)
    kits.write(root, {"kit.yaml": 'kit: small\nformat: 2\nkubernetes: ">=1.30 <=1.32"\n'})
    assert "kubernetes-api" in run("check", "-o", "lines", "component:hello@v1.0.0", "--root", root).out


@pytest.mark.parametrize(("asked", "code"), [("1.29", 0), (">=1.31 <=1.32", 1)])
def test_the_command_line_wins(asked: str, code: int, tmp_path: Path) -> None:
    root = kit(tmp_path, OLD, "<=1.31", ">=1.30 <=1.32")
    assert run("check", "-o", "lines", "--kubernetes", asked, "--root", root).code == code


def test_releases_are_held_against_their_own_minors(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid/two-releases")
    newer = "components/hello/v1.1.0/component.yaml"
    kits.write(root, {newer: (root / newer).read_text() + OLD})
    at = root / "releases/v1.1.0.yaml"
    assert run("check", "-o", "lines", "--root", root).code == 0
    kits.write(root, {"releases/v1.1.0.yaml": at.read_text() + 'kubernetes: ">=1.31 <=1.32"\n'})
    checked = run("check", "-o", "lines", "--root", root)
    assert (checked.code, checked.out.count("kubernetes-api")) == (1, 1), checked.out
    assert f"{newer}:" in checked.out


def test_a_release_that_builds_on_another_takes_its_range_over(tmp_path: Path) -> None:
    root = kit(tmp_path, OLD, release=">=1.30 <=1.32")
    kits.write(root, {"releases/v1.0.1.yaml": "release: v1.0.1\nfrom: v1.0.0\n"})
    checked = run("check", "-o", "lines", "release:v1.0.1", "--root", root)
    assert "by Kubernetes 1.32 [" in checked.out


def test_names_that_only_minors_of_a_release_have_are_known(tmp_path: Path) -> None:
    more = "\nwebhooks: {kinds: [flowcontrol.apiserver.k8s.io/v1beta2/FlowSchema]}\n"
    assert "webhook-kind" in run("check", "-o", "lines", "--root", kit(tmp_path / "a", more)).out
    assert (
        "webhook-kind"
        not in run("check", "-o", "lines", "--root", kit(tmp_path / "b", more, release="1.28")).out
    )
