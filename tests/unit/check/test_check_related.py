"""The variables of a release are held to the images in params.env of those who ship it."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

RELEASE, TARGET = "releases/v1.0.0.yaml", "targets/odh.yaml"
VARIABLE = "RELATED_IMAGE_ODH_HELLO_IMAGE"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "related-images")


def edit(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text()
    assert old in text
    (root / file).write_text(text.replace(old, new))


def found(root: Path, *names: str) -> list[tuple[str, str]]:
    findings = json.loads(run("check", *names, "-o", "json", "--root", root).out)["findings"]
    return [(each["rule"], each["pointer"]) for each in findings if each["rule"].startswith("related-")]


def test_every_image_has_its_variable(root: Path) -> None:
    assert found(root) == []


def test_a_release_that_lists_none_is_not_held_to_any(root: Path) -> None:
    edit(root, RELEASE, f"relatedImages:\n  hello-image: {VARIABLE}\n", "")
    assert found(root) == []


def test_one_target_that_has_the_key_is_enough(root: Path) -> None:
    edit(root, TARGET, "    features: [params]\n", "")
    assert found(root) == []
    edit(root, "targets/rhoai.yaml", "    features: [params]\n", "")
    assert found(root) == [("related-image-unused", "/relatedImages/hello-image")]


def test_params_that_are_not_exported_need_no_variable(root: Path) -> None:
    edit(root, RELEASE, "hello-image", "other-image")
    assert found(root, "odh") == [("related-image-missing", "/relatedImages")]
    edit(root, TARGET, "    export: {folder: hello, build: default}\n", "")
    assert found(root, "odh") == []


def test_what_is_no_image_needs_no_variable(root: Path) -> None:
    key = "hello-image: {image: manager}"
    text = key + "\n        namespace: {value: '{{ namespace }}'}"
    edit(root, "components/hello/v1.0.0/component.yaml", key, text)
    assert found(root) == []
    edit(root, RELEASE, f"hello-image: {VARIABLE}", f"hello-image: {VARIABLE}\n  namespace: {VARIABLE}")
    assert found(root) == [("related-image-unused", "/relatedImages/namespace")]


def test_a_release_that_only_records_is_left_alone(root: Path) -> None:
    text = f"release: v0.9.0\nrecords: {{hello: v0.9.0}}\nrelatedImages: {{old-image: {VARIABLE}}}\n"
    (root / "releases/v0.9.0.yaml").write_text(text)
    assert found(root) == []


def test_what_a_release_takes_over_is_told_in_its_own_file(root: Path) -> None:
    (root / "releases/v1.0.1.yaml").write_text("release: v1.0.1\nfrom: v1.0.0\nreplaces: v1.0.0\n")
    edit(root, TARGET, "release: v1.0.0", "release: v1.0.0\nreleases: [v1.0.0]")
    edit(root, "targets/rhoai.yaml", "release: v1.0.0", "release: v1.0.0\nreleases: [v1.0.0]")
    done = run("check", "-o", "lines", "--root", root)
    assert "releases/v1.0.1.yaml:" in done.out
    assert "(hint: add /relatedImages/hello-image to remove)" in done.out
    assert "releases/v1.0.0.yaml" not in done.out


def test_a_release_may_accept_it_with_a_reason(root: Path) -> None:
    text = "exceptions:\n- {rule: related-image-unused, pointer: /relatedImages/x, reason: the next has it}\n"
    edit(root, RELEASE, f"hello-image: {VARIABLE}\n", f"hello-image: {VARIABLE}\n  x: {VARIABLE}\n{text}")
    assert run("check", "--root", root).code == 0
