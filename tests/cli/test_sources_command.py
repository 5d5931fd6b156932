"""kitgen sources: where the platform's operator takes manifests and images from, in each of its forms."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.text.schema_check import Shape, read_schema
from kitgen.text.yaml import JsonObject, read_yaml

ODH, RHOAI, RELEASE = "targets/odh.yaml", "targets/rhoai.yaml", "releases/v1.0.0.yaml"
COMPONENT = "components/hello/v1.0.0/component.yaml"
DIGEST = "sha256:" + "0a" * 32
VARIABLE = "RELATED_IMAGE_ODH_HELLO_IMAGE"
COMMIT = "0123456789abcdef"
BASH = shutil.which("bash")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a kit with a source for each platform, one of them pinned to a commit."""
    made = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "related-images")
    source = "    source: {{repository: {}/hello, ref: '{}', path: operator/config}}\n"
    edit(made, ODH, "  hello:\n", "  hello:\n" + source.format("example", "{{ version }}-odh"))
    edit(made, RHOAI, "  hello:\n", "  hello:\n" + source.format("other", f"main@{COMMIT}"))
    return made


def edit(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text()
    assert text.count(old) == 1
    (root / file).write_text(text.replace(old, new))


def told(root: Path, *names: str) -> JsonObject:
    result = run("sources", *names, "-o", "json", "--root", root)
    assert result.code == 0, result.err
    document: JsonObject = json.loads(result.out)
    assert list(Shape(read_schema("output/sources")).check(document)) == []
    return document


def written(root: Path, form: str, *names: str) -> str:
    result = run("sources", *names, "-o", form, "--root", root)
    assert (result.code, result.err) == (0, "")
    return result.out


def in_bash(script: str, array: str) -> str:
    """Return what a real bash makes of an array."""
    assert BASH
    tell = f'for key in "${{!{array}[@]}}"; do echo "$key ${{{array}[$key]}}"; done'
    done = subprocess.run([BASH, "-eu", "-c", script + tell], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_program_is_told_all(root: Path) -> None:
    (target,) = told(root, "odh")["targets"]
    assert target == {
        "target": "odh",
        "platform": "odh",
        "release": "v1.0.0",
        "sources": [
            {
                "key": "hello",
                "component": "hello",
                "version": "v1.0.0",
                "repository": "example/hello",
                "ref": "v1.0.0-odh",
                "path": "operator/config",
                "folder": "hello",
                "images": [
                    {
                        "paramsKey": "hello-image",
                        "variable": VARIABLE,
                        "image": "quay.io/example/hello:v1.0.0",
                    }
                ],
            }
        ],
        "leftOut": [],
        "testedWith": [],
    }


def test_people_are_told_the_same(root: Path) -> None:
    text = run("sources", "odh", "--root", root).out
    for word in ("example/hello", "v1.0.0-odh", "operator/config", "hello-image", VARIABLE):
        assert word in text


@pytest.mark.skipif(BASH is None, reason="bash is not on PATH")
@pytest.mark.parametrize(
    ("form", "array", "target", "line"),
    [
        ("script-2024", "COMPONENT_MANIFESTS", "odh", "example:hello:v1.0.0-odh:operator/config:hello"),
        ("script-2025", "COMPONENT_MANIFESTS", "odh", "example:hello:v1.0.0-odh:operator/config"),
        ("script-2026", "ODH_COMPONENT_MANIFESTS", "odh", "example:hello:v1.0.0-odh:operator/config"),
        ("script-2026", "RHOAI_COMPONENT_MANIFESTS", "rhoai", f"other:hello:main@{COMMIT}:operator/config"),
    ],
)
def test_bash_reads_every_form(root: Path, form: str, array: str, target: str, line: str) -> None:
    assert in_bash(written(root, form, target), array) == f"hello {line}\n"


def test_the_configuration_has_both_platforms_and_their_images(root: Path) -> None:
    edit(root, ODH, "  hello:\n", f"  hello:\n    images: {{manager: 'quay.io:443/a/hello:v1@{DIGEST}'}}\n")
    edit(root, RHOAI, "path: operator/config", 'path: x, tagTemplate: "odh-{SHORT_SHA}"')
    assert read_yaml(written(root, "manifests-config", "odh", "rhoai")) == {
        "components": {
            "hello": {
                "odh": {"repo": "example/hello", "ref": "v1.0.0-odh", "sourcePath": "operator/config"},
                "rhoai": {"repo": "other/hello", "ref": f"main@{COMMIT}", "sourcePath": "x"},
            }
        },
        "imageOverrides": {
            VARIABLE: {
                "component": "hello",
                "paramsEnvKey": "hello-image",
                "tagTemplate": "{SHA}",
                "odh": {"base": "quay.io:443/a/hello", "digest": DIGEST},
                "rhoai": {"base": "quay.io/example/hello"},
            }
        },
    }
    assert read_yaml(written(root, "manifests-config", "rhoai"))["imageOverrides"][VARIABLE] == {
        "component": "hello",
        "paramsEnvKey": "hello-image",
        "tagTemplate": "odh-{SHORT_SHA}",
        "rhoai": {"base": "quay.io/example/hello"},
    }


def test_an_image_of_another_platform_takes_the_commit_from_there(root: Path) -> None:
    made = read_yaml(written(root, "manifests-config", "odh", "rhoai"))["imageOverrides"][VARIABLE]
    assert made["rhoai"] == {"shaFrom": "odh", "base": "quay.io/example/hello"}


def test_an_image_without_a_variable_is_left_out(root: Path) -> None:
    edit(root, RELEASE, f"relatedImages:\n  hello-image: {VARIABLE}\n", "")
    result = run("sources", "odh", "-o", "manifests-config", "--root", root)
    assert "imageOverrides" not in read_yaml(result.out)
    assert result.err == "odh: left out: hello-image, for which v1.0.0 has no variable\n"
    assert told(root, "odh")["targets"][0]["sources"][0]["images"][0]["variable"] is None


def test_a_variable_of_two_keys_is_listed_once(root: Path) -> None:
    edit(
        root,
        COMPONENT,
        "hello-image: {image: manager}",
        "hello-image: {image: manager}\n        b: {image: manager}",
    )
    edit(root, RELEASE, f"hello-image: {VARIABLE}", f"hello-image: {VARIABLE}\n  b: {VARIABLE}")
    result = run("sources", "odh", "-o", "manifests-config", "--root", root)
    assert read_yaml(result.out)["imageOverrides"][VARIABLE]["paramsEnvKey"] == "hello-image"
    assert result.err == f"odh: left out: b of hello: {VARIABLE} is listed for hello-image of hello\n"


def test_what_builds_on_a_target_is_of_its_platform(root: Path) -> None:
    edit(root, ODH, "target: odh\n", "target: odh\nplatform: odh\n")
    (root / "targets/my-stage.yaml").write_text("target: my-stage\nfrom: odh\n")
    assert written(root, "script-2026", "my-stage").startswith("declare -A ODH_COMPONENT_MANIFESTS=(\n")
    twice = run("sources", "odh", "my-stage", "-o", "script-2026", "--root", root)
    assert (twice.code, twice.out) == (2, "")
    assert twice.err == "error: two targets are of the platform odh (hint: name one of them)\n"


def test_a_name_that_no_script_can_have(root: Path) -> None:
    (root / "targets/my-stage.yaml").write_text("target: my-stage\nfrom: odh\n")
    result = run("sources", "my-stage", "-o", "manifests-config", "--root", root)
    assert (result.code, result.out) == (2, "")
    assert "hint: say platform in targets/my-stage.yaml" in result.err
    assert run("sources", "my-stage", "-o", "script-2025", "--root", root).code == 0


@pytest.mark.parametrize("state", ["Removed", "Unmanaged"])
def test_what_is_not_managed_is_left_out(root: Path, state: str) -> None:
    shutil.copytree(root / "components/hello", root / "components/other")
    file = root / "components/other/v1.0.0/component.yaml"
    file.write_text(file.read_text().replace("hello", "other"))
    edit(root, RELEASE, "  hello: v1.0.0\n", "  hello: v1.0.0\n  other: v1.0.0\n")
    more = f"  other:\n    managementState: {state}\n    source: {{repository: a/b, ref: c, path: d}}\n"
    (root / ODH).write_text((root / ODH).read_text() + more)
    result = run("sources", "odh", "-o", "script-2025", "--root", root)
    assert result.out.count('["') == 1
    assert result.err == f"odh: left out: other is {state}\n"
    assert told(root, "odh")["targets"][0]["leftOut"] == [f"other is {state}"]


def test_what_was_tested_is_told_with_the_images_of_its_version(root: Path) -> None:
    edit(root, RELEASE, "release: v1.0.0\n", "release: v1.0.0\nrecords: {sdk: v0.3.0, rest: v2.0.0}\n")
    images = (
        "images: [{image: quay.io/a/notebook, of: sdk}, {image: quay.io/a/late, of: sdk, releases: '>2.0.0'}]"
    )
    (root / "kit.yaml").write_text((root / "kit.yaml").read_text() + f"publishing: {{{images}}}\n")
    assert told(root, "odh")["targets"][0]["testedWith"] == [
        {"name": "sdk", "version": "v0.3.0", "images": ["quay.io/a/notebook"]},
        {"name": "rest", "version": "v2.0.0", "images": []},
    ]


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["odhh"], "error: no target 'odhh' in this kit (hint: did you mean 'odh'?)\n"),
        (["olm"], "error: target olm has no sources (hint: give its components a source setting)\n"),
        (
            ["odh", "--release", "v1.0.1"],
            "error: no release 'v1.0.1' in this kit (hint: did you mean 'v1.0.0'?)\n",
        ),
        (
            ["odh", "rhoai", "-o", "script-2024"],
            "error: script-2024 has no platforms (hint: name one target)\n",
        ),
    ],
)
def test_wrong_usage(root: Path, arguments: list[str], want: str) -> None:
    assert run("sources", *arguments, "--root", root) == Run(code=2, out="", err=want)


