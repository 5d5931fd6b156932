"""What others tell of digests: a real-shaped sample of every form, and whatever is none of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import MAX_ERRORS
from kitgen.images.digest_matching import match_digests
from kitgen.images.digests.reading import ReadDigests, parse_digests, read_digests
from kitgen.images.digests.records import ImageDigest
from kitgen.images.lock_merge import merge_digests, render_lock
from kitgen.images.locked_images import LockImages
from kitgen.kit.manifests import decode_manifest
from kitgen.report.forms import render_findings
from kitgen.text.yaml import Json, dump_yaml, read_yaml

INDEX, AMD64, ARM64 = (f"sha256:{digit * 64}" for digit in "abc")
RAY = "quay.io/rhoai/ray"
SKOPEO = {
    "Name": RAY,
    "Digest": INDEX,
    "RepoTags": [],
    "Created": "2024-05-14T10:00:00Z",
    "DockerVersion": "",
    "Labels": {"name": "ray"},
    "Architecture": "amd64",
    "Os": "linux",
    "Layers": [AMD64],
    "LayersData": [{"MIMEType": "application/vnd.oci.image.layer.v1.tar+gzip", "Digest": AMD64, "Size": 7}],
    "Env": ["PATH=/bin"],
}
OC = {
    "name": f"{RAY}:2.23.0",
    "digest": AMD64,
    "contentDigest": AMD64,
    "listDigest": INDEX,
    "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
    "layers": [{"digest": ARM64, "size": 7}],
    "config": {"architecture": "amd64", "os": "linux"},
}
RELATED = [
    {"name": "ray", "image": f"{RAY}:2.23.0@{INDEX}"},
    {"name": "proxy", "image": f"quay.io/other/ray@{ARM64}"},
    {"name": "by-tag", "image": "quay.io/other/tagged:v1"},
]
CSV = {
    "apiVersion": "operators.coreos.com/v1alpha1",
    "kind": "ClusterServiceVersion",
    "metadata": {"name": "a.v1.0.0"},
    "spec": {"relatedImages": RELATED},
}
TAGGED, PLAIN = (f"{RAY}:2.23.0", INDEX), ("quay.io/other/ray", ARM64)


def told(text: str) -> ReadDigests:
    whole = decode_manifest(text.encode())
    assert isinstance(whole, str)
    return parse_digests("x", whole)


def said(found: ReadDigests) -> list[tuple[str, str]]:
    assert found.findings == ()
    return [(str(each.image), each.digest) for each in found.told]


def wrong(found: ReadDigests) -> list[str]:
    return render_findings(found.findings, read=found.texts.get).splitlines()


@pytest.mark.parametrize(
    ("data", "want", "platform", "source"),
    [
        (SKOPEO, [(RAY, INDEX)], "all", "skopeo inspect"),
        ({**SKOPEO, "Tag": "2.23.0"}, [TAGGED], "all", "skopeo inspect"),
        (OC, [TAGGED], "all", "oc image info"),
        ([OC, {**OC, "digest": ARM64}], [TAGGED, TAGGED], "all", "oc image info"),
        ({**OC, "listDigest": ""}, [(f"{RAY}:2.23.0", AMD64)], "linux/amd64", "oc image info"),
        (CSV, [TAGGED, PLAIN], "", "relatedImages"),
        ({"schema": "olm.bundle", "relatedImages": RELATED}, [TAGGED, PLAIN], "", "relatedImages"),
        ({"apiVersion": "v1", "kind": "List", "items": [CSV]}, [TAGGED, PLAIN], "", "relatedImages"),
    ],
)
def test_every_form_as_json_and_as_yaml(
    data: Json, want: list[tuple[str, str]], platform: str, source: str
) -> None:
    for text in (json.dumps(data), json.dumps(data, indent=4), dump_yaml(data)):
        found = told(text)
        assert said(found) == want
        assert {(each.platform, each.source) for each in found.told} == {(platform, source)}


def test_outputs_may_follow_one_another() -> None:
    text = json.dumps(SKOPEO, indent=4) + "\n" + json.dumps({**SKOPEO, "Name": "quay.io/other/ray"}, indent=4)
    assert said(told(text)) == [(RAY, INDEX), ("quay.io/other/ray", INDEX)]
    blobs = [{"schema": "olm.package", "name": "a"}, {"schema": "olm.bundle", "relatedImages": RELATED}]
    assert said(told("".join(map(json.dumps, blobs)))) == [TAGGED, PLAIN]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (f"{INDEX}\n", [("None", INDEX)]),
        (f"{RAY}@{INDEX}\nredis@{ARM64}\n", [(RAY, INDEX), ("docker.io/library/redis", ARM64)]),
        (f"# copied\n\n{INDEX} docker://{RAY}:2.23.0\n", [TAGGED]),
        (f"{INDEX} docker://{RAY}:2.23.0\r\n", [TAGGED]),
    ],
)
def test_lines(text: str, want: list[tuple[str, str]]) -> None:
    assert said(told(text)) == want


FORM = "digest-form: "


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", f"x:1: {FORM}found an empty file, expected digests of images"),
        ("\n\n", f"x:1: {FORM}"),
        ("# nothing\n", f"x:1: {FORM}found comments alone"),
        (json.dumps({"schemaVersion": 2, "manifests": []}), f"x:1: {FORM}found a mapping, expected digests"),
        (f"{INDEX} dir:/media/{RAY}:2.23.0\n", f'x:1: {FORM}found "{INDEX[:8]}'),
        ("hello\n", f"x:1: {FORM}found a string, expected digests of images"),
        ("apiVersion: v1\nkind: ConfigMap\n", f"x:1: {FORM}found a mapping"),
        (
            '{"Name": "quay.io/a/b", "Digest": "sha256:abc"}',
            f'x:1 /Digest: {FORM}found the digest "sha256:abc"',
        ),
        ('{"Name": "quay.io/a/b", "Digest": 7}', f"x:1 /Digest: {FORM}found a number, expected a digest"),
        (
            json.dumps({**SKOPEO, "Name": "Quay.io/A"}),
            f'x:1 /Digest: {FORM}"Quay.io/A" is no image: found "A"',
        ),
        (json.dumps({**SKOPEO, "Name": ["a"]}), f"x:1 /Digest: {FORM}found a list, expected an image"),
        (f"{INDEX}\nhello world again\n", f'x:2: {FORM}found "hello world again", expected sha256:…'),
        (f"{INDEX}\n{RAY}@sha256:abc\n", f'x:2: {FORM}found the digest "sha256:abc"'),
        (f"{INDEX} docker://{RAY}:-a\n", f'x:1: {FORM}"{RAY}:-a" is no image: found the tag "-a"'),
        (f"md5:{'a' * 32}\n{INDEX}\n", "x:"),
        ("{broken", "x:1 /broken: yaml-syntax: "),
        ('{"Name": "a", "Name": "b", "Digest": "c"}', "x:1 /Name: yaml-duplicate: "),
        ("a\0b", "x:1: yaml-syntax: "),
    ],
)
def test_what_tells_nothing_is_told(text: str, want: str) -> None:
    found = parse_digests("x", text)
    assert found.told == () or len(found.told) == 1
    assert wrong(found)[0].startswith(want)


MANY = 20_000


def test_many_lines_are_read_and_many_mistakes_are_not_all_told() -> None:
    right = "".join(f"{INDEX} docker://quay.io/a/b{number}:v1\n" for number in range(MANY))
    assert len(said(told(right))) == MANY
    found = told(f"{INDEX}\n" + "x y z\n" * MANY)
    assert len(found.findings) == MAX_ERRORS + 2
    assert found.findings[-1].rule.id == "findings-limit"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert [each.rule.id for each in read_digests([str(tmp_path)]).findings] == ["file-kind"]


KEYS = [*SKOPEO, *OC, *CSV, "relatedImages", "items"]
LEAVES = st.none() | st.text(max_size=9) | st.integers()


def grown(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)


@given(st.text(max_size=200) | st.recursive(LEAVES, grown).map(json.dumps))
def test_any_text_is_read_or_told(text: str) -> None:
    found = parse_digests("x", text)
    assert bool(found.told) or bool(found.findings)
    wrong(found)


NAME = r"\A(quay\.io|localhost:5000)/[a-z0-9]{1,9}/[a-z]{1,9}:[A-Za-z0-9_][A-Za-z0-9_.-]{0,9}\Z"
NAMES = st.lists(st.from_regex(NAME), unique=True)
DIGESTS = st.from_regex(r"\Asha256:[0-9a-f]{64}\Z")


@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    names = data.draw(NAMES)
    lines = [f"{data.draw(DIGESTS)} docker://{name}\n" for name in names]
    found = told("".join(lines)) if lines else ReadDigests()
    assert found.findings == ()
    keys = [each.image for each in found.told if each.image]
    wanted = LockImages(
        names={key: (str(key),) for key in keys}, needed=(), fixed=frozenset(), repositories={}
    )
    made = merge_digests("f", {}, match_digests(found.told, wanted, "v1.0.0").found, wanted, update=False)
    text, _ = render_lock("v1.0.0", made.entries.values(), "# mine\n")
    assert text.splitlines()[1] == "# mine"
    want = {str(each.image): each.digest for each in found.told}
    assert {name: each["digest"] for name, each in read_yaml(text)["images"].items()} == want
    assert list(read_yaml(text)["images"]) == sorted(want)
    assert render_lock("v1.0.0", made.entries.values(), text) == (text, 0)
    assert all(isinstance(each, ImageDigest) for each in found.told)
