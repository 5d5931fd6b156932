"""Images get their other names as values and as words of texts, and nothing else changes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial, reduce
from itertools import cycle

import pytest
from checking import manifest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kube.image_mentions import find_images_in_text
from kitgen.kube.image_reference import parse_image_reference
from kitgen.render.image_names import rename_images
from kitgen.render.image_places import find_object_images
from kitgen.text.yaml import Json, JsonObject, dump_yaml, read_yaml

SHA = "sha256:" + "a" * 64
IMAGE, NEW = "quay.io/a/b:v1", f"quay.io/a/b@{SHA}"
SIX, SIX_NEW = "[fd00::1]:5000/a/b:v1", "mirror.local/a/b:v1"
RENAMES = {
    IMAGE: NEW,
    SIX: SIX_NEW,
    "redis": f"redis@{SHA}",
    "redis:7": f"redis@{SHA}",
    "quay.io/a/plain": f"quay.io/a/plain@{SHA}",
}
POD = {"kind": "Pod", "spec": {"containers": [{"name": "a", "image": IMAGE, "args": ["--image", IMAGE]}]}}
TEMPLATE = "{{ if .x }}\n- image: quay.io/a/b:v1\n{{ end }}\n"


@pytest.mark.parametrize(
    "text",
    [
        IMAGE, f" {IMAGE}\n", f"podman pull {IMAGE} && run", f"podman pull {IMAGE}&&run", f"pull {IMAGE};run",
        f"x | grep {IMAGE}|y", f"IMG={IMAGE} run", f"run --image={IMAGE} --all", f'run --image "{IMAGE}"',
        f"IMG=${{IMG:-{IMAGE}}}", f"IMG=${{IMG:-docker://{IMAGE}}}", f"$(podman pull {IMAGE})",
        f"`run {IMAGE}`",
        f"oci://{IMAGE}", f"skopeo copy docker://{IMAGE} dir:x", f"pull {IMAGE} \\\n  --all", f"{IMAGE}\r\nx",
        f"image: {IMAGE}\n", f"image: '{IMAGE}'  # the first\n", f'- image: "{IMAGE}"', f"[{IMAGE}]",
        f"images: [{IMAGE}, {IMAGE}]", f"{{a: {IMAGE}}}", f"a={IMAGE},b={IMAGE}", f"<b>{IMAGE}</b>",
        json.dumps({"image": IMAGE}), json.dumps([IMAGE], separators=(",", ":")), json.dumps(POD, indent=2),
        json.dumps({"pod": json.dumps(POD)}), json.dumps({"script": f"\n{IMAGE}\n\t{IMAGE}"}), dump_yaml(POD),
        dump_yaml({"a": dump_yaml(POD)}), f"Runs {IMAGE}. More", f"({IMAGE})", f"Is it {IMAGE}?",
        f"{IMAGE}: pulled",
        TEMPLATE, '{{ default "quay.io/a/b:v1" .image }}', f"s|{IMAGE}|x|", f'f"{IMAGE}"', f"x\t{IMAGE}\v",
        f"**{IMAGE}**",
    ],
)  # fmt: skip
def test_whole_words_are_renamed(text: str) -> None:
    count = text.count(IMAGE)
    assert rename_images(text, RENAMES) == text.replace(IMAGE, NEW)
    assert (IMAGE in find_images_in_text(text), count > 0) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        f"{IMAGE}.2", f"{IMAGE}-rc", f"{IMAGE}_1", f"{IMAGE}2", f"{IMAGE}/x", f"{IMAGE}:x", f"my.{IMAGE}",
        f"x{IMAGE}",
        f"x/{IMAGE}", f"{IMAGE}@{SHA}", f"https://{IMAGE}", f"https://{IMAGE}/x", f"run {IMAGE}.2 now",
        f"{IMAGE}{{{{ .suffix }}}}", f"{{{{ .prefix }}}}{IMAGE}", f"${{PREFIX}}{IMAGE}", f"{IMAGE}$(SUFFIX)",
        f"{IMAGE}${{SUFFIX}}", f'{IMAGE}"$SUFFIX"', f"{IMAGE}*", f"{IMAGE}+x", f"{IMAGE}...", f"/{IMAGE}",
        "v1", "", f"user@{IMAGE}", f"-{IMAGE}", "quay.io/a/b:{v1}", "QUAY.IO/a/b:v1", "quay.io/a/b :v1",
        f"{IMAGE}\u2026",
        "redis", "run redis now", "image: redis", "redis-0.redis", "repository: quay.io/a/plain",
        "see quay.io/a/plain",
    ],
)  # fmt: skip
def test_parts_of_longer_names_stay(text: str) -> None:
    assert rename_images(text, RENAMES) == text
    assert rename_images({"a": [text]}, RENAMES) == {"a": [text]}


def test_addresses_in_brackets() -> None:
    assert rename_images(f"pull docker://{SIX} && [{IMAGE}] && x[{SIX}", RENAMES) == (
        f"pull docker://{SIX_NEW} && [{NEW}] && x[{SIX}"
    )
    assert rename_images(json.dumps([SIX]), RENAMES) == json.dumps([SIX_NEW])
    assert find_images_in_text(f"pull {SIX}") == [SIX]


def test_yaml_in_a_text_says_the_same_but_images() -> None:
    text = dump_yaml({"template": dump_yaml(POD), "more": {"image": IMAGE, "tag": "v1"}})
    made = read_yaml(rename_images(text, RENAMES))
    assert made == {"template": dump_yaml(rename_images(POD, RENAMES)), "more": {"image": NEW, "tag": "v1"}}


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"name": "redis", "image": "redis"}, {"name": "redis", "image": RENAMES["redis"]}),
        ({"app": "redis", "labels": ["redis"]}, {"app": "redis", "labels": ["redis"]}),
        ({"name": "A_IMAGE", "value": "redis"}, {"name": "A_IMAGE", "value": RENAMES["redis"]}),
        ({"name": "HOST", "value": "redis"}, {"name": "HOST", "value": "redis"}),
        ({"A_IMAGE": "redis", "HOST": "redis"}, {"A_IMAGE": RENAMES["redis"], "HOST": "redis"}),
        ({"images": ["redis", {"name": "redis"}]}, {"images": [RENAMES["redis"], {"name": "redis"}]}),
        (["--image", "redis", "redis"], ["--image", RENAMES["redis"], "redis"]),
        ({"kind": "DockerImage", "name": "redis"}, {"kind": "DockerImage", "name": RENAMES["redis"]}),
        ({"image": {"reference": "redis"}}, {"image": {"reference": RENAMES["redis"]}}),
        ({"extraImages": {"a": "redis"}}, {"extraImages": {"a": RENAMES["redis"]}}),
        (
            {"image": {"repository": "quay.io/a/plain", "tag": "v1"}},
            {"image": {"repository": "quay.io/a/plain", "tag": "v1"}},
        ),
        ("run --image quay.io/a/plain", f"run --image {RENAMES['quay.io/a/plain']}"),
        ("image: quay.io/a/plain\n", f"image: {RENAMES['quay.io/a/plain']}\n"),
        ("imageRef: quay.io/a/plain\n", f"imageRef: {RENAMES['quay.io/a/plain']}\n"),
        ({"key": "A_IMAGE", "default": "redis"}, {"key": "A_IMAGE", "default": RENAMES["redis"]}),
        ({"image": {"url": "redis"}}, {"image": {"url": RENAMES["redis"]}}),
        ("run redis:7", f"run {RENAMES['redis:7']}"),
        (7, 7),
    ],
)
def test_names_without_a_tag_are_images_where_they_are_said_to_be(value: Json, want: Json) -> None:
    assert rename_images(value, RENAMES) == want


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ({"image": "quay.io/a/plain", "tag": "v3"}, "quay.io/a/plain:v3"),
        ({"image": "quay.io/a/plain", "version": "v3.1"}, "quay.io/a/plain:v3.1"),
        ({"registry": "quay.io", "image": "redis", "tag": "1"}, "quay.io/redis:1"),
        ({"images": {"repository": "redis", "tag": "2"}}, "redis:2"),
        ("image: quay.io/a/plain\ntag: v3\n", "quay.io/a/plain:v3"),
        ('{"image": "quay.io/a/plain", "tag": "v3"}', "quay.io/a/plain:v3"),
    ],
)
def test_a_part_of_an_image_keeps_its_name(value: Json, whole: str) -> None:
    """One that goes by its name alone elsewhere has another digest, and no node reads that with a tag."""
    assert rename_images({"spec": value}, RENAMES) == {"spec": value}
    assert listed({"spec": value}) == {whole}


def listed(body: JsonObject) -> set[str]:
    whole = {"apiVersion": "x.io/v1", "kind": "Tool", "metadata": {"name": "a"}, **body}
    return {image for image, *_ in find_object_images(manifest(whole)) if parse_image_reference(image)}


PLACES: tuple[Callable[[Json], Json], ...] = (
    *(partial(lambda key, at: {key: at}, key) for key in ("image", "images", "x", "imageRef", "dockerfile")),
    lambda at: [at],
    lambda at: {"containers": [{"name": "a", "image": at}]},
    lambda at: {"containers": [{"args": ["--image", at]}]},
    lambda at: {"env": [{"name": "A_IMAGE", "value": at}]},
    lambda at: {"image": at, "tag": "v3"},
    lambda at: {"image": {"repository": at, "tag": "v3"}},
    lambda at: {"kind": "DockerImage", "name": at},
    lambda at: f"image: {at}\n" if isinstance(at, str) else dump_yaml(at),
    json.dumps,
    lambda at: f"run --image={at} && skopeo copy docker://{at} x" if isinstance(at, str) else at,
    lambda at: f"FROM {at} AS x\n" if isinstance(at, str) else at,
)


@given(
    st.lists(st.sampled_from([*RENAMES]), min_size=1, max_size=2),
    st.lists(st.lists(st.sampled_from(PLACES), max_size=4), min_size=2, max_size=3),
)
def test_what_is_listed_is_renamed_or_listed_still(
    images: list[str], nested: list[list[Callable[[Json], Json]]]
) -> None:
    """So that nothing goes by its tag unless a finding says it, and nothing gets a name that is none."""
    spec: list[Json] = []
    for places, image in zip(nested, cycle(images), strict=False):
        spec.append(reduce(lambda value, place: place(value), places, image))
    before, after = listed({"spec": spec}), listed({"spec": rename_images(spec, RENAMES)})
    told = {RENAMES.get(each, each) for each in after}
    assert {RENAMES.get(each, each) for each in before} <= told
    # A name alone is in no list where it may be no image, and is renamed there if it is one elsewhere.
    assert after - before <= {*RENAMES.values()}


@pytest.mark.parametrize(
    "piece",
    ["a", "a ", "[", "]", ".", ":", "\\", "\\n", "quay.io/", "image: ", "--image", "a:-", IMAGE, f"{IMAGE} "],
)
def test_long_texts_take_no_longer_than_they_are(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    before = time.perf_counter()
    rename_images(text, RENAMES)
    assert time.perf_counter() - before < 5


PIECES = st.sampled_from([*" \n\"'=,;:[]{}()/@.-\\$", IMAGE, "docker://", "image: ", "x", "n", "v1", "redis"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_second_time_changes_nothing(text: str) -> None:
    once = rename_images(text, RENAMES)
    assert rename_images(once, RENAMES) == once
    assert once.replace(NEW, IMAGE).replace(RENAMES["redis:7"], "redis:7") == text


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (rf'{{"about": "\u003e{IMAGE}\u003c/a"}}', rf'{{"about": "\u003e{NEW}\u003c/a"}}'),
        (f'{{"image": "{IMAGE}"}}'.replace("/", r"\/"), f'{{"image": "{NEW}"}}'),
        (r'["quay.io\/other:v1", "\u003e"]', None),
        (f"s/a/{IMAGE}/".replace("/", r"\/"), None),
    ],
)
def test_images_in_json_are_renamed_behind_backslashes(text: str, new: str | None) -> None:
    assert rename_images({"a": text}, RENAMES) == {"a": text if new is None else new}