def test_an_export_without_a_source(root: Path) -> None:
    text = (root / ODH).read_text().splitlines(keepends=True)
    (root / ODH).write_text("".join(line for line in text if "source:" not in line))
    result = run("sources", "odh", "--root", root)
    want = "error: target odh has no sources (hint: hello has no source)\n"
    assert result == Run(code=2, out="", err=want)


@pytest.mark.parametrize(
    "ref", ["a b", "a:b", 'a"b', "$(id)", "a..b", "a/", "-a", "a.lock", "a@b", "@0123456", "`a`"]
)
def test_a_ref_that_would_break_a_script(root: Path, ref: str) -> None:
    edit(root, ODH, "'{{ version }}-odh'", json.dumps(ref))
    result = run("sources", "odh", "-o", "script-2024", "--root", root)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"{ODH}:")
    assert "/components/hello/source/ref: source-ref: found the " in result.err


@pytest.mark.parametrize("ref", ["main", "v1.0.0+x", "feature/a_b", "rhoai-2.25@b6e2cb5", "dev@" + "0" * 40])
def test_refs_that_git_has(root: Path, ref: str) -> None:
    edit(root, ODH, "'{{ version }}-odh'", json.dumps(ref))
    assert told(root, "odh")["targets"][0]["sources"][0]["ref"] == ref


def test_a_digest_that_is_none(root: Path) -> None:
    edit(root, ODH, "  hello:\n", "  hello:\n    images: {manager: quay.io/a/hello@sha256:0a}\n")
    result = run("sources", "odh", "-o", "manifests-config", "--root", root)
    assert (result.code, result.out) == (1, "")
    assert "image-tag: found the digest" in result.err
