"""kitgen release check finds what releases come out with, from the kit alone."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

KIT, RELEASE, NEXT = "kit.yaml", "releases/v1.0.0.yaml", "releases/v1.0.1.yaml"
SPEC, CRD = "components/hello/v1.0.0/component.yaml", "components/hello/v1.0.0/crds/greetings.yaml"
IMAGE = "quay.io/example/hello:v1.0.0"
DIGEST = f"sha256:{'ab' * 32}"
MATRIX = """\
project: hello
matrix:
  rows:
  - {label: Hello, of: release, repository: example/hello}
  - {label: Tester, of: tester, repository: example/tester}
"""
TAGS = "tags:\n  example/hello: [v0.9.0, v1.0.0]\n  example/tester: [v0.1.0, v0.2.0-fork]\n"


@pytest.fixture
def project(kit: Path) -> Path:
    """Return a kit with two releases, a matrix and known tags, in which nothing is wrong."""
    edit(kit, KIT, "", MATRIX)
    edit(kit, RELEASE, "", 'date: "2024-01-31"\nrecords: {tester: v0.1.0}\n')
    newer = "version: v1.0.1\nfrom: v1.0.0\nimages: {manager: quay.io/example/hello:v1.0.1}\n"
    release = "release: v1.0.1\nfrom: v1.0.0\nreplaces: v1.0.0\ncomponents: {hello: v1.0.1}\n"
    files = {"releases/tags.yaml": TAGS, NEXT: release, "components/hello/v1.0.1/component.yaml": newer}
    return kits.write(kit, files)


def edit(kit: Path, name: str, old: str, new: str) -> None:
    """Replace a text that must be there; an empty one is the end of the file."""
    text = (kit / name).read_text()
    assert old in text
    (kit / name).write_text(text.replace(old, new, 1) if old else text + new)


def found(*args: str) -> list[tuple[str, str, str]]:
    """Return rule, file and pointer of what is not accepted."""
    done = run("release", "check", *args, "-o", "json")
    items = json.loads(done.out)["findings"]
    standing = [each for each in items if not each["accepted"]]
    assert done.code == any(each["severity"] == "error" for each in standing)
    return [(each["rule"], each["file"], each["pointer"]) for each in standing]


def test_nothing_is_wrong(project: Path) -> None:
    assert found("--all") == []
    done = run("release", "check", "--all")
    assert (done.code, done.out, done.err) == (0, "", "2 releases, no findings\n")
    assert run("check", "-q").code == 0


def test_the_newest_release_is_looked_at_unless_another_is_named(project: Path) -> None:
    edit(project, RELEASE, "tester: v0.1.0", "tester: v0.0.0-dev")
    edit(project, NEXT, "", "records: {tester: v0.1.0}\n")
    assert found() == []
    assert found("v1.0.1") == []
    assert found("v1.0.0") == [("record-version", RELEASE, "/records/tester")]
    assert found("--all") == found("v1.0.0")


@pytest.mark.parametrize(
    ("file", "old", "new", "want"),
    [
        (NEXT, "", "records: {tester: v.0.0.7}\n", ("record-version", NEXT, "/records/tester")),
        (NEXT, "", "records: {tester: dev}\n", ("record-version", NEXT, "/records/tester")),
        (NEXT, "", "records: {tester: v0.0.1}\n", ("release-backwards", NEXT, "/records/tester")),
        (NEXT, "", "records: {other: v0.0.1}\n", ("release-patch", NEXT, "/records/other")),
        (NEXT, "replaces: v1.0.0", "replaces: v0.9.0", ("release-newest", NEXT, "/replaces")),
        (KIT, "of: release", "of: tester", ("release-row", NEXT, "/components/hello")),
        (NEXT, "", "records: {tester: v0.2.0}\n", ("release-link", NEXT, "/records/tester")),
        (RELEASE, 'date: "2024-01-31"\n', "", None),
        ("releases/tags.yaml", ", v1.0.0]", "]", ("release-link", RELEASE, "/release")),
        ("releases/tags.yaml", "example/tester", "another/tester", None),
        (SPEC, IMAGE, "quay.io/example/hello:vv1.0.0", ("release-image-tag", SPEC, "/images/manager")),
        (SPEC, IMAGE, "quay.io/example/hello:v0.0.0-dev", ("release-image-tag", SPEC, "/images/manager")),
        (SPEC, IMAGE, "quay.io/example/hello:v0.9.0", ("release-image-version", SPEC, "/images/manager")),
        (SPEC, IMAGE, "quay.io/example/hello:latest", ("image-moves", SPEC, "/images/manager")),
        (
            SPEC,
            "command: [/manager]",
            "command: [/manager, --worker=quay.io/example/worker:v.0.0.7]",
            ("release-image-tag", SPEC, "/deployment/containers/manager/command/1"),
        ),
        (
            "components/hello/v1.0.1/component.yaml",
            "images: {manager: quay.io/example/hello:v1.0.1}\n",
            "",
            ("release-image-version", "components/hello/v1.0.1/component.yaml", "/version"),
        ),
        (
            "targets/odh.yaml",
            "    export:",
            "    images: {manager: 'example.org/odh-hello-rhel9:v1.0.0'}\n    export:",
            ("release-image-version", "targets/odh.yaml", "/components/hello/images/manager"),
        ),
        (
            "targets/odh.yaml",
            "    export:",
            "    source: {repository: example/hello, ref: v1.0.7-odh, path: config}\n    export:",
            ("release-source", "targets/odh.yaml", "/components/hello/source/ref"),
        ),
        (
            "targets/odh.yaml",
            "    export:",
            "    source: {repository: example/hello, ref: 'v7-{{ namespace }}', path: config}\n    export:",
            ("release-source", "targets/odh.yaml", "/components/hello/source/ref"),
        ),
        (
            "targets/odh.yaml",
            "    export:",
            "    source: {repository: example/hello, ref: release-1.0, path: config}\n    export:",
            None,
        ),
        (
            RELEASE,
            "",
            "relatedImages: {helo-image: RELATED_IMAGE_HELLO}\n",
            ("related-image-unused", RELEASE, "/relatedImages/helo-image"),
        ),
        (
            RELEASE,
            "",
            "relatedImages: {helo-image: RELATED_IMAGE_HELLO}\n",
            ("related-image-missing", RELEASE, "/relatedImages"),
        ),
    ],
)
def test_each_mistake_is_found(
    project: Path, file: str, old: str, new: str, want: tuple[str, str, str] | None
) -> None:
    if file == "targets/odh.yaml" and want is not None and want[0] == "release-source":
        edit(project, NEXT, "", 'date: "2024-02-29"\n')
    edit(project, file, old, new)
    results = found("--all")
    if want is None:
        assert results == []
        return
    assert want in results
    listed = json.loads(run("check", "-o", "json").out)["findings"]
    assert want in [(each["rule"], each["file"], each["pointer"]) for each in listed]


@pytest.mark.parametrize(("ref", "told"), [("{{ version }}-odh", False), ("v1.0.0-odh", True)])
def test_what_is_not_out_has_no_tag_of_its_own_yet(project: Path, ref: str, told: bool) -> None:
    source = f"    source: {{repository: example/hello, ref: '{ref}', path: config}}\n    export:"
    edit(project, "targets/odh.yaml", "    export:", source)
    assert any(rule == "release-source" for rule, *_ in found()) is told


def test_a_version_of_a_placeholder(kit: Path) -> None:
    (kit / SPEC).parent.rename(kit / "components/hello/v0.0.0-dev")
    edit(kit, "components/hello/v0.0.0-dev/component.yaml", "version: v1.0.0", "version: v0.0.0-dev")
    edit(kit, RELEASE, "hello: v1.0.0", "hello: v0.0.0-dev")
    assert ("record-version", RELEASE, "/components/hello") in found()


def test_a_release_that_is_called_a_placeholder(kit: Path) -> None:
    kits.write(kit, {"releases/v0.0.0-dev.yaml": "release: v0.0.0-dev\nrecords: {tester: v0.1.0}\n"})
    assert found("v0.0.0-dev") == [("record-version", "releases/v0.0.0-dev.yaml", "/release")]


def test_a_row_without_a_spec(project: Path) -> None:
    kits.write(project, {"components/tester/v0.2.0/component.yaml": "component: tester\nversion: v0.2.0\n"})
    assert set(found("v1.0.0")) == {("release-row", RELEASE, "/records/tester")}


@pytest.mark.parametrize(
    ("other", "wanted"), [("registry.example.org/example/hello", 0), ("quay.io/example/helper", 1)]
)
def test_one_digest_in_two_images(project: Path, other: str, wanted: int) -> None:
    edit(project, SPEC, IMAGE, f"quay.io/example/hello@{DIGEST}")
    edit(project, SPEC, "command: [/manager]", f"command: [/manager, --helper={other}@{DIGEST}]")
    at = ("release-image-twice", SPEC, "/deployment/containers/manager/command/1")
    assert found("v1.0.0") == [at] * wanted


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("group: example.com", "group: example.org", "Greeting in the group example.org, which was in"),
        ("kind: Greeting", "kind: Welcome", "found the new CRD Welcome.example.com"),
        ("kind: Greeting", "kind: Welcome", "found no CRD Greeting.example.com"),
        ("scope: Namespaced", "scope: Cluster", "with the scope Cluster, which was Namespaced"),
    ],
)
def test_a_patch_that_changes_an_api(project: Path, old: str, new: str, said: str) -> None:
    declared = (project / CRD).read_text().replace(old, new)
    text = "version: v1.0.1\nfrom: v1.0.0\nremove: [/crds/greetings]\n"
    spec = "components/hello/v1.0.1"
    (project / NEXT).unlink()
    images = "images: {manager: quay.io/example/hello:v1.0.1}\n"
    role = "roles: {manager-role: {permissions: {example.org/greetings: manage}}}\n" if "group" in old else ""
    kits.write(
        project, {f"{spec}/component.yaml": text + images + role, f"{spec}/crds/changed.yaml": declared}
    )
    edit(project, SPEC, "      example.com/greetings: manage\n", "")
    refused = run("release", "new", "v1.0.1", "--hotfix")
    assert refused.code == 1
    assert "/components/hello: release-api: " in refused.err
    assert said in refused.err
    assert not (project / NEXT).exists()
    assert run("release", "new", "v1.0.1", "--hotfix", "--reason", "it never worked").code == 0
    done = run("release", "check", "v1.0.1", "-o", "lines")
    assert done.code == 0
    assert f"{NEXT}:6 /components/hello: accepted: release-api: " in done.out
    assert "(reason: it never worked)" in done.out


def test_a_minor_release_may_change_an_api(project: Path) -> None:
    (project / NEXT).unlink()
    edit(project, "components/hello/v1.0.1/component.yaml", "images:", "remove: [/crds/greetings]\nimages:")
    edit(project, SPEC, "      example.com/greetings: manage\n", "")
    text = "release: v1.1.0\nreplaces: v1.0.0\ncomponents: {hello: v1.0.1}\nrecords: {tester: v0.1.0}\n"
    kits.write(project, {"releases/v1.1.0.yaml": text})
    assert found() == []


@pytest.mark.parametrize(
    ("own", "before", "wanted"),
    [
        ("", "", ["release-newest"]),
        ("skips: [v0.9.5]\n", "", []),
        ("skipRange: '>=0.9.0 <1.0.0'\n", "", []),
        ('date: "2024-01-31"\n', 'date: "2024-02-29"\n', []),
        ('date: "2024-01-31"\n', 'date: "2023-12-31"\n', ["release-newest"]),
        ('date: "2024-01-31"\n', "", []),
    ],
)
def test_what_came_out_before_a_release_is_replaced(
    kit: Path, own: str, before: str, wanted: list[str]
) -> None:
    edit(kit, RELEASE, "", f"replaces: v0.9.0\n{own}")
    kits.write(kit, {"releases/v0.9.5.yaml": f"release: v0.9.5\nrecords: {{a: v1.0.0}}\n{before}"})
    assert [rule for rule, *_ in found("v1.0.0")] == wanted


def test_a_candidate_counts(kit: Path) -> None:
    edit(kit, RELEASE, "", "replaces: v0.9.0\n")
    kits.write(kit, {"releases/v1.0.0-rc.1.yaml": "release: v1.0.0-rc.1\nrecords: {a: v1.0.0}\n"})
    assert found("v1.0.0") == [("release-newest", RELEASE, "/replaces")]
    edit(kit, RELEASE, "replaces: v0.9.0", "replaces: v1.0.0-rc.4")
    assert found("v1.0.0") == []


def test_several_mistakes_are_told_at_once(project: Path) -> None:
    edit(project, NEXT, "", "records: {tester: v0.0.0-dev}\n")
    edit(project, SPEC, IMAGE, "quay.io/example/hello:v.1.0.0")
    assert {rule for rule, *_ in found("--all")} == {"record-version", "release-image-tag"}


def test_what_is_accepted_is_shown_with_its_reason(project: Path) -> None:
    why = "it came out like this"
    accepted = f"exceptions:\n- {{rule: release-link, pointer: /records/tester, reason: {why}}}\n"
    edit(project, NEXT, "", f"records: {{tester: v0.2.0}}\n{accepted}")
    shown = {
        form: run("release", "check", "-o", form) for form in ("text", "lines", "json", "junit", "sarif")
    }
    assert {each.code for each in shown.values()} == {0}
    line = f'{NEXT}:5 /records/tester: accepted: release-link: found "v0.2.0", '
    assert shown["lines"].out == (
        f"{line}which is none of the known tags of example/tester (reason: {why})\n"
    )
    assert shown["lines"].err == "1 accepted\nv1.0.1, no findings\n"
    assert '    5 accepted release-link: found "v0.2.0"' in shown["text"].out
    assert f"      reason: {why}\n" in shown["text"].out
    assert all(why in each.out for each in shown.values())
    assert run("check", "-o", "lines").out == ""
    assert run("release", "check", "--fail-on", "warning").code == 0


def test_a_warning_fails_if_it_is_to(project: Path) -> None:
    edit(project, NEXT, "", "records: {tester: v0.2.0}\n")
    assert run("release", "check").code == 0
    done = run("release", "check", "--fail-on", "warning", "-o", "lines")
    assert (done.code, "(hint: it has v0.2.0-fork)" in done.out) == (1, True)


def test_an_exception_that_meets_nothing_is_told_by_a_check_of_the_kit(project: Path) -> None:
    edit(project, NEXT, "", "exceptions:\n- {rule: release-newest, pointer: /replaces, reason: once}\n")
    assert "exception-stale" in run("check", "-o", "lines").out


def test_a_revision_has_its_own_tags(project: Path) -> None:
    import subprocess

    def git(*args: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *args], check=True)

    edit(project, NEXT, "", "records: {tester: v0.2.0}\n")
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        git(*args)
    edit(project, "releases/tags.yaml", "v0.2.0-fork", "v0.2.0")
    assert "release-link" not in run("check", "-o", "lines").out
    assert (
        f"HEAD:{NEXT}:5 /records/tester: warning: release-link: "
        in run("check", "git:HEAD", "-o", "lines").out
    )


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["v1.0.2"], 2, "no release 'v1.0.2' in this kit (hint: did you mean 'v1.0.1'?)"),
        (["v1.0.1", "--all"], 2, "--all looks at all releases: leave VERSION out"),
        (["--fail-on", "nothing"], 2, "nothing"),
    ],
)
def test_wrong_usage(project: Path, args: list[str], code: int, said: str) -> None:
    done = run("release", "check", *args)
    assert (done.code, done.out, said in done.err) == (code, "", True)


def test_a_kit_without_releases(kit: Path) -> None:
    for file in (*(kit / "releases").iterdir(), *(kit / "targets").iterdir()):
        file.unlink()
    done = run("release", "check")
    assert (done.code, "this kit has no release" in done.err) == (2, True)


@pytest.mark.parametrize("text", ["tags: [", "tags: {example/hello: v1.0.0}\n", "other: {}\n", ""])
def test_tags_that_cannot_be_read(project: Path, text: str) -> None:
    (project / "releases/tags.yaml").write_text(text)
    for command in (["release", "check"], ["check"]):
        done = run(*command, "-o", "lines")
        assert (done.code, done.out.startswith("releases/tags.yaml:")) == (1, True), done.out + done.err
    assert run("render").code == 0


def test_specs_that_cannot_be_read(project: Path) -> None:
    (project / NEXT).write_text("release: [")
    done = run("release", "check", "v1.0.0", "-o", "lines")
    assert (done.code, done.out.startswith(f"{NEXT}:1")) == (1, True)
