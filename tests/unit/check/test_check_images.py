"""Images: taken apart as nodes do, held against each other, and against what the specs of a kit say."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from checking import checked, told
from running import run

from kitgen.kube.image_reference import ImageReference, parse_image_reference

DIGEST = "sha256:" + "0a" * 32
COMPONENT = "components/hello/v1.0.0/component.yaml"


@pytest.mark.parametrize(
    ("image", "want"),
    [
        ("redis", ("docker.io", "library/redis", "", "")),
        ("redis:7", ("docker.io", "library/redis", "7", "")),
        ("apps/web", ("docker.io", "apps/web", "", "")),
        ("quay.io/apps/web:v1", ("quay.io", "apps/web", "v1", "")),
        ("index.docker.io/apps/web", ("docker.io", "apps/web", "", "")),
        ("docker.io/redis", ("docker.io", "library/redis", "", "")),
        ("localhost/web", ("localhost", "web", "", "")),
        ("localhost:5000/web", ("localhost:5000", "web", "", "")),
        ("registry:5000/a/b/c:v1", ("registry:5000", "a/b/c", "v1", "")),
        ("[::1]:5000/web:v1", ("[::1]:5000", "web", "v1", "")),
        (f"quay.io/a/b:v1@{DIGEST}", ("quay.io", "a/b", "v1", DIGEST)),
        (f"a@{DIGEST}", ("docker.io", "library/a", "", DIGEST)),
    ],
)
def test_an_image_is_taken_apart(image: str, want: tuple[str, ...]) -> None:
    assert parse_image_reference(image) == ImageReference(*want)


@pytest.mark.parametrize(
    "image",
    ["", " ", "a b", "A", "apps/Web", "Apps/web", "quay.io/", "quay.io//a", "a:", "a:-b", "a@sha256:0", "-a",
     "https://quay.io/a", "a" * 2_000, "a-" * 400, "$(IMAGE)", "a:b:c"],
)  # fmt: skip
def test_no_image(image: str) -> None:
    assert parse_image_reference(image) is None


POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: apps}
spec: {containers: [{name: web, image: IMAGE, imagePullPolicy: POLICY}]}
"""


@pytest.mark.parametrize(
    ("image", "policy", "want"),
    [
        ("a/b:v1", "IfNotPresent", ""),
        ("a/b:latest", "Always", "may be another image tomorrow"),
        ("a/b:main", "IfNotPresent", 'a node keeps what it has (imagePullPolicy "IfNotPresent")'),
        ("a/b:main", "null", 'a node keeps what it has (imagePullPolicy "IfNotPresent")'),
        ("a/b:latest", "null", "may be another image tomorrow"),
        ("a/b:canary", "Always", "may be another image tomorrow"),
        ("a/b:HEAD", "Always", "may be another image tomorrow"),
        ("a/b:v1-nightly", "Always", "may be another image tomorrow"),
        ("$(IMAGE)", "Always", "in its place, expected an image"),
        (f"a/b:main@{DIGEST}", "IfNotPresent", ""),
    ],
)
def test_a_tag_that_moves_tells_what_nodes_do(image: str, policy: str, want: str) -> None:
    text = POD.replace("IMAGE", image).replace("POLICY", policy).replace("NAME", "web")
    assert [each.message[-len(want) :] for each in checked(text)] == ([want] if want else [])


def test_one_image_with_two_versions_tells_of_both() -> None:
    texts = [
        POD.replace("NAME", f"web-{tag}").replace("IMAGE", f"a.io/b/c:{tag}").replace("POLICY", "Always")
        for tag in ("v1", "v2")
    ]
    assert told(checked("---".join(texts))) == [
        'image-differs Pod/web-v2 /spec/containers/0/image: found "v2" of "a.io/b/c", and "v1" elsewhere'
        " (the other one is in Pod/web-v1)"
    ]


def edited(folder: Path, *edits: tuple[str, str]) -> str:
    """Return what a check tells of the small kit after edits of its component."""
    root = kits.make_kit(folder)
    text = (root / COMPONENT).read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (root / COMPONENT).write_text(text)
    return run("check", "-o", "lines", "--root", root).out


ARGS = "      command: [/manager]\n"


def test_an_image_that_no_spec_lists(tmp_path: Path) -> None:
    out = edited(tmp_path, (ARGS, f"{ARGS}      env: {{RELATED_IMAGE_X: quay.io/example/x:v1}}\n"))
    assert (
        f"{COMPONENT}:23 /deployment/containers/manager/env/RELATED_IMAGE_X: warning: image-unlisted" in out
    )
    assert 'found the image "quay.io/example/x:v1", which no images of a spec name' in out
    listed = (
        (ARGS, f"{ARGS}      env: {{RELATED_IMAGE_X: '{{{{ images.x }}}}'}}\n"),
        ("  manager: quay.io", "  x: quay.io/example/x:v1\n  manager: quay.io"),
    )
    assert "image-unlisted" not in edited(tmp_path, *listed)


def test_an_image_that_follows_no_parameter(tmp_path: Path) -> None:
    more = (
        ("  manager: quay.io", "  x: quay.io/example/x:v1\n  manager: quay.io"),
        ("    manager:\n", "    x: {image: x}\n    manager:\n"),
    )
    out = edited(tmp_path, *more)
    assert 'warning: image-unwired: found the image "quay.io/example/x:v1", which follows no parameter' in out
    assert "(olm)" not in out


def test_an_image_of_a_parameter_that_stays_somewhere(tmp_path: Path) -> None:
    argument = (ARGS, f'{ARGS}      args: ["--image={{{{ images.manager }}}}"]\n')
    out = edited(tmp_path, argument)
    place = f"{COMPONENT}:23 /deployment/containers/manager/args"
    assert f'{place}: param-incomplete: found the image of the parameter "hello-image"' in out
    fills = (
        "        hello-image: {image: manager}\n",
        "        hello-image:\n          image: manager\n          fills:\n"
        "          - {object: Deployment/hello-manager, field: spec.template.spec.containers.0.args.0,\n"
        '             delimiter: "=", index: 1}\n',
    )
    assert "param-incomplete" not in edited(tmp_path, argument, fills)


def test_an_image_of_a_parameter_in_a_longer_text(tmp_path: Path) -> None:
    text = (ARGS, f'{ARGS}      args: ["--about=runs {{{{ images.manager }}}} and more"]\n')
    assert 'warning: image-unwired: found the image of the parameter "hello-image" in a text' in edited(
        tmp_path, text
    )
    other = (ARGS, f'{ARGS}      args: ["--about=runs {{{{ images.manager }}}}-1"]\n')
    assert "image-unwired" not in edited(tmp_path, other)
