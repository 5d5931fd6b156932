"""Every file of a mirror has every image, and all of them say the same place for it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Origin
from kitgen.images.mirror.contents import MirrorContents
from kitgen.images.mirror.files import render_mirror_files
from kitgen.images.mirror.places import Mirror, MirrorPlace, assign_places, find_registry_fault
from kitgen.kube.image_reference import ImageReference, parse_image_reference, parse_reference_or_error
from kitgen.text.yaml import JsonObject, read_yaml, read_yaml_documents

HERE = Origin("targets/a.yaml")
SHA = "sha256:" + "a" * 64
REGISTRY = "registry.example.com:5000/mirror"
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")

hosts = st.sampled_from(["quay.io", "docker.io", "localhost", "registry:5000", "Example.com", "10.0.0.1:80"])
parts = st.from_regex(r"\A[a-z0-9]{1,5}((\.|_|__|-{1,3})[a-z0-9]{1,5}){0,2}\Z")
paths = st.lists(parts, min_size=1, max_size=3).map("/".join)
tags = st.sampled_from(["", "v1", "v2.0", "latest", "sha256-aaaaaaaaaaaa"])
digests = st.sampled_from(["", SHA, f"{SHA[:-1]}b", "sha512:" + "a" * 128, f"sha512:{'a' * 127}b"])
references = st.builds(ImageReference, hosts, paths, tags, digests)
images = st.lists(references.map(str), min_size=1, max_size=8, unique=True)


def places_of(names: list[str], *, scoped: bool) -> tuple[MirrorPlace, ...]:
    """Return the places of images; those that collide go."""
    mirror = Mirror(registry=REGISTRY, scoped=scoped)
    while (found := assign_places([(name, HERE) for name in names], mirror)).findings:
        assert {each.rule.id for each in found.findings} == {"mirror-collision"}
        names = names[:-1]
    return found.value


def files_of(places: tuple[MirrorPlace, ...], *, scoped: bool) -> dict[str, str]:
    carried = MirrorContents(
        target="a",
        release="v1.0.0",
        origins=("targets/a.yaml",),
        places=places,
        uses=(),
        mirror=Mirror(registry=REGISTRY, scoped=scoped),
    )
    return render_mirror_files(carried)


def followed(image: ImageReference, sets: list[JsonObject]) -> str:
    """Return where a node pulls an image: the most specific source wins, and its prefix is replaced."""
    key = "imageDigestMirrors" if image.digest else "imageTagMirrors"
    entries = [each for one in sets for each in one["spec"].get(key, ())]
    fitting = [each for each in entries if f"{image.repository}/".startswith(f"{each['source']}/")]
    best = max(fitting, key=lambda each: len(each["source"]))
    (mirror,) = best["mirrors"]
    return f"{mirror}{image.repository.removeprefix(best['source'])}"


def mapped(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.split("=") for line in lines)


@given(images, st.booleans())
def test_every_file_has_every_image_at_the_same_place(names: list[str], scoped: bool) -> None:
    places = places_of(names, scoped=scoped)
    files = files_of(places, scoped=scoped)
    sources = [str(each.source) for each in places]
    assert [line for line in files["images.txt"].splitlines() if line[0] != "#"] == sources
    config = read_yaml(files["imageset-config.yaml"])["mirror"]["additionalImages"]
    assert [each["name"] for each in config] == sources
    targets = [each.get("targetRepo", each["name"].partition("/")[2]) for each in config]
    sync = read_yaml(files["skopeo-sync.yaml"])
    synced = {
        (host, path, version)
        for host, content in sync.items()
        for path, versions in content["images"].items()
        for version in versions
    }
    assert synced == {(*each.source[:2], each.source.version) for each in places}
    sets = [each for each in read_yaml_documents(files["mirror-sets.yaml"]) if each]
    copies = mapped(files["mapping.txt"])
    for each, target in zip(places, targets, strict=True):
        copy = copies.get(str(each.source), each.copy_reference)
        assert str(each.source) in files["mapping.txt"]
        assert followed(each.source, sets) == copy.rpartition(":")[0] == each.repository
        assert f"{REGISTRY}/{target}".startswith(each.repository)
        assert TAG.fullmatch(copy.rpartition(":")[2])
    assert len(set(copies.values())) == len(copies)


@given(images, st.booleans())
def test_names_in_the_mirror_are_references(names: list[str], scoped: bool) -> None:
    for each in places_of(names, scoped=scoped):
        assert str(parse_image_reference(each.mirror_reference)) == each.mirror_reference
        assert str(parse_image_reference(each.copy_reference)) == each.copy_reference


@given(images)
def test_the_order_of_images_makes_no_difference(names: list[str]) -> None:
    places = places_of(names, scoped=True)
    again = [name for each in reversed(places) for name in reversed(each.names)]
    assert places_of(again, scoped=True) == places


def test_an_image_with_two_names_goes_once() -> None:
    names = [
        "redis",
        "redis:latest",
        "docker.io/library/redis:latest",
        f"a/b:v1@{SHA}",
        f"docker.io/a/b@{SHA}",
    ]
    first, second = places_of(names, scoped=False)
    assert (first.mirror_reference, len(first.names)) == (f"{REGISTRY}/a/b@{SHA}", 2)
    assert (second.copy_reference, len(second.names)) == (f"{REGISTRY}/library/redis:latest", 3)


def test_digests_that_begin_alike_have_tags_of_their_own() -> None:
    names = ["a.io/b:sha256-aaaaaaaaaaaa", f"a.io/b@{SHA}", f"a.io/b@{SHA[:-1]}b"]
    found = {each.copy_reference for each in places_of(names, scoped=False)}
    assert len(found) == 3


@pytest.mark.parametrize(
    ("one", "other", "collides"),
    [
        ("quay.io/a/b:v1", "docker.io/a/b:v1", True),
        ("quay.io/a/b:v1", "docker.io/a/b:v2", True),
        (f"quay.io/a/b@{SHA}", "docker.io/a/b:v2", True),
        (f"quay.io/a/b@{SHA}", f"docker.io/a/b@{SHA[:-1]}b", True),
        (f"quay.io/a/b@{SHA}", f"docker.io/a/b@{SHA}", False),
        ("quay.io/a/b:v1", "quay.io/a/b:v2", False),
    ],
)
def test_what_shares_a_path_with_other_content_collides(one: str, other: str, collides: bool) -> None:
    images = [(one, HERE), (other, HERE)]
    found = assign_places(images, Mirror(registry=REGISTRY)).findings
    assert [each.rule.id for each in found] == ["mirror-collision"] * collides
    for each in found:
        assert "found docker.io/a/b and quay.io/a/b, expected one repository for" in each.message
        assert "--scoped" in each.hint
    assert assign_places(images, Mirror(registry=REGISTRY, scoped=True)).findings == ()


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("quay.io/Apps/web:v1", 'found "Apps" in the path'),
        ("[::1]:5000/a:v1", "mirror sets take no IPv6 addresses"),
        ("a.io/b@md5:" + "a" * 32, "expected one by sha256 or sha512"),
        (f"{REGISTRY.replace('/mirror', '')}/a:v1", ""),
        ("a.io/" + "b" * 250 + ":v1", "found a path of 257 characters, expected at most 255"),
    ],
)
def test_what_no_mirror_takes_is_told(image: str, message: str) -> None:
    found = assign_places([(image, HERE)], Mirror(registry=REGISTRY)).findings
    assert [each.rule.id for each in found] == ["mirror-image"] * bool(message)
    assert all(message in each.message for each in found)


@pytest.mark.parametrize("version", [":v1", f"@{SHA}"])
@pytest.mark.parametrize("scoped", [False, True])
@pytest.mark.parametrize("registry", ["quay.io", "quay.io/a"])
def test_what_is_in_the_mirror_stays_as_it_is(version: str, scoped: bool, registry: str) -> None:
    image = f"quay.io/a/b{version}"
    made = assign_places([(image, HERE)], Mirror(registry=registry, scoped=scoped))
    (place,) = made.value
    assert (made.findings, place.there, place.copy_reference, place.mirror_reference) == (
        (),
        True,
        image,
        image,
    )
    assert {*files_of(made.value, scoped=scoped)} == {"README.md", "images.txt"}


def test_no_copy_takes_the_place_of_what_is_there() -> None:
    images = [("quay.io/a/b:v1", HERE), ("docker.io/a/b:v1", HERE)]
    (found,) = assign_places(images, Mirror(registry="quay.io")).findings
    assert found.rule.id == "mirror-collision"


@pytest.mark.parametrize(
    "text",
    [
        "", "https://a.io", "a.io/", "a.io/Path", "a.io/b:v1", "a.io:v1", "a.io:99999", f"a.io/b@{SHA}",
        "registry", "[::1]:5000", "-a.io", "user@a.io", "a.io//b", "a.io/b c", "a.io/b?c", "a.io\n",
    ],
)  # fmt: skip
def test_what_is_no_registry_is_told(text: str) -> None:
    assert re.search(r"found .*expected ", find_registry_fault(text), re.DOTALL)


@pytest.mark.parametrize("text", ["a.io", "a.io:5000", "localhost", "registry:5000/a/b_c", "10.0.0.1/x"])
def test_a_port_is_no_tag(text: str) -> None:
    assert find_registry_fault(text) == ""


HOSTS = ["[fd00::1]:5000", "quay.io", "localhost:5000", "10.0.0.1:80"]


def test_registries_have_paths_of_their_own() -> None:
    made = assign_places([(f"{host}/a/b:v1", HERE) for host in HOSTS], Mirror(registry=REGISTRY, scoped=True))
    assert [each.message for each in made.findings] == [
        '"[fd00::1]:5000/a/b:v1": found the address "[fd00::1]:5000", expected a name: mirror sets take no '
        "IPv6 addresses"
    ]
    assert len({each.repository for each in made.value}) == len(HOSTS) - 1
    assert all(
        parse_reference_or_error(each.mirror_reference) == parse_image_reference(each.mirror_reference)
        for each in made.value
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [("a.b:5000", "a.b-5000"), ("A.b", "a.b")],
)
def test_registries_that_would_share_a_path_are_told(first: str, second: str) -> None:
    mirror = Mirror(registry=REGISTRY, scoped=True)
    images = [(f"{host}/x:v1", HERE) for host in (first, second)]
    assert [each.rule.id for each in assign_places(images, mirror).findings] == ["mirror-collision"]
    apart = [(f"{first}/x:v1", HERE), (f"{second}/y:v1", HERE)]
    assert assign_places(apart, mirror).findings == ()
