"""References to images are taken apart as registries do, and what is wrong with one is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kube.image_reference import ImageReference, parse_image_reference, parse_reference_or_error

SHA = "sha256:" + "a" * 64

hosts = st.sampled_from(
    ["quay.io", "localhost", "localhost:5000", "registry:5000", "10.0.0.1:80", "[::1]:5000"]
)
parts = st.from_regex(r"\A[a-z0-9]{1,5}((\.|_|__|-{1,3})[a-z0-9]{1,5}){0,2}\Z")
paths = st.lists(parts, min_size=1, max_size=4).map("/".join)
tags = st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,10}\Z")


@given(hosts, paths, st.just("") | tags, st.sampled_from(["", SHA, "sha512:" + "0" * 128]))
def test_what_is_put_together_is_taken_apart_again(host: str, path: str, tag: str, digest: str) -> None:
    made = ImageReference(host, path, tag, digest)
    assert parse_reference_or_error(str(made)) == made


@given(st.text(alphabet="aA0./:@-_[] \n", max_size=40))
def test_any_text_is_an_image_or_is_told(text: str) -> None:
    found = parse_reference_or_error(text)
    assert found if isinstance(found, str) else parse_reference_or_error(str(found)) == found


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("", "found 0 characters, expected an image of at most 1000"),
        ("a" * 1001, "found 1001 characters"),
        ("quay.io/" + "a" * 256, "found a path of 256 characters, expected at most 255"),
        ("quay.io/Apps/web", 'found "Apps" in the path, expected lower-case'),
        ("quay.io/a//b", 'found an empty part in the path "a//b"'),
        ("quay.io/a/b:v1+2", 'found the tag "v1+2", expected letters'),
        (f"quay.io/a:{'b' * 129}", "found the tag"),
        ("quay.io/a:.b", 'found the tag ".b"'),
        ("quay.io/a@sha256:0", 'found the digest "sha256:0", expected sha256: and 64'),
        ("quay.io/a@sha256:" + "A" * 64, "found the digest"),
        ("quay.io/a@SHA256:" + "a" * 64, "found the digest"),
        ("[fe80::1%eth0]:5000/a:v1", 'found "[fe80::1%eth0]", expected an IPv6 address in brackets'),
        ("quay.io/a@", 'found the digest "", expected'),
        ("reg:99999/a:v1", 'found the port "99999" of "reg:99999"'),
        ("reg:x/a:v1", 'found the port "x" of'),
        ("-a.io/b:v1", 'found "-a.io", expected the name or address of a registry'),
        ("[::g]:5000/a:v1", 'found "[::g]", expected an IPv6 address in brackets'),
        ("https://quay.io/a:v1", "found the scheme of"),
    ],
)
def test_what_is_wrong_with_an_image_is_told(image: str, message: str) -> None:
    found = parse_reference_or_error(image)
    assert isinstance(found, str)
    assert found.startswith(message), found


@pytest.mark.parametrize(
    "image", ["a-" * 499, "a/" * 499, "a." * 400 + "/b", "[" * 900, "a:" * 499, "@" * 999]
)
def test_an_odd_one_takes_no_time(image: str) -> None:
    assert parse_image_reference(image) is None


def test_a_port_is_no_tag() -> None:
    assert parse_image_reference("registry:5000/a") == ImageReference("registry:5000", "a", "", "")
    assert parse_image_reference("registry:5000") == ImageReference(
        "docker.io", "library/registry", "5000", ""
    )
