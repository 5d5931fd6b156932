"""Images get their other names as values and as words of texts, and nothing else changes."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.compile.renaming import renamed
from kitgen.objects.mentions import named_in
from kitgen.yamlio import Json, dump, read

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
        json.dumps({"pod": json.dumps(POD)}), json.dumps({"script": f"\n{IMAGE}\n\t{IMAGE}"}), dump(POD),
        dump({"a": dump(POD)}), f"Runs {IMAGE}. More", f"({IMAGE})", f"Is it {IMAGE}?", f"{IMAGE}: pulled",
        TEMPLATE, '{{ default "quay.io/a/b:v1" .image }}', f"s|{IMAGE}|x|", f'f"{IMAGE}"', f"x\t{IMAGE}\v",
        f"**{IMAGE}**",
    ],
)  # fmt: skip
def test_whole_words_are_renamed(text: str) -> None:
    count = text.count(IMAGE)
    assert renamed(text, RENAMES) == text.replace(IMAGE, NEW)
    assert (IMAGE in named_in(text), count > 0) == (True, True)


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
    assert renamed(text, RENAMES) == text
    assert renamed({"a": [text]}, RENAMES) == {"a": [text]}


def test_addresses_in_brackets() -> None:
    assert renamed(f"pull docker://{SIX} && [{IMAGE}] && x[{SIX}", RENAMES) == (
        f"pull docker://{SIX_NEW} && [{NEW}] && x[{SIX}"
    )
    assert renamed(json.dumps([SIX]), RENAMES) == json.dumps([SIX_NEW])
    assert named_in(f"pull {SIX}") == [SIX]


def test_yaml_in_a_text_says_the_same_but_images() -> None:
    text = dump({"template": dump(POD), "more": {"image": IMAGE, "tag": "v1"}})
    made = read(renamed(text, RENAMES))
    assert made == {"template": dump(renamed(POD, RENAMES)), "more": {"image": NEW, "tag": "v1"}}


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
        ("run redis:7", f"run {RENAMES['redis:7']}"),
        (7, 7),
    ],
)
def test_names_without_a_tag_are_images_where_they_are_said_to_be(value: Json, want: Json) -> None:
    assert renamed(value, RENAMES) == want


@pytest.mark.parametrize(
    "piece",
    ["a", "a ", "[", "]", ".", ":", "\\", "\\n", "quay.io/", "image: ", "--image", "a:-", IMAGE, f"{IMAGE} "],
)
def test_long_texts_take_no_longer_than_they_are(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    before = time.perf_counter()
    renamed(text, RENAMES)
    assert time.perf_counter() - before < 5


PIECES = st.sampled_from([*" \n\"'=,;:[]{}()/@.-\\$", IMAGE, "docker://", "image: ", "x", "n", "v1", "redis"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_second_time_changes_nothing(text: str) -> None:
    once = renamed(text, RENAMES)
    assert renamed(once, RENAMES) == once
    assert once.replace(NEW, IMAGE).replace(RENAMES["redis:7"], "redis:7") == text
