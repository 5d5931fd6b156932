"""A target may take other versions, settings and patches in some releases than in others."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import Json, JsonObject, dump_yaml, read_yaml_documents

IMAGE = "quay.io/example/hello"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return a kit with two releases, each of which builds its own version of the component."""
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid/two-releases")


def with_settings(kit: Path, settings: JsonObject, release: str = "v1.1.0") -> Path:
    spec = {
        "target": "odh",
        "release": release,
        "namespace": "opendatahub",
        "components": {"hello": {"features": ["params"], **settings}},
    }
    return kits.write(kit, {"targets/odh.yaml": dump_yaml(spec)})


def deployment(kit: Path, release: str) -> Json:
    built = run("build", "odh", "--release", release, "--root", kit)
    assert built.code == 0, built.err
    return next(each for each in read_yaml_documents(built.out) if each["kind"] == "Deployment")


def image(kit: Path, release: str) -> str:
    return str(deployment(kit, release)["spec"]["template"]["spec"]["containers"][0]["image"])


def override(version: str, releases: str) -> JsonObject:
    return {"version": version, "releases": releases, "why": "it ships that"}


@pytest.mark.parametrize(
    ("overrides", "want"),
    [
        ([override("v1.0.0", ">=1.1.0")], {"v1.0.0": "v1.0.0", "v1.1.0": "v1.0.0"}),
        ([override("v1.1.0", "<1.1.0")], {"v1.0.0": "v1.1.0", "v1.1.0": "v1.1.0"}),
        (
            [override("v1.1.0", "1.0.0"), override("v1.0.0", "1.1.0")],
            {"v1.0.0": "v1.1.0", "v1.1.0": "v1.0.0"},
        ),
        # The last one that fits counts.
        ([override("v1.0.0", "*"), override("v1.1.0", "1.0.0")], {"v1.0.0": "v1.1.0", "v1.1.0": "v1.0.0"}),
    ],
)
def test_a_target_takes_another_version_in_some_releases(
    kit: Path, overrides: list[Json], want: dict[str, str]
) -> None:
    with_settings(kit, {"overrides": overrides})
    assert {release: image(kit, release) for release in want} == {
        release: f"{IMAGE}:{version}" for release, version in want.items()
    }
    assert run("check", "-o", "lines", "--root", kit).code == 0
    assert run("render", "--root", kit).code == 0
    text = (kit / "overlays/odh/hello/kustomization.yaml").read_text()
    assert f"../../base/hello/{want['v1.1.0']}\n" in text


def test_other_targets_stay_with_the_release(kit: Path) -> None:
    assert run("render", "--root", kit).code == 0
    before = kits.contents(kit / "overlays/olm")
    with_settings(kit, {"overrides": [override("v1.0.0", "1.1.0")]})
    assert run("render", "--root", kit).code == 0
    assert kits.contents(kit / "overlays/olm") == before


def test_settings_of_versions_follow_the_version_that_is_taken(kit: Path) -> None:
    settings = {"versions": {"<1.1.0": {"replicas": 5}}, "overrides": [override("v1.0.0", "1.1.0")]}
    assert deployment(with_settings(kit, settings), "v1.1.0")["spec"]["replicas"] == 5


@pytest.mark.parametrize(
    ("settings", "want"),
    [
        ({"releases": {"<1.1.0": {"replicas": 5}}}, (5, 1)),
        ({"replicas": 2, "releases": {">=1.1.0": {"replicas": 3}}}, (2, 3)),
        # What is said of releases is laid over what is said of versions.
        ({"releases": {"*": {"replicas": 3}}, "versions": {"*": {"replicas": 2}}}, (3, 3)),
        ({"releases": {"*": {"replicas": 3}, "1.1.0": {"replicas": 4}}}, (3, 4)),
    ],
)
def test_settings_for_releases(kit: Path, settings: JsonObject, want: tuple[int, int]) -> None:
    with_settings(kit, settings)
    assert run("check", "-o", "lines", "--root", kit).code == 0
    found = [deployment(kit, release)["spec"]["replicas"] for release in ("v1.0.0", "v1.1.0")]
    assert tuple(found) == want


def test_two_releases_of_one_version_differ_in_a_field(kit: Path) -> None:
    kits.write(kit, {"releases/v1.2.0.yaml": "release: v1.2.0\nfrom: v1.1.0\n"})
    patch = {
        "name": "slow",
        "why": "it is slow there",
        "releases": ">1.1.0",
        "object": "Deployment/hello-manager",
        "merge": {"spec": {"minReadySeconds": 9}},
    }
    with_settings(kit, {"patches": [patch], "releases": {">1.1.0": {"env": {"manager": {"A": "b"}}}}})
    assert run("check", "-o", "lines", "--root", kit).code == 0
    before, after = deployment(kit, "v1.1.0"), deployment(kit, "v1.2.0")
    assert "minReadySeconds" not in before["spec"]
    assert after["spec"].pop("minReadySeconds") == 9
    assert after["spec"]["template"]["spec"]["containers"][0].pop("env") == [{"name": "A", "value": "b"}]
    assert after == before


def test_why_leads_to_the_block_of_the_release(kit: Path) -> None:
    with_settings(kit, {"releases": {">=1.1.0": {"replicas": 3}}})
    told = run("why", "odh", "Deployment/hello-manager", "/spec/replicas", "-o", "json", "--root", kit)
    assert "/components/hello/releases/>=1.1.0/replicas" in json.dumps(json.loads(told.out))
    elsewhere = ("why", "odh", "Deployment/hello-manager", "/spec/replicas", "--release", "v1.0.0")
    assert "releases" not in run(*elsewhere, "--root", kit).out


@pytest.mark.parametrize("key", ["versions", "releases"])
@pytest.mark.parametrize("wanted", ["later", ">=", ">=1.0.0 <", "1.0.0 and 1.1.0"])
def test_a_range_that_cannot_be_read(kit: Path, key: str, wanted: str) -> None:
    checked = run("check", "-o", "lines", "--root", with_settings(kit, {key: {wanted: {"replicas": 2}}}))
    assert (checked.code, "version-range" in checked.out) == (1, True), checked.out
    assert not (kit / "overlays").exists()
    assert run("render", "--root", kit).code == 1
    assert not (kit / "overlays").exists()


@pytest.mark.parametrize("key", ["versions", "releases"])
def test_a_range_that_nothing_is_in(kit: Path, key: str) -> None:
    checked = run("check", "-o", "lines", "--root", with_settings(kit, {key: {">=9.0.0": {"replicas": 2}}}))
    assert (checked.code, checked.out.count("setting-unused")) == (1, 1), checked.out
    assert f"/components/hello/{key}/>=9.0.0:" in checked.out


@pytest.mark.parametrize("key", ["versions", "releases"])
def test_a_release_of_which_nothing_is_managed_is_not_shipped(kit: Path, key: str) -> None:
    with_settings(kit, {key: {"<1.1.0": {"managementState": "Unmanaged"}}})
    told = json.loads(run("list", "-o", "json", "--root", kit).out)
    assert {each["name"]: each["ships"] for each in told["targets"]}["odh"] == ["v1.1.0"]
