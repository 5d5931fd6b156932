"""kitgen tags shows the images of a release with the tags that the process gives them."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest
from running import run
from some import first


@pytest.fixture
def kit(tmp_path: Path, published: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit that says how it is published the current folder."""
    root = shutil.copytree(published, tmp_path / "kit")
    monkeypatch.chdir(root)
    return root


def another(kit: Path, name: str, more: str = "") -> None:
    (kit / f"releases/{name}.yaml").write_text(
        f"release: {name}\ncomponents: {{hello: v1.0.0}}\nrecords: {{tester: v0.3.0}}\n{more}"
    )


def images(*args: str) -> dict[str, dict[str, object]]:
    done = run("tags", *args, "-o", "json")
    assert done.code == 0, done.err
    found = reversed(json.loads(done.out)["images"])  # those that come out are first
    return {each["image"]: each for each in found}


def test_what_comes_out_and_what_is_run(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = images()
    bundled = found["quay.io/example/hello-bundled"]
    assert (bundled["tag"], bundled["moving"], bundled["runBy"]) == (
        "v1.0.0",
        ["stable", "dev"],
        ["olm/bundle"],
    )
    own = found["quay.io/example/hello"]
    assert (own["moving"], own["stable"]) == ([], None)
    assert own["runBy"] == ["odh/hello", "olm/hello", "rhoai/hello"]
    tester = found["quay.io/example/tester"]
    assert (tester["tag"], tester["of"]) == ("release-v0.2.0", {"name": "tester", "version": "v0.2.0"})
    monkeypatch.setenv("COLUMNS", "200")
    assert run("tags").out.splitlines()[1].split() == [
        *("quay.io/example/hello-bundled", "v1.0.0", "stable,", "dev", "release", "v1.0.0", "olm/bundle")
    ]


def test_stable_tags_move(kit: Path) -> None:
    names = ("quay.io/example/hello-bundled", "v1.0.0"), ("quay.io/example/tester", "release-v0.2.0")
    found = images("v1.0.0")
    for image, tag in names:
        assert found[image]["stable"] == {"from": f"{image}:{tag}", "to": f"{image}:stable"}


def test_a_prerelease_never_is_stable(kit: Path) -> None:
    another(kit, "v1.1.0-rc.1")
    assert {name: each["moving"] for name, each in images().items() if each["of"]} == {
        "quay.io/example/hello-bundled": ["dev"],
        "quay.io/example/hello": [],
        "quay.io/example/tester": [],
    }
    assert images("v1.0.0")["quay.io/example/tester"]["stable"] is not None  # it stays where it was


def test_stable_never_goes_back(kit: Path) -> None:
    another(kit, "v1.1.0")
    assert images("v1.0.0")["quay.io/example/tester"]["newer"] is None  # nobody says that it is out
    another(kit, "v1.1.0", "date: '2030-01-31'\n")
    found = images("v1.0.0")["quay.io/example/tester"]
    assert (found["moving"], found["stable"], found["newer"]) == (["stable"], None, "v1.1.0")


def test_a_release_that_only_records(kit: Path) -> None:
    (kit / "releases/v0.5.0.yaml").write_text("release: v0.5.0\nrecords: {tester: v0.1.0}\n")
    assert images("v0.5.0")["quay.io/example/tester"]["tag"] == "release-v0.1.0"


def test_bad_input(kit: Path) -> None:
    unknown = run("tags", "v1.0.1")
    assert (unknown.code, "did you mean 'v1.0.0'?" in unknown.err) == (2, True)
    text = (kit / "kit.yaml").read_text()
    (kit / "kit.yaml").write_text(text.replace("release-{{ version }}", "{{ numbr }}{{ version }}"))
    wrong = run("tags")
    assert (wrong.code, wrong.out) == (1, "")
    assert "kit.yaml:15 /publishing/images/2/tag: expression: 'numbr' is undefined" in wrong.err
    assert wrong.err.splitlines()[0] in run("check", "-o", "lines").out
    (kit / "kit.yaml").write_text(text.partition("publishing:")[0])
    assert [each["of"] for each in images().values()] == [None, None]


PLACES = ("component", "target", "bundle", "configuration")
MOVING = ("stable", "dev", "latest", "main", "release-1.0", "hello-branch")
PAIRS = sorted(product(PLACES, MOVING), key=lambda pair: pair[0] != PLACES[0] and pair[1] != MOVING[0])
"""Every place and every tag once come first."""


@pytest.mark.parametrize(("where", "tag"), first(PAIRS, len(PLACES) + len(MOVING) - 1))
def test_a_tag_that_moves_is_found_everywhere(kit: Path, tag: str, where: str) -> None:
    component, olm, rhoai = (
        kit / name
        for name in ("components/hello/v1.0.0/component.yaml", "targets/olm.yaml", "targets/rhoai.yaml")
    )
    data = f"data: {{a.yaml: 'b: quay.io/example/hello:{tag}'}}"
    objects = f"objects: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: more}}, {data}}}]\n"
    file, old, new, pointer = {
        "component": (component, "example/hello:v1.0.0", f"example/hello:{tag}", "/images/manager"),
        "target": (
            rhoai,
            "features: [params]",
            f"features: [params]\n    images: {{manager: 'quay.io/example/hello:{tag}'}}",
            "/components/hello/images/manager",
        ),
        "bundle": (olm, "bundled:{{ version }}", f"bundled:{tag}", "/bundle/settings/images/manager"),
        "configuration": (component, "services:\n", f"{objects}services:\n", "/objects/0/data/a.yaml"),
    }[where]
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    found = [line for line in run("check", "-o", "lines").out.splitlines() if "image-moves" in line]
    assert len(found) == 1
    assert f'{pointer}: warning: image-moves: found the tag "{tag}"' in found[0]
