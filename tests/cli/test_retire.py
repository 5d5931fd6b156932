"""kitgen retire: what nothing needs goes, and what something needs stays, all of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import kits
import pytest
from running import run

HOME = "components/hello/v1.1.0"
NEW = "component: hello\nversion: v1.1.0\nfrom: v1.0.0\nimages: {manager: quay.io/example/hello:v1.1.0}\n"
CRD = "$add: {v1/spec.text#maxLength: 9}\n"
OVERRIDE = "    overrides: [{version: v1.1.0, releases: '>=1.0.0', why: A fix}]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {f"{HOME}/component.yaml": NEW, f"{HOME}/crds/greetings.yaml": CRD}
    return kits.write(kits.make_kit(tmp_path / "kit"), files)


def texts(root: Path) -> dict[str, bytes]:
    return {name: content for name, (content, _) in kits.contents(root).items()}


def stays(root: Path, source: str, *told: str) -> None:
    """Expect that all of what is told is told, and that nothing is removed."""
    before = texts(root)
    result = run("retire", source, "--root", root)
    assert (result.code, result.out) == (1, ""), result
    lines = result.err.splitlines()[:-1]
    assert len(lines) == len(told), result.err
    for line, want in zip(lines, told, strict=True):
        assert line.startswith(want)
    assert texts(root) == before
    assert not (root / ".kitgen").exists()


@pytest.mark.parametrize("source", ["hello@v1.1.0", "component:hello@v1.1.0"])
def test_a_version_that_nothing_needs_goes(root: Path, source: str) -> None:
    before = texts(root)
    shown = run("retire", source, "--dry-run", "--root", root)
    assert (shown.code, shown.err) == (0, "component:hello@v1.1.0: 2 files to remove\n")
    assert texts(root) == before
    done = run("retire", source, "--root", root)
    assert (done.code, done.out) == (0, shown.out)
    assert shown.out == f"{HOME}/component.yaml\n{HOME}/crds/greetings.yaml\n"
    assert texts(root) == {path: text for path, text in before.items() if not path.startswith(HOME)}
    assert not (root / HOME).exists()
    assert not (root / ".kitgen").exists()
    assert run("check", "-o", "lines", "--root", root).code == 0
    again = run("retire", source, "--root", root)
    assert (again.code, again.err.startswith("error: no version of hello 'v1.1.0' in this kit")) == (2, True)


def test_what_a_release_builds_stays(root: Path) -> None:
    kits.write(
        root,
        {
            "releases/v1.1.0.yaml": "release: v1.1.0\ncomponents:\n  hello: v1.1.0\n",
            "releases/v1.2.0.yaml": "release: v1.2.0\nfrom: v1.1.0\n",
        },
    )
    place = "releases/v1.1.0.yaml:3 /components/hello: retire-needed: hello@v1.1.0 is needed: "
    stays(root, "hello@v1.1.0", f"{place}v1.1.0 and v1.2.0 build it (hint: ")


def test_what_a_target_takes_stays(root: Path) -> None:
    file = root / "targets/olm.yaml"
    file.write_text(f"{file.read_text()}{OVERRIDE}")
    place = "targets/olm.yaml:7 /components/hello/overrides/0/version: retire-needed: "
    stays(root, "hello@v1.1.0", f"{place}hello@v1.1.0 is needed: olm takes it for >=1.0.0 (hint: ")


def test_what_a_version_builds_on_stays(root: Path) -> None:
    release = (
        "releases/v1.0.0.yaml:3 /components/hello: retire-needed: hello@v1.0.0 is needed: v1.0.0 builds it"
    )
    chain = f"{HOME}/component.yaml:3 /from: retire-needed: hello@v1.0.0 is needed: v1.1.0 builds on it"
    stays(root, "hello@v1.0.0", chain, release)


def test_what_settings_are_for_stays(root: Path) -> None:
    file = root / "targets/odh.yaml"
    file.write_text(f"{file.read_text()}    versions:\n      '>=1.1.0': {{replicas: 2}}\n")
    place = "targets/odh.yaml:13 /components/hello/versions/>=1.1.0: setting-unused: "
    hint = "(hint: this would be so without components/hello/v1.1.0; "
    stays(root, "hello@v1.1.0", f"{place}found settings for '>=1.1.0', where the kit has v1.0.0 {hint}")


def test_what_an_exception_is_for_stays(root: Path) -> None:
    mark = root / "kit.yaml"
    place = f"file: {HOME}/component.yaml, pointer: /images/manager"
    mark.write_text(f"{mark.read_text()}exceptions:\n- {{rule: image-tag, {place}, reason: It is so}}\n")
    told = f"kit.yaml:6 /exceptions/0: retire-needed: {HOME} is needed: an exception is for it (hint: "
    stays(root, "hello@v1.1.0", told)


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "crds/notes.md"])
def test_what_is_no_spec_is_not_lost(root: Path, name: str) -> None:
    kits.write(root, {f"{HOME}/{name}": "mine"})
    stays(root, "hello@v1.1.0", f"{HOME}/{name}:1: retire-needed: found something in {HOME} that is no spec")


def test_what_a_link_leads_into_stays(root: Path) -> None:
    home = root / "components/hello/v1.2.0"
    shutil.copytree(root / "components/hello/v1.0.0", home)
    spec = home / "component.yaml"
    spec.write_text(spec.read_text().replace("version: v1.0.0", "version: v1.2.0"))
    (root / HOME / "config.yaml").write_text((home / "config.yaml").read_text())
    (home / "config.yaml").unlink()
    (home / "config.yaml").symlink_to("../v1.1.0/config.yaml")
    stays(root, "hello@v1.1.0", "components/hello/v1.2.0/config.yaml:1: retire-needed: ")


def test_a_folder_that_is_a_link_stays(root: Path) -> None:
    (root / HOME).rename(root / "elsewhere")
    (root / HOME).symlink_to("../../elsewhere")
    stays(root, "hello@v1.1.0", f"{HOME}:1: path-symlink: found a symlink on the way to")
    assert (root / "elsewhere/component.yaml").exists()


def test_in_a_broken_kit_nothing_goes(root: Path) -> None:
    kits.write(root, {"releases/v1.2.0.yaml": "release: v1.2.0\ncomponents: {hello: v9.0.0}\n"})
    stays(root, "hello@v1.1.0", "releases/v1.2.0.yaml:2 /components/hello: reference-missing: ")


def test_a_release_goes_unless_something_needs_it(root: Path) -> None:
    kits.write(
        root,
        {
            "releases/v1.1.0.yaml": "release: v1.1.0\ncomponents: {hello: v1.1.0}\n",
            "releases/v1.2.0.yaml": "release: v1.2.0\nfrom: v1.1.0\n",
        },
    )
    file = root / "targets/olm.yaml"
    listed = "release: v1.0.0\nreleases: [v1.0.0, v1.1.0]\n"
    file.write_text(file.read_text().replace("release: v1.0.0\n", listed))
    stays(
        root,
        "release:v1.1.0",
        "releases/v1.2.0.yaml:2 /from: retire-needed: release v1.1.0 is needed: v1.2.0 builds on it",
        "targets/olm.yaml:4 /releases/1: retire-needed: release v1.1.0 is needed: olm ships it",
    )
    pins = "3 /release: retire-needed: release v1.0.0 is needed: "
    stays(
        root,
        "release:v1.0.0",
        *(f"targets/{name}.yaml:{pins}{name} pins it" for name in ("odh", "olm", "rhoai")),
    )
    done = run("retire", "release:v1.2.0", "--root", root)
    assert (done.code, done.out) == (0, "releases/v1.2.0.yaml\n")
    assert not (root / "releases/v1.2.0.yaml").exists()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "hello",
            "'hello' is not written as a version of a component or a release (hint: ",
        ),
        (
            "v1.0.0",
            "'v1.0.0' is not written as a version of a component or a release (hint: ",
        ),
        ("target:odh", "'target:odh' is not written as a version of a component or a release"),
        ("git:main:component:hello@v1.0.0", "'git:main:component:hello@v1.0.0' is not written as"),
        ("hello@", "'component:hello@' is no source"),
        ("../../etc@v1.0.0", "'component:../../etc@v1.0.0' is no source"),
        ("hello@..", "no version of hello '..' in this kit"),
        ("release:../kit", "'release:../kit' is no source"),
        ("release:v9.0.0", "no release 'v9.0.0' in this kit"),
        ("nobody@v1.0.0", "no component 'nobody' in this kit"),
    ],
)
def test_what_is_not_there_is_wrong_usage(root: Path, source: str, told: str) -> None:
    before = texts(root)
    result = run("retire", source, "--root", root)
    assert (result.code, result.out, result.err.startswith(f"error: {told}")) == (2, "", True), result.err
    assert texts(root) == before


def test_a_picture_that_another_version_shows_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "olm-bundle")
    monkeypatch.chdir(root)
    versions = root / "components/hello"
    for name in ("v0.8.0", "v0.9.0"):
        spec = f"component: hello\nversion: {name}\n"
        kits.write(versions / name, {"component.yaml": f"{spec}listing: {{icon: v0.8.0/icon.svg}}\n"})
    kits.write(versions / "v0.8.0", {"icon.svg": "<svg></svg>"})
    assert run("retire", "hello@v0.9.0").code == 0
    done = run("retire", "hello@v0.8.0")
    assert (done.code, (versions / "v0.8.0/component.yaml").exists()) == (1, True)
    assert "components/hello/v0.8.0/icon.svg:1: retire-needed: found something" in done.err
