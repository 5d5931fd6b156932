"""What is no reference to an image is told with its place, wherever a spec or a file says it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import kits
import pytest
from running import run

COMPONENT, TARGET, LOCK = "components/hello/v1.0.0/component.yaml", "targets/olm.yaml", "locks/v1.0.0.yaml"
OWN = "quay.io/example/hello:v1.0.0"
SHA = "sha256:" + "a" * 64
BAD = {
    "upper case": "quay.io/Example/hello:v1",
    "long tag": f"quay.io/a/b:{'v' * 129}",
    "plus": "quay.io/a/b:v1+2",
    "long path": f"quay.io/{'a/' * 130}b:v1",
    "short digest": f"quay.io/a/b@sha256:{'a' * 63}",
    "digest in upper case": f"quay.io/a/b@sha256:{'A' * 64}",
    "algorithm in upper case": f"quay.io/a/b@SHA256:{'a' * 64}",
    "two digests": f"quay.io/a/b@{SHA}@{SHA}",
    "no host": "/a/b:v1",
    "port 0": "a.io:0/b:v1",
    "port 99999": "a.io:99999/b:v1",
    "two dots": "a..b/c:v1",
    "slash at the end": "quay.io/a/b/",
    "space": "quay.io/a/b :v1",
    "newline": "quay.io/a/b:v1\n",
    "scheme": "docker://quay.io/a/b:v1",
    "long": f"quay.io/{'a' * 1_000_000}:v1",
}
OBJECT = """\
objects:
- apiVersion: v1
  kind: Pod
  metadata: {name: a}
  spec: {containers: [{name: a, image: IMAGE}]}

serviceAccount:"""
RUNTIME = "runtimeImages: {a: {image: IMAGE, source: code}}\n\nserviceAccount:"
PLACES = {
    "component": (COMPONENT, f"manager: {OWN}\n", "manager: IMAGE\n"),
    "target": (TARGET, "  hello:\n", "  hello:\n    images: {manager: IMAGE}\n"),
    "object": (COMPONENT, "serviceAccount:", OBJECT),
    "runtime": (COMPONENT, "serviceAccount:", RUNTIME),
    "lock": (LOCK, "", f"release: v1.0.0\nimages: {{IMAGE: {{digest: '{SHA}'}}}}\n"),
}


def said(kit: Path, place: str, image: str) -> str:
    """Let a file say an image, and return its name."""
    file, old, new = PLACES[place]
    text = (kit / file).read_text() if old else ""
    assert text.count(old) == 1
    kits.write(kit, {file: text.replace(old, new.replace("IMAGE", json.dumps(image)))})
    return file


FEW = ("upper case", "port 0", "long")
BOTH = [*(("component", name) for name in BAD), *((each, name) for each in PLACES for name in FEW)]


@pytest.mark.parametrize(("place", "name"), [*dict.fromkeys(BOTH)])
def test_a_reference_that_is_none(kit: Path, place: str, name: str) -> None:
    file = said(kit, place, BAD[name])
    before, start = kits.contents(kit), time.perf_counter()
    mirrored = ("mirror", "olm", "--registry", "a.io", "--out", kit.parent / "out", "--rewrite")
    for command in (("check", "-q", "-o", "lines"), ("render",), ("images", "list", "-o", "plain"), mirrored):
        done = run(*command)
        assert done.code == 1, done
        assert f"{file}:" in done.out + done.err
        assert len(done.out + done.err) < 10_000
    assert time.perf_counter() - start < 20
    assert kits.contents(kit) == before
    assert not (kit.parent / "out").exists()


@pytest.mark.parametrize(
    "text",
    [f"{SHA} ", "sha256:", "a@sha256:", f"{SHA} docker://", "{", '{"a":', "- ", "image: ", "a/", "\\", "&a "],
)
def test_long_files_of_nothing_are_told_soon(kit: Path, text: str) -> None:
    (kit.parent / "x").write_text(text * (1_000_000 // len(text)))
    start = time.perf_counter()
    done = run("images", "lock", "../x")
    assert time.perf_counter() - start < 20
    assert (done.code, done.out) == (1, ""), done
    assert done.err.startswith("../x:")
    assert len(done.err) < 400_000
    assert not (kit / LOCK).exists()


TRIED = ("quay.io/A/b:v1", "quay.io/a/b:v1+2", f"quay.io/a/b@sha256:{'a' * 63}", "quay.io/a..b/c:v1")
SAID = ('env: {FOO_IMAGE: "%s"}', 'env: {RELATED_IMAGE_FOO: "%s"}', 'args: ["--foo-image=%s"]')


@pytest.mark.parametrize("place", SAID)
@pytest.mark.parametrize("image", TRIED)
def test_what_a_variable_or_an_argument_tries_to_name(kit: Path, place: str, image: str) -> None:
    command = "      command: [/manager]\n"
    file = kit / COMPONENT
    file.write_text(file.read_text().replace(command, f"{command}      {place % image}\n"))
    before = kits.contents(kit)
    for args in (
        ["images", "list", "odh"],
        ["render"],
        ["mirror", "odh", "--registry", "r.io/a", "--out", "out"],
    ):
        done = run(*args)
        assert (done.code, COMPONENT in done.err, "Traceback" in done.err) == (1, True, False), (args, done)
    assert kits.contents(kit) == before


@pytest.mark.parametrize(
    "value", ["/etc/images/A:1", "./a/B:1", "a/$(NAME):v1", "https://a/B:1", "disk/A:x.qcow2"]
)
def test_what_is_no_attempt_at_an_image(kit: Path, value: str) -> None:
    command = "      command: [/manager]\n"
    file = kit / COMPONENT
    file.write_text(file.read_text().replace(command, f'{command}      env: {{FOO_IMAGE: "{value}"}}\n'))
    assert run("images", "list", "odh", "-o", "plain").out == f"{OWN}\n"
    assert run("render", "-q").code == 0
