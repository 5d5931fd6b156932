"""kitgen images lock: digests from files go into the lock of a release, or it is said why not."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.text.yaml import JsonObject, dump_yaml, dump_yaml_documents, read_yaml

ONE, TWO, THREE = (f"sha256:{digit * 64}" for digit in "123")
HELLO, HELPER = "quay.io/example/hello:v1.0.0", "quay.io/example/helper:v1.0.0"
FILE = "locks/v1.0.0.yaml"
HEAD = "# yaml-language-server: $schema=../schemas/lock.json\n"
LOCKED = f"{HEAD}release: v1.0.0\nimages:\n  {HELLO}:\n    digest: {ONE}\n"
TWO_TAGS = f"""\
runtimeImages:
  job: {{image: "{HELPER}", source: code}}
  other: {{image: "quay.io/example/helper:v2.0.0", source: code}}
"""
OLDER = "quay.io/example/hello:v0.9.0"


def lock(*args: object, stdin: str = "") -> Run:
    return run("images", "lock", *args, stdin=stdin)


def inspected(digest: str = ONE, name: str = "quay.io/example/hello") -> str:
    return json.dumps({"Name": name, "Digest": digest, "RepoTags": ["v0.9.0", "v1.0.0"]})


def bundle(version: str, image: str = f"quay.io/example/hello@{ONE}") -> str:
    spec = {"version": version, "relatedImages": [{"name": "hello", "image": image}]}
    return json.dumps({"kind": "ClusterServiceVersion", "spec": spec})


def info(digest: str, index: str = "", architecture: str = "amd64") -> str:
    config = {"os": "linux", "architecture": architecture}
    data = {"name": HELLO, "digest": digest, "contentDigest": digest, "listDigest": index, "config": config}
    return json.dumps(data)


def entries(kit: Path) -> JsonObject:
    found: JsonObject = read_yaml((kit / FILE).read_text())["images"]
    return found


def add(kit: Path, text: str) -> None:
    path = kit / "components/hello/v1.0.0/component.yaml"
    path.write_text(f"{path.read_text()}{text}")


def refused(kit: Path, told: str, *args: object, stdin: str = "", code: int = 1) -> None:
    """Expect that something is told, and that nothing is written."""
    before = kits.contents(kit)
    done = lock(*args, stdin=stdin)
    assert (done.code, done.out) == (code, ""), done
    assert told in done.err
    assert "Traceback" not in done.err
    assert kits.contents(kit) == before


def test_a_lock_is_written_once(kit: Path) -> None:
    done = lock("--image", HELLO, "-", stdin=inspected())
    assert (done.code, done.out) == (0, f"{FILE}\n")
    assert done.err == f"{HELLO}: sha256:111111111111… is new\nlocked: 1 of 1 image of v1.0.0\n"
    text = (kit / FILE).read_text()
    assert text == f"{LOCKED}    platform: all\n    source: skopeo inspect\n"
    before = kits.contents(kit)
    again = lock("--image", HELLO, "-", stdin=inspected())
    assert (again.code, again.out, again.err) == (0, "", "locked: 1 of 1 image of v1.0.0\n")
    assert kits.contents(kit) == before
    assert run("check", "-o", "lines").out == ""
    assert lock("--check").code == 0


def test_what_is_not_locked_yet_is_told(kit: Path) -> None:
    add(kit, TWO_TAGS)
    done = lock("--tool", "skopeo inspect", "-", stdin=f"{ONE} docker://{HELPER}\n")
    assert done.err.splitlines()[1:] == [
        f"missing: {HELLO}",
        "missing: quay.io/example/helper:v2.0.0",
        "locked: 1 of 3 images of v1.0.0",
    ]
    checked = lock("--check")
    assert (checked.code, checked.out) == (1, f"missing: {HELLO}\nmissing: quay.io/example/helper:v2.0.0\n")


def test_check_writes_nothing(kit: Path) -> None:
    before = kits.contents(kit)
    done = lock("--check", "-", stdin=inspected())
    assert (done.code, done.out) == (1, f"stale: {FILE}\n")
    assert kits.contents(kit) == before
    assert lock().code == 0
    assert not (kit / "locks").exists()


@pytest.mark.parametrize(
    ("told", "args", "source"),
    [
        (inspected(), (), "skopeo inspect"),
        (ONE, ("--tool", "crane digest"), "crane digest"),
        (f"quay.io/example/hello@{ONE}", ("--tool", "skopeo copy"), "skopeo copy"),
        (f"{ONE} docker://quay.io/example/hello:v1.0.0", ("--tool", "skopeo inspect"), "skopeo inspect"),
        (ONE, (), None),
    ],
)
def test_a_lock_names_the_tool_that_reported_the_digest(
    kit: Path, told: str, args: tuple[str, ...], source: str | None
) -> None:
    done = lock("--image", HELLO, *args, "-", stdin=told)
    assert done.code == 0
    assert entries(kit)[HELLO].get("source") == source
    assert ("what reported 1 digest is not said: --tool names it" in done.err) == (source is None)
    assert lock("--image", HELLO, "--tool", "crane digest", "-", stdin=told).code == 0
    assert entries(kit)[HELLO]["source"] == (source or "crane digest")


def test_several_files_at_once(kit: Path) -> None:
    add(kit, TWO_TAGS)
    kits.write(
        kit.parent,
        {
            "a.txt": f"{ONE} docker://{HELPER}\n{TWO} docker://quay.io/example/helper:v2.0.0\n",
            "b.json": inspected(THREE),
        },
    )
    assert lock("../a.txt", "../b.json", "--check").code == 1
    assert lock("../a.txt", "../b.json").code == 0
    assert {name: each["digest"] for name, each in entries(kit).items()} == {
        HELLO: THREE,
        HELPER: ONE,
        "quay.io/example/helper:v2.0.0": TWO,
    }
    assert list(entries(kit)) == sorted(entries(kit))


def test_what_names_no_tag_is_paired_if_it_can_be(kit: Path) -> None:
    add(kit, TWO_TAGS)
    without = inspected(name="quay.io/example/helper")
    refused(
        kit, '-:1 /Digest: digest-image: found "quay.io/example/helper" without its tag', "-", stdin=without
    )
    refused(kit, "-:1: digest-image: found a digest alone", "-", stdin=f"{ONE}\n")
    refused(kit, f'expected "{HELLO}", as --image says', "--image", HELLO, "-", stdin=without)
    refused(kit, "did you mean", "--image", "quay.io/example/helo:v1.0.0", "-", stdin=ONE, code=2)
    refused(kit, '--image "A": found', "--image", "A", "-", stdin=ONE, code=2)
    refused(kit, "--image is for what a FILE tells", "--image", HELLO, code=2)
    assert lock("--image", HELPER, "-", stdin=without).code == 0
    assert lock("--image", HELLO, "-", stdin=f"{TWO}\n").code == 0
    assert {name: each["digest"] for name, each in entries(kit).items()} == {HELPER: ONE, HELLO: TWO}


@pytest.mark.parametrize(
    "told", [inspected(), f"quay.io/example/hello@{ONE}\n", bundle("1.0.0"), bundle("1.0.0+4")]
)
def test_a_guess_is_told(kit: Path, told: str) -> None:
    done = lock("-", stdin=told)
    assert (done.code, entries(kit)[HELLO]["digest"]) == (0, ONE)
    want = 'warning: digest-untagged: found no tag of "quay.io/example/hello", taken for'
    assert f'{want} "{HELLO}", the only one of v1.0.0 (hint: --image {HELLO} says' in done.err
    assert done.err.startswith("-:1")
    assert "digest-untagged" not in lock("--image", HELLO, "-", stdin=told).err


def test_a_bundle_of_another_version_is_no_guess(kit: Path) -> None:
    want = (
        'digest-image: found "quay.io/example/hello" without its tag in a bundle of "0.9.0", expected one of'
    )
    refused(kit, f"/spec/relatedImages/0/image: {want} v1.0.0", "-", stdin=bundle("0.9.0"))
    offered = {"type": "olm.package", "value": {"packageName": "hello", "version": "0.9.0"}}
    related = [{"image": f"quay.io/example/hello@{ONE}"}]
    catalog = {"schema": "olm.bundle", "properties": [offered], "relatedImages": related}
    refused(kit, want, "-", stdin=json.dumps(catalog))
    tagged = lock("-", stdin=bundle("0.9.0", f"{HELLO}@{ONE}"))  # the tag says which one it is
    assert (tagged.code, "digest-" in tagged.err) == (0, False)


def offered(version: str, *images: str, package: str = "hello-operator") -> JsonObject:
    value = {"packageName": package, "version": version}
    return {
        "schema": "olm.bundle",
        "name": f"{package}.v{version}",
        "package": package,
        "properties": [{"type": "olm.package", "value": value}],
        "relatedImages": [{"name": "", "image": f"quay.io/bundles/{package}@{THREE}"}]
        + [{"name": "x", "image": image} for image in images],
    }


def own(digest: str) -> str:
    return f"quay.io/example/hello@{digest}"


PACKAGE: JsonObject = {"schema": "olm.package", "name": "hello-operator", "defaultChannel": "stable"}


@pytest.mark.parametrize("form", ["json", "lines", "yaml"])
def test_a_catalog_has_the_bundle_of_the_release(kit: Path, form: str) -> None:
    bundles = [offered("0.9.0", own(TWO)), offered("1.0.0", own(ONE)), offered("1.1.0", own(THREE))]
    others = [offered("1.0.0", own(TWO), package="other"), offered("2.0.0", "quay.io/x/y", package="third")]
    blobs = [PACKAGE, *bundles, *others]
    text = {
        "json": "\n".join(json.dumps(each, indent=4) for each in blobs),
        "lines": "".join(f"{json.dumps(each)}\n" for each in blobs),
        "yaml": dump_yaml_documents(blobs),
    }[form]
    done = lock("-", stdin=text)
    assert (done.code, entries(kit)[HELLO]["digest"]) == (0, ONE), done.err
    passed = "hello-operator 0.9.0, hello-operator 1.1.0 and third 2.0.0"
    assert f"passed over 3 bundles that are not of v1.0.0: {passed}\n" in done.err
    assert done.err.count("digest-untagged") == 1
    (kit / FILE).unlink()
    done = lock("--image", HELLO, "-", stdin=text)
    assert (done.code, entries(kit)[HELLO]["digest"], "digest-" in done.err) == (0, ONE, False), done.err


def test_a_package_may_be_called_after_the_bundle_of_a_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid/olm-bundle")
    target = root / "targets/olm.yaml"
    target.write_text(target.read_text().replace("package: hello-operator", "package: greeter"))
    monkeypatch.chdir(root)
    blobs = [offered(each, own(TWO), package="greeter") for each in ("0.9.0", "1.1.0")]
    blobs += [offered("1.0.0", own(ONE), package="greeter"), offered("1.0.0", own(THREE), package="other")]
    done = lock("-", stdin=dump_yaml_documents(blobs))
    assert (done.code, entries(root)[HELLO]["digest"]) == (0, ONE), done.err


def test_a_tag_says_which_image_it_is_in_a_bundle_of_any_version(kit: Path) -> None:
    add(kit, TWO_TAGS)
    blobs = [offered("0.8.0", f"{HELPER}@{TWO}"), offered("0.9.0", own(TWO)), offered("1.0.0", own(ONE))]
    done = lock("-", stdin=dump_yaml_documents(blobs))
    assert {name: each["digest"] for name, each in entries(kit).items()} == {HELLO: ONE, HELPER: TWO}
    assert "passed over 1 bundle that is not of v1.0.0: hello-operator 0.9.0\n" in done.err


def test_a_catalog_without_a_bundle_of_the_release(kit: Path) -> None:
    several = [offered(f"0.{number}.0", own(TWO)) for number in range(300)]
    told = '"hello-operator 0.4.0" and 295 more, expected a bundle of v1.0.0 (hint: lock from a catalog'
    refused(kit, told, "-", stdin=dump_yaml_documents([PACKAGE, *several]))
    refused(kit, "1 error in 1 file", "-", stdin=dump_yaml_documents([PACKAGE, *several]))
    others = [offered("0.9.0", "quay.io/x/y@" + ONE), offered("1.0.0", "quay.io/x/y@" + TWO)]
    told = 'digest-image: found no image of v1.0.0 by its digest in "hello-operator 1.0.0"'
    refused(kit, told, "-", stdin=dump_yaml_documents(others))
    add(kit, TWO_TAGS)
    told = f'found no digest of "{HELPER}", as --image says, in the bundle'
    refused(kit, told, "--image", HELPER, "-", stdin=dump_yaml_documents([offered("1.0.0", own(ONE))]))


def test_images_of_others_are_left_out(kit: Path) -> None:
    lines = f"{ONE} docker://{HELLO}\n{TWO} docker://{OLDER}\n{TWO} docker://quay.io/other/x:v1\n"
    done = lock("-", stdin=lines)
    assert done.code == 0
    assert f"left out, since no target of v1.0.0 uses it: {OLDER} and quay.io/other/x:v1" in done.err
    assert f"{OLDER} is not what the release has: {HELLO}" in done.err
    assert list(entries(kit)) == [HELLO]


def test_what_specs_name_by_digest_needs_no_word(kit: Path) -> None:
    add(kit, f"runtimeImages: {{job: {{image: 'quay.io/example/job@{TWO}', source: code}}}}\n")
    related = {"relatedImages": [{"image": f"quay.io/example/job@{TWO}"}, {"image": f"{HELLO}@{ONE}"}]}
    done = lock("-", stdin=dump_yaml(related))
    assert (done.code, "left out" in done.err, list(entries(kit))) == (0, False, [HELLO])


@pytest.mark.parametrize(
    "command",
    [
        ("build", "olm"),
        ("render", "olm", "--out", "out"),
        ("mirror", "olm", "--registry", "mirror.local", "--out", "out"),
    ],
    ids=["build", "render", "mirror"],
)
def test_a_release_from_before_goes_by_tags_with_a_warning(kit: Path, command: tuple[str, ...]) -> None:
    digests(kit)
    release = "release: v0.9.0\ncomponents: {hello: v1.0.0}\n"
    kits.write(kit, {"releases/v0.9.0.yaml": release, FILE: LOCKED})
    assert "lock-absent" not in run(*command).err
    done = run(*command, "--release", "v0.9.0")
    told = "warning: lock-absent: found no locks/v0.9.0.yaml, so that images of v0.9.0 go by their tags"
    assert (done.code, done.err.count(told)) == (0, 1)
    assert "targets/olm.yaml:" in done.err


def test_an_image_by_its_digest_needs_no_word(kit: Path) -> None:
    job = f"quay.io/example/job@{TWO}"
    more = f"runtimeImages: {{a: {{image: '{job}', source: code}}, b: {{image: '{HELPER}', source: code}}}}"
    add(kit, f"{more}\n")
    done = lock("-", stdin=f"{TWO} docker://mirror.local/example/job@{TWO}\n")
    assert (done.code, done.out, "left out" in done.err) == (0, "", False)


def test_what_specs_name_by_digest_is_no_guess_for_a_tag(kit: Path) -> None:
    add(kit, f"runtimeImages: {{a: {{image: 'quay.io/example/hello@{TWO}', source: code}}}}\n")
    done = lock("-", stdin=f"quay.io/example/hello@{TWO}\n")
    assert (done.code, done.out, "digest-untagged" in done.err) == (0, "", False)


@pytest.mark.parametrize(
    ("platform", "good"),
    [("all", True), ("linux/amd64", True), ("linux/arm/v7", True), ("linux", False), ("a/b/c/d", False),
     ("Linux/amd64", False), ("linux/amd64 ", False), ("everything", False)],
)  # fmt: skip
def test_a_platform_is_one(kit: Path, platform: str, good: bool) -> None:
    kits.write(kit, {FILE: f"{LOCKED}    platform: '{platform}'\n"})
    told = run("check", "-o", "lines").out
    assert ("expected all, or a platform such as linux/amd64" in told) is not good, told


def test_two_digests_for_one_image(kit: Path) -> None:
    lines = f"{ONE} docker://{HELLO}\n{TWO} docker://{HELLO}\n"
    want = f'-:2: digest-differs: found sha256:222222222222… for "{HELLO}", and -:1 has sha256:111111111111…'
    refused(kit, want, "-", stdin=lines)
    refused(kit, want, "--update", "-", stdin=lines)
    kits.write(kit, {FILE: LOCKED})
    moved = "locks/v1.0.0.yaml has sha256:111111111111…: the tag moved (hint: --update takes the new one)"
    refused(kit, moved, "-", stdin=inspected(TWO))
    done = lock("--update", "-", stdin=inspected(TWO))
    assert (done.code, entries(kit)[HELLO]["digest"]) == (0, TWO)
    assert f"{HELLO}: sha256:111111111111… becomes sha256:222222222222…" in done.err


def test_an_index_counts_before_platforms(kit: Path) -> None:
    done = lock("-", stdin=info(TWO))
    assert (done.code, entries(kit)[HELLO]["platform"]) == (0, "linux/amd64")
    assert 'warning: lock-platform: found the digest of "linux/amd64" alone' in done.err
    assert "lock-platform" in run("check", "-o", "lines").out
    refused(kit, "digest-differs", "-", stdin=info(THREE, architecture="arm64"))
    assert lock("--check").code == 0  # a warning alone
    done = lock("-", stdin=info(TWO, index=ONE))  # nobody need say that it is meant
    assert (done.code, entries(kit)[HELLO]) == (
        0,
        {"digest": ONE, "platform": "all", "source": "oc image info"},
    )
    done = lock("-", stdin=info(TWO))
    assert "the digest of linux/amd64 is left out, since that of the index is there" in done.err
    assert entries(kit)[HELLO]["digest"] == ONE
    (kit / FILE).unlink()
    both = f"[{info(TWO)}, {info(THREE, architecture='arm64')}, {info(TWO, index=ONE)}]"
    assert (lock("-", stdin=both).code, entries(kit)[HELLO]["digest"]) == (0, ONE)
    (kit / FILE).unlink()
    refused(
        kit,
        "hint: lock the digest of the index",
        "-",
        stdin=f"[{info(TWO)}, {info(THREE, architecture='arm64')}]",
    )


def test_stale_entries_stay_until_they_are_to_go(kit: Path) -> None:
    kits.write(kit, {FILE: f"{LOCKED}  {OLDER}:\n    digest: {TWO}\n"})
    before = (kit / FILE).read_text()
    done = lock("-", stdin=inspected(ONE).replace("example/hello", "example/other"))
    assert (done.code, (kit / FILE).read_text()) == (0, before)
    assert "lock-unused" in done.err
    assert "(hint: kitgen images lock --prune takes it away)" in done.err
    assert lock("--check").code == 1
    assert lock("--prune", "--check").out == f"stale: {FILE}\n"
    done = lock("--prune")
    assert (done.code, done.out, list(entries(kit))) == (0, f"{FILE}\n", [HELLO])
    assert lock("--check").code == 0


def test_comments_stay_where_they_can(kit: Path) -> None:
    text = (
        f"# ours\n# and more\nrelease: v1.0.0\nimages:\n  # tested on Monday\n  {HELLO}:\n    digest: {ONE}\n"
    )
    kits.write(kit, {FILE: text})
    assert lock("-", stdin=f"{ONE} docker://{HELLO}\n").out == ""
    assert (kit / FILE).read_text() == text  # nothing to say, so nothing changes
    assert lock("--update", "-", stdin=inspected(TWO)).code == 0
    found = (kit / FILE).read_text()
    assert found.startswith(f"{HEAD}# ours\n# and more\nrelease: v1.0.0\n")
    assert f"images:\n  # tested on Monday\n  {HELLO}:\n    digest: {TWO}\n" in found
    (kit / FILE).write_text(text.replace(f"digest: {ONE}\n", f"digest: {ONE} # odd\n# end\n"))
    assert (
        "2 comments between the lines of the lock could not be kept"
        in lock("--update", "-", stdin=inspected(TWO)).err
    )


def test_the_release_must_be_plain(kit: Path) -> None:
    kits.write(kit, {"releases/v1.1.0.yaml": "release: v1.1.0\nfrom: v1.0.0\nreplaces: v1.0.0\n"})
    olm = kit / "targets/olm.yaml"
    olm.write_text(olm.read_text().replace("release: v1.0.0", "release: v1.1.0"))
    refused(kit, "targets pin v1.0.0 and v1.1.0", "-", stdin=inspected(), code=2)
    refused(kit, "no release 'v1.2.0'", "--release", "v1.2.0", "-", stdin=inspected(), code=2)
    assert lock("--release", "v1.1.0", "-", stdin=inspected()).out == "locks/v1.1.0.yaml\n"
    assert run("list").code == 0
    assert run("check", "-q").code == 0
    assert run("release", "new", "v1.2.0", "--date", "2030-01-31").code == 0


def test_a_lock_goes_with_its_release(kit: Path) -> None:
    kits.write(
        kit,
        {
            "releases/v0.9.0.yaml": "release: v0.9.0\ncomponents: {hello: v1.0.0}\n",
            "locks/v0.9.0.yaml": LOCKED.replace("release: v1.0.0", "release: v0.9.0"),
        },
    )
    done = run("retire", "release:v0.9.0")
    assert (done.code, done.out) == (0, "locks/v0.9.0.yaml\nreleases/v0.9.0.yaml\n")
    assert run("check", "-q").code == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "../x:1: digest-form: found an empty file"),
        (b"\xff\xfe\x00\x00\x9c", "../x:1: file-encoding: "),
        (b"\x7fELF\x02\x01\x01\x00\x00", "../x:1: "),
        (b'{"Name": "quay.io/a/b", ', "../x:1"),
        (b"a:\n- b\n  c: [\n", "../x:"),
        (
            b'{"schemaVersion": 2, "manifests": []}',
            "(hint: skopeo inspect --no-tags docker://IMAGE prints it",
        ),
        (b"quay.io/Example/x@" + ONE.encode(), '"quay.io/Example/x@sha256:1111'),
        ((ONE + "\n" + "x y\n" * 100_000).encode(), "findings-limit: found more than 1000 errors"),
    ],
)
def test_bad_input_is_told(kit: Path, content: bytes, told: str) -> None:
    (kit.parent / "x").write_bytes(content)
    refused(kit, told, "../x")


def test_files_that_are_none(kit: Path) -> None:
    refused(kit, "no such file or folder: 'nowhere'", "nowhere", code=2)
    refused(kit, "file-kind: found a folder", "..")
    kits.write(kit, {FILE: LOCKED.replace("digest: ", "digst: ")})
    refused(
        kit,
        f"{FILE}:5 /images/quay.io~1example~1hello:v1.0.0/digst: spec-unknown-key",
        "-",
        stdin=inspected(),
    )


def test_a_target_is_locked_from_its_specs(kit: Path) -> None:
    """What digests make of an image is no other image."""
    olm = kit / "targets/olm.yaml"
    olm.write_text(olm.read_text() + "digests: true\n")
    assert run("render").code == 1
    assert lock("-", stdin=inspected()).code == 0
    assert run("render").code == 0
    assert f"image: quay.io/example/hello@{ONE}" in run("build", "olm").out
    assert lock("--check").code == 0
    assert lock("--update", "-", stdin=inspected(TWO)).code == 0
    assert f"image: quay.io/example/hello@{TWO}" in run("build", "olm").out
    assert run("render", "--check").code == 1  # the memory of renders knows locks, too


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"--image={HELLO}", 1),
        (f"--images=a={HELLO},b={HELLO}", 2),
        (f"A={HELLO}\\nB=c\\n{HELLO}\\n", 2),
        (f"--image={HELLO}-debug", 0),
        (f"--image=x{HELLO}", 0),
        (f"--image=oci://{HELLO}", 1),
        (f"podman pull {HELLO} && run docker://{HELLO}", 2),
        (f"containers:\\n- image: {HELLO}\\n", 1),
        (f"https://{HELLO}/x", 0),
    ],
)
def test_digests_reach_whole_images_in_a_text(kit: Path, text: str, count: int) -> None:
    add(
        kit,
        f'objects:\n- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{x: "{text}"}}}}\n',
    )
    kits.write(kit, {FILE: LOCKED})
    plain = run("build", "olm").out.count(f"quay.io/example/hello@{ONE}")
    digests(kit)
    done = run("build", "olm")
    assert plain == 0
    if done.code == 0:
        assert done.out.count(f"quay.io/example/hello@{ONE}") == 1 + count
    else:
        assert (count, "lock-missing" in done.err) == (0, True)


def digests(kit: Path) -> None:
    olm = kit / "targets/olm.yaml"
    olm.write_text(f"{olm.read_text()}digests: true\n")


def test_examples_have_digests_where_they_are_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid/olm-bundle")
    monkeypatch.chdir(root)
    digests(root)
    example = root / "components/hello/v1.0.0/examples/greeting.yaml"
    example.write_text(example.read_text().replace("Good morning", "quay.io/example/shown:v1"))
    others = (HELLO, "quay.io/example/hello-bundled:v1.0.0", "quay.io/example/catalog:v1")
    told = "".join(f"{ONE} docker://{image}\n" for image in others)
    assert lock("-", stdin=told).code == 0
    csv = root / "overlays/olm/bundle/manifests/hello-operator.clusterserviceversion.yaml"
    for more, shown in (
        ("", "quay.io/example/shown:v1"),
        (f"{TWO} docker://quay.io/example/shown:v1\n", TWO),
    ):
        assert not more or lock("-", stdin=more).code == 0
        assert run("render").code == 0
        assert f'{shown}"' in read_yaml(csv.read_text())["metadata"]["annotations"]["alm-examples"]


def test_the_list_needs_no_lock(kit: Path) -> None:
    """It is what digests are looked up for."""
    add(kit, TWO_TAGS)
    digests(kit)
    others = f"{HELPER}\nquay.io/example/helper:v2.0.0\n"
    assert (run("images", "list", "olm", "-o", "plain").out, run("build", "olm").code) == (
        f"{HELLO}\n{others}",
        1,
    )
    kits.write(kit, {FILE: LOCKED})
    done = run("images", "list", "olm", "-o", "plain")
    assert (done.code, done.out) == (0, f"quay.io/example/hello@{ONE}\n{others}")
    kits.write(kit, {"releases/v1.1.0.yaml": "release: v1.1.0\nfrom: v1.0.0\nreplaces: v1.0.0\n"})
    done = run("images", "list", "olm", "--release", "v1.1.0", "-o", "plain")
    assert (done.code, done.out) == (0, f"{HELLO}\n{others}")


def test_a_release_from_before_needs_no_lock(kit: Path) -> None:
    digests(kit)
    olm = kit / "targets/olm.yaml"
    olm.write_text(f"{olm.read_text()}releases: [v0.9.0, v1.0.0]\n")
    kits.write(
        kit,
        {
            "releases/v0.9.0.yaml": "release: v0.9.0\ncomponents: {hello: v1.0.0}\n",
            FILE: LOCKED,
        },
    )
    assert "lock-" not in run("check", "-o", "lines").out
    kits.write(kit, {"locks/v0.9.0.yaml": "release: v0.9.0\nimages: {}\n"})
    assert (
        'found no digest of "quay.io/example/hello:v1.0.0" in locks/v0.9.0' in run("check", "-o", "lines").out
    )
    (kit / "locks/v0.9.0.yaml").unlink()
    (kit / FILE).unlink()
    assert "in locks/v1.0.0.yaml, which is not there" in run("check", "-o", "lines").out


def test_what_goes_by_another_name_is_left_out(kit: Path) -> None:
    done = lock("-", stdin=f"{ONE} docker://mirror.local/hello:v1.0.0\n")
    assert (done.code, done.out) == (0, "")
    assert "left out" in done.err
