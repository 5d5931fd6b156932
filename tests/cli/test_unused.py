"""kitgen list: what a target takes instead, and what nothing reaches."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

HOME = "components/hello"
Found = tuple[str, str, str, int]


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no table be cut to a width."""
    monkeypatch.delenv("COLUMNS", raising=False)


def listed(root: Path) -> list[Found]:
    result = run("list", "--unused", "-o", "json", "--root", root)
    assert (result.code, result.err) == (0, "")
    return [
        (each["kind"], each["name"], each["file"], each["line"]) for each in json.loads(result.out)["unused"]
    ]


def version(number: str, parent: str, more: str = "") -> dict[str, str]:
    text = f"component: hello\nversion: {number}\nfrom: {parent}\n{more}"
    return {f"{HOME}/{number}/component.yaml": text}


def image(number: str) -> str:
    return f"images: {{manager: quay.io/example/hello:{number}}}\n"


def release(name: str, number: str) -> dict[str, str]:
    return {f"releases/{name}.yaml": f"release: {name}\ncomponents: {{hello: {number}}}\n"}


def test_a_kit_that_uses_all_that_it_has(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    result = run("list", "--unused", "--root", root)
    assert (result.code, result.out) == (0, "")
    assert result.err == "a target or a release reaches all that the kit has\n"
    assert run("list", "--unused", "-q", "--root", root).err == ""


def test_versions_that_nothing_takes_or_builds_on(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    chain = {**version("v1.1.0", "v1.0.0", image("v1.1.0")), **version("v1.1.1", "v1.1.0", image("v1.1.1"))}
    kits.write(root, {**chain, **version("v1.1.2", "v1.1.1", image("v1.1.2"))})
    found = [
        ("component", f"hello@{each}", f"{HOME}/{each}/component.yaml", 1)
        for each in ("v1.1.0", "v1.1.1", "v1.1.2")
    ]
    assert listed(root) == found
    kits.write(root, release("v1.1.1", "v1.1.1"))
    assert listed(root) == found[2:]
    shown = run("list", "--unused", "--root", root)
    assert shown.code == 0
    assert shown.out.splitlines()[:2] == [
        "Unused",
        "KIND       NAME          WHERE                                     WHY",
    ]
    assert f"component  hello@v1.1.2  {HOME}/v1.1.2/component.yaml:1  no release, target or" in shown.out


def test_a_version_that_a_target_takes_is_reached_and_listed(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    assert "Overrides" not in run("list", "--root", root).out
    kits.write(root, version("v1.0.1", "v1.0.0", image("v1.0.1")))
    file = root / "targets/olm.yaml"
    override = "[{version: v1.0.1, releases: '>=1.0.0', why: A fix that came late}]"
    file.write_text(f"{file.read_text()}    overrides: {override}\n")
    assert listed(root) == []
    shown = run("list", "--root", root).out
    assert "Overrides\nTARGET  COMPONENT  VERSION  RELEASES  WHY\n" in shown
    assert "olm     hello      v1.0.1   >=1.0.0   A fix that came late\n" in shown
    targets = json.loads(run("list", "-o", "json", "--root", root).out)["targets"]
    own = {"component": "hello", "version": "v1.0.1", "releases": ">=1.0.0", "why": "A fix that came late"}
    assert {each["name"]: each["overrides"] for each in targets} == {"odh": [], "olm": [own], "rhoai": []}


def test_features_and_images_that_no_target_turns_on(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    file = root / f"{HOME}/v1.0.0/component.yaml"
    text = file.read_text().replace("images:\n", "images:\n  sidecar: quay.io/example/side:v1.0.0\n")
    text += "  side:\n    about: A container beside it\n    deployment:\n      containers:\n"
    text += "        side: {image: sidecar, command: [/side]}\n"
    file.write_text(text)
    lines = text.splitlines()
    assert listed(root) == [
        ("feature", "hello@v1.0.0 side", f"{HOME}/v1.0.0/component.yaml", lines.index("  side:") + 1),
        ("image", "hello@v1.0.0 sidecar", f"{HOME}/v1.0.0/component.yaml", lines.index("images:") + 2),
    ]
    # A version that builds on it, and that a target turns it on in, is reason enough.
    kits.write(root, {**version("v1.1.0", "v1.0.0", image("v1.1.0")), **release("v1.1.0", "v1.1.0")})
    target = root / "targets/olm.yaml"
    target.write_text(target.read_text() + "    releases:\n      '>=1.1.0': {features: [side]}\n")
    assert listed(root) == []


def test_releases_bases_and_settings_that_no_target_ships(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    kits.write(root, {**version("v1.1.0", "v1.0.0", image("v1.1.0")), **release("v1.1.0", "v1.1.0")})
    assert listed(root) == []
    for path in (root / "targets").iterdir():
        path.write_text(
            path.read_text().replace("release: v1.0.0\n", "release: v1.0.0\nreleases: [v1.0.0]\n")
        )
    target = root / "targets/olm.yaml"
    target.write_text(f"{target.read_text()}    versions:\n      '>=1.1.0': {{replicas: 2}}\n")
    assert listed(root) == [
        ("release", "v1.1.0", "releases/v1.1.0.yaml", 1),
        ("base", "overlays/base/hello/v1.1.0", f"{HOME}/v1.1.0/component.yaml", 1),
        ("setting", "olm hello >=1.1.0", "targets/olm.yaml", 9),
    ]


def test_crds_that_every_target_does_without(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    for path in (root / "targets").iterdir():
        path.write_text(path.read_text().replace("  hello:\n", "  hello:\n    crds: none\n"))
    found = listed(root)
    assert found == [("base", "overlays/base/hello/v1.0.0/crds", f"{HOME}/v1.0.0/component.yaml", 1)]


def test_a_broken_kit_is_no_answer(tmp_path: Path) -> None:
    root = kits.write(kits.make_kit(tmp_path), release("v1.1.0", "v9.0.0"))
    result = run("list", "--unused", "--root", root)
    assert (result.code, result.out) == (1, "")


def test_patches_and_overrides_for_what_a_target_does_not_ship(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    kits.write(root, {**version("v1.1.0", "v1.0.0", image("v1.1.0")), **release("v1.1.0", "v1.1.0")})
    target = root / "targets/olm.yaml"
    text = target.read_text().replace("release: v1.0.0\n", "release: v1.0.0\nreleases: [v1.0.0]\n")
    text += "    overrides: [{version: v1.0.0, releases: '>=1.1.0', why: An older one}]\n"
    text += "    patches:\n    - name: more\n      why: Because\n      versions: '>=1.1.0'\n"
    text += "      object: Deployment/hello-manager\n      merge: {spec: {replicas: 2}}\n"
    target.write_text(text)
    assert listed(root) == [
        ("setting", "olm hello patch more", "targets/olm.yaml", 10),
        ("setting", "olm hello v1.0.0 for >=1.1.0", "targets/olm.yaml", 8),
    ]
