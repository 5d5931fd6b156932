"""Releases that build nothing: they say what was released, are checked, and are in nobody's way."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.kit.load import KitSelection, load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.yaml import read_yaml

RECORD = """\
release: v0.9.0
replaces: v0.8.0
records:
  hello: v0.9.0
  world: v0.0.0-dev
exceptions:
- {rule: record-version, pointer: /records/world, reason: it came out like this}
"""


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return a kit with a release that only records versions, one of them a known mistake."""
    return kits.write(kits.make_kit(tmp_path / "kit"), {"releases/v0.9.0.yaml": RECORD})


def edit(kit: Path, name: str, old: str, new: str) -> None:
    file = kit / name
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_it_is_listed_and_no_target_ships_it(kit: Path) -> None:
    listed = json.loads(run("list", "-o", "json", "--root", kit).out)
    assert listed["releases"][0] == {
        "name": "v0.9.0",
        "date": "",
        "replaces": "v0.8.0",
        "components": {},
        "records": {"hello": "v0.9.0", "world": "v0.0.0-dev"},
    }
    assert {name for target in listed["targets"] for name in target["ships"]} == {"v1.0.0"}


@pytest.mark.parametrize("components", ["", "components: {}\n"])
def test_a_known_mistake_is_accepted_with_its_reason(kit: Path, components: str) -> None:
    (kit / "releases/v0.9.0.yaml").write_text(RECORD + components)
    checked = run("check", "-o", "lines", "--root", kit)
    assert (checked.code, checked.out, checked.err.splitlines()[0]) == (0, "", "1 accepted")
    (found,) = json.loads(run("check", "--root", kit, "-o", "json").out)["findings"]
    assert (found["rule"], found["accepted"]) == ("record-version", "it came out like this")


def test_an_accepted_mistake_hides_nothing_that_is_wrong_with_objects(kit: Path) -> None:
    name = "components/hello/v1.0.0/component.yaml"
    edit(kit, name, "hello:v1.0.0", "hello")
    assert " image-tag: " in run("check", "-o", "lines", "--root", kit).out


def test_an_exception_that_meets_nothing_is_told(kit: Path) -> None:
    edit(kit, "releases/v0.9.0.yaml", "v0.0.0-dev", "v0.0.1")
    checked = run("check", "-o", "lines", "--root", kit)
    assert checked.code == 1
    assert checked.out == (
        "releases/v0.9.0.yaml:7 /exceptions/0: exception-stale: found an exception for 'record-version "
        "releases/v0.9.0.yaml /records/world', but there is no such finding (hint: remove it)\n"
    )


def test_an_exception_is_for_its_own_file(kit: Path) -> None:
    other = RECORD.partition("exceptions:")[0].replace("v0.9.0", "v0.9.1")
    kits.write(kit, {"releases/v0.9.1.yaml": other})
    checked = run("check", "-o", "lines", "--root", kit)
    assert checked.code == 1
    assert checked.out.startswith("releases/v0.9.1.yaml:5 /records/world: record-version: ")
    assert checked.out.count("\n") == 1


def test_what_is_taken_over_is_accepted_where_it_is_said(kit: Path) -> None:
    kits.write(kit, {"releases/v0.9.1.yaml": "release: v0.9.1\nfrom: v0.9.0\n"})
    checked = run("check", "-o", "lines", "--root", kit)
    assert (checked.code, checked.out, checked.err.splitlines()[0]) == (0, "", "1 accepted")
    listed = json.loads(run("list", "-o", "json", "--root", kit).out)["releases"]
    assert [each["replaces"] for each in listed] == ["v0.8.0", "", ""]


@pytest.mark.parametrize(
    ("own", "kept"),
    [("", 1), ("remove: [/records/world]\n", 0), ("records: {world: v1.0.0}\n", 0)],
)
def test_what_is_written_out_is_accepted_still(kit: Path, own: str, kept: int) -> None:
    kits.write(kit, {"releases/v0.9.1.yaml": f"release: v0.9.1\nfrom: v0.9.0\n{own}"})
    assert run("flatten", "release:v0.9.1", "--root", kit).code == 0
    written = read_yaml((kit / "releases/v0.9.1.yaml").read_text())
    assert len(written.get("exceptions", ())) == kept
    checked = run("check", "-o", "lines", "--root", kit)
    assert (checked.code, checked.out, checked.err.splitlines()[0]) == (0, "", f"{1 + kept} accepted")


def test_a_release_goes_with_its_own_exceptions(kit: Path) -> None:
    assert run("retire", "release:v0.9.0", "--root", kit).code == 0
    assert run("check", "-o", "lines", "--root", kit).code == 0


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--release", "v0.9.0"],
        ["check", "release:v0.9.0"],
        ["build", "olm", "--release", "v0.9.0"],
        ["render", "--release", "v0.9.0", "--out"],
        ["export", "--release", "v0.9.0", "odh"],
        ["why", "olm", "Deployment/hello", "--release", "v0.9.0"],
    ],
)
def test_nothing_can_be_made_of_it(kit: Path, tmp_path: Path, command: list[str]) -> None:
    folder = [tmp_path / "out"] if command[0] in ("render", "export") else []
    done = run(*command, *folder, "--root", kit)
    told = "release v0.9.0 builds nothing (hint: it only records versions)"
    assert (done.code, done.out, told in done.err) == (2, "", True), done.err
    assert not (tmp_path / "out").exists()


def test_a_render_reads_the_releases_that_it_needs_and_a_check_all(kit: Path) -> None:
    kits.write(
        kit,
        {
            "releases/v1.1.0.yaml": "release: v1.1.0\nfrom: v1.0.0\n",
            "releases/v1.2.0.yaml": "release: [",
        },
    )
    edit(kit, "targets/olm.yaml", "v1.0.0", "v1.1.0")
    files = SpecFiles(kit)
    assert list(load_kit(files, KitSelection()).releases) == ["v1.0.0", "v1.1.0"]
    read = {name for name in files.texts if name.startswith("releases/")}
    assert read == {"releases/v1.0.0.yaml", "releases/v1.1.0.yaml"}
    assert run("render", "--root", kit).code == 0
    assert run("check", "-o", "lines", "--root", kit).code == 1


def test_settings_for_a_release_that_is_not_rendered_are_used(kit: Path) -> None:
    kits.write(kit, {"releases/v1.1.0.yaml": "release: v1.1.0\nfrom: v1.0.0\n"})
    own = '\n    releases: {">=1.1.0": {features: [params]}}\n'
    edit(kit, "targets/olm.yaml", "  hello:\n", f"  hello:{own}")
    assert [run(command, "--root", kit).code for command in ("render", "check")] == [0, 0]


def test_settings_for_a_release_that_builds_nothing_are_not(kit: Path) -> None:
    own = '\n    releases: {"<1.0.0": {features: [params]}}\n'
    edit(kit, "targets/olm.yaml", "  hello:\n", f"  hello:{own}")
    for command in ("render", "check"):
        done = run(command, "--root", kit)
        assert (done.code, "setting-unused: found settings for '<1.0.0'" in done.out + done.err) == (1, True)


def test_a_release_that_is_not_there_is_told_with_all_that_are(kit: Path, tmp_path: Path) -> None:
    done = run("render", "--release", "latest", "--out", tmp_path / "out", "--root", kit)
    assert done.code == 2 and "known are v0.9.0, v1.0.0" in done.err
