"""A target is held against every release that it ships, and told apart by them."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import Run, run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a kit with two releases of one component; odh pins the newer one."""
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "two-releases")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def new_feature(root: Path) -> None:
    """Give the newer version a feature that the older one lacks, and turn it on for any version."""
    about = "\n  fresh:\n    about: The older version lacks it\n    objects:\n"
    thing = "    - {apiVersion: v1, kind: ConfigMap, metadata: {name: fresh}}\n"
    newer = root / "components/hello/v1.1.0/component.yaml"
    newer.write_text(newer.read_text().rstrip("\n") + about + thing)
    edit(root / "targets/odh.yaml", "features: [params]", "features: [params, fresh]")


UNKNOWN = (
    "targets/odh.yaml:6 /components/hello/features/1: feature-unknown: hello v1.0.0 has no feature 'fresh' "
    "[in release v1.0.0] (hint: known are params)\n"
)


def test_every_release_is_checked(root: Path) -> None:
    """Two releases of a target are no two objects of one name."""
    assert run("check", "-o", "lines", "--root", root) == Run(
        code=0, out="", err="39 objects in 2 releases, no findings\n"
    )


@pytest.mark.parametrize("names", [[], ["odh"]], ids=["kit", "target"])
def test_a_setting_that_an_older_release_does_not_know(root: Path, names: list[str]) -> None:
    new_feature(root)
    result = run("check", "-o", "lines", "--root", root, *names)
    assert (result.code, result.out) == (1, UNKNOWN)
    assert run("render", "--root", root).code == 0, "render checks what it writes"
    assert run("build", "--root", root, "odh").code == 0
    edit(root / "targets/odh.yaml", "features: [params, fresh]", "features: [params]")
    edit(root / "targets/odh.yaml", "replicas: 3}", "replicas: 3, features: [fresh]}")
    assert run("check", "-o", "lines", "--root", root, *names).code == 0


def test_a_release_narrows_the_check(root: Path) -> None:
    new_feature(root)
    assert run("check", "-o", "lines", "--root", root, "--release", "v1.1.0").code == 0
    assert run("check", "-o", "lines", "--root", root, "odh", "--release", "v1.1.0").code == 0
    assert run("check", "-o", "lines", "--root", root, "--release", "v1.0.0").out == UNKNOWN


def test_a_list_says_what_a_target_ships(root: Path) -> None:
    new_feature(root)
    edit(root / "targets/odh.yaml", "release: v1.1.0", "release: v1.1.0\nreleases: [v1.1.0]")
    assert run("check", "-o", "lines", "--root", root).code == 0
    told = "error: target odh does not ship release v1.0.0 (hint: it ships v1.1.0)\n"
    assert run("check", "-o", "lines", "--root", root, "odh", "--release", "v1.0.0") == Run(
        code=2, out="", err=told
    )
    assert run("check", "-o", "lines", "--root", root, "--release", "v1.0.0").code == 0, "the others ship it"


def test_a_release_that_nobody_ships(root: Path) -> None:
    kits.write(root, {"releases/v2.0.0.yaml": "release: v2.0.0\ncomponents: {other: v1.0.0}\n"})
    kits.write(root, {"components/other/v1.0.0/component.yaml": "component: other\nversion: v1.0.0\n"})
    assert run("check", "-o", "lines", "--root", root).err == "39 objects in 2 releases, no findings\n"
    result = run("check", "-o", "lines", "--root", root, "--release", "v2.0.0")
    told = "error: no target ships release v2.0.0 (hint: a target lists what it ships under releases)\n"
    assert result == Run(code=2, out="", err=told)
    unknown = run("check", "-o", "lines", "--root", root, "--release", "v3.0.0")
    assert (unknown.code, "no release 'v3.0.0' in this kit" in unknown.err) == (2, True)


def test_a_component_that_another_one_carries_need_not_be_named(root: Path) -> None:
    edit(
        root / "components/hello/v1.0.0/component.yaml", "prefix: hello-", "prefix: hello-\ncarries: [extra]"
    )
    kits.write(root, {"components/extra/v1.0.0/component.yaml": "component: extra\nversion: v1.0.0\n"})
    edit(root / "releases/v1.0.0.yaml", "components:", "components:\n  extra: v1.0.0")
    new_feature(root)
    assert run("check", "-o", "lines", "--root", root, "odh").out == UNKNOWN


def test_a_finding_of_all_releases_is_told_once(root: Path) -> None:
    edit(root / "targets/odh.yaml", "replicas: 1", "images: {manager: quay.io/example/hello}")
    result = run("check", "-o", "lines", "--root", root)
    assert result.out.count("image-tag") == 1
    assert "release" not in result.out


def test_a_finding_of_several_releases_names_them(root: Path) -> None:
    for name in ("v0.8.0", "v0.9.0"):
        kits.write(root, {f"releases/{name}.yaml": f"release: {name}\ncomponents: {{hello: v1.0.0}}\n"})
    new_feature(root)
    told = UNKNOWN.replace("release v1.0.0", "releases v0.8.0, v0.9.0 and v1.0.0")
    assert run("check", "-o", "lines", "--root", root).out == told


def test_custom_resources_are_held_to_the_crds_of_a_release(root: Path) -> None:
    """The newer version has no CRD."""
    thing = (
        "{apiVersion: example.com/v1, kind: Greeting, metadata: {name: a, namespace: b}, spec: {wrong: 1}}"
    )
    assert ": field-unknown: " in run("check", "-o", "lines", "--root", root, "-", stdin=thing).out
    assert (
        ": field-unknown: "
        in run("check", "-o", "lines", "--root", root, "-", "--release", "v1.0.0", stdin=thing).out
    )
    assert (
        "warning: kind-unknown: "
        in run("check", "-o", "lines", "--root", root, "-", "--release", "v1.1.0", stdin=thing).out
    )


def test_another_range_of_minors(root: Path) -> None:
    kind = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3, kind: FlowSchema"
    flow = f"{{{kind}, metadata: {{name: a}}, spec: {{priorityLevelConfiguration: {{name: b}}}}}}"
    assert (
        run("check", "-o", "lines", "-", "--root", root, "--kubernetes", ">=1.30 <=1.31", stdin=flow).code
        == 0
    )
    late = run("check", "-o", "lines", "-", "--root", root, "--kubernetes", "1.32", stdin=flow)
    assert (late.code, "is not served by Kubernetes 1.32" in late.out) == (1, True)
    wrong = run("check", "-o", "lines", "--root", root, "--kubernetes", ">=1.30")
    assert (wrong.code, "--kubernetes: found no last minor" in wrong.err) == (2, True)


def test_list_shows_what_a_target_ships(root: Path) -> None:
    def ships() -> list[str]:
        targets = json.loads(run("list", "-o", "json", "--root", root).out)["targets"]
        return next(each["ships"] for each in targets if each["name"] == "odh")

    assert ships() == ["v1.1.0", "v1.0.0"]
    assert "v1.1.0, v1.0.0" in run("list", "--root", root).out
    edit(root / "targets/odh.yaml", "release: v1.1.0\n", "release: v1.1.0\nreleases: [v1.1.0]\n")
    assert ships() == ["v1.1.0"]
