"""kitgen pin moves a target to a release: it tells what changes, refuses what breaks, and keeps the file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.text.yaml import read_yaml

ODH = Path("targets/odh.yaml")
CRD = Path("components/hello/v1.1.0/crds/greetings.yaml")
ACCEPT = ("--accept", "upgrade-data", "--reason", "nobody uses it")
ACCEPTED = {"rule": "upgrade-data", "from": "v1.0.0", "to": "v1.1.0", "reason": "nobody uses it"}


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit with two releases the current folder; odh pins the older one, and both have the CRD."""
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "two-releases")
    shutil.copytree(root / "components/hello/v1.0.0/crds", root / "components/hello/v1.1.0/crds")
    monkeypatch.chdir(root)
    edit(ODH, "release: v1.1.0", "release: v1.0.0")
    return root


@pytest.fixture
def breaking(kit: Path) -> Path:
    """Let the newer release lose the CRD, and what is in it."""
    shutil.rmtree(CRD.parent)
    return kit


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_bytes().decode()
    assert old in text
    file.write_bytes(text.replace(old, new).encode())


def pin(*args: object) -> Run:
    return run("pin", *args)


def refused(*args: object) -> Run:
    """Return how a command failed that changed nothing."""
    before = kits.contents(Path())
    done = pin(*args)
    assert done.code == 1
    assert kits.contents(Path()) == before
    return done


def test_a_target_moves_and_the_way_back_is_told(kit: Path) -> None:
    before = ODH.read_text()
    told = run("diff", "target:odh", "target:odh@v1.1.0")
    done = pin("odh", "v1.1.0")
    assert (done.code, done.out) == (0, told.out)
    assert done.err == told.err + (
        "odh: v1.0.0 → v1.1.0 in targets/odh.yaml\nnext: kitgen render\nto go back: kitgen pin odh v1.0.0\n"
    )
    assert ODH.read_text() == before.replace("release: v1.0.0", "release: v1.1.0")
    assert run("render").code == 0
    assert pin("odh", "v1.0.0").code == 0
    assert ODH.read_text() == before


def test_a_dry_run_writes_nothing(kit: Path) -> None:
    before = kits.contents(kit)
    done = pin("odh", "v1.1.0", "--dry-run", "--all")
    assert done.code == 0
    assert "odh: v1.0.0 → v1.1.0 in targets/odh.yaml (not written)\n" in done.err
    assert "image-changed" in done.out
    assert kits.contents(kit) == before


def test_a_target_that_is_there_stays_as_it_is(kit: Path) -> None:
    before = kits.contents(kit)
    done = pin("odh", "v1.0.0")
    assert (done.code, done.out, done.err) == (0, "", "odh is at v1.0.0 already\n")
    assert kits.contents(kit) == before


def test_what_breaks_is_refused(breaking: Path) -> None:
    done = refused("odh", "v1.1.0")
    assert "upgrade-data: CustomResourceDefinition/greetings.example.com was there before" in done.err
    assert done.err.endswith("nothing was written; to move anyway: --accept upgrade-data --reason TEXT\n")
    assert "breaking (1)" in done.out


def test_what_is_accepted_stays_in_the_file_and_is_accepted_from_then_on(breaking: Path) -> None:
    before = ODH.read_text()
    assert pin("odh", "v1.1.0", *ACCEPT).code == 0
    assert read_yaml(ODH.read_text())["exceptions"] == [ACCEPTED]
    assert run("check", "odh", "--baseline", "v1.0.0").code == 0
    assert run("check").code == 0, "nothing holds it against v1.0.0, so nobody knows whether it is stale"
    edit(ODH, "\nnamespace:", "\nupgradesFrom: v1.0.0\nnamespace:")
    for command in (["check"], ["check", "odh/hello"], ["render"], ["build", "odh"], ["build", "odh/hello"]):
        assert run(*command).code == 0, command
    assert run("check", "olm", "--baseline", "v1.0.0").code == 0
    assert run("check", "-o", "json").out.count("nobody uses it") == 1
    edit(ODH, "\nupgradesFrom: v1.0.0", "")
    assert pin("odh", "v1.0.0").code == 0
    assert ODH.read_text() == before, "what is over goes"


def test_what_one_target_accepts_stands_for_another(breaking: Path) -> None:
    assert pin("odh", "v1.1.0", *ACCEPT).code == 0
    edit(ODH, "\nnamespace:", "\nupgradesFrom: v1.0.0\nnamespace:")
    edit(Path("targets/rhoai.yaml"), "release: v1.0.0", "release: v1.1.0\nupgradesFrom: v1.0.0")
    done = run("check", "-o", "lines")
    assert done.code == 1
    assert "upgrade-data" in done.out
    assert run("check", "odh").code == 0


def test_a_target_is_held_against_what_it_says_it_upgrades_from_too(breaking: Path) -> None:
    release = Path("releases/v1.2.0.yaml")
    release.write_text("release: v1.2.0\ncomponents: {hello: v1.1.0}\n")
    edit(ODH, "release: v1.0.0", "release: v1.1.0")
    assert pin("odh", "v1.2.0").code == 0
    edit(ODH, "release: v1.2.0", "release: v1.1.0\nupgradesFrom: v1.0.0")
    assert "upgrade-data" in refused("odh", "v1.2.0").err
    assert pin("odh", "v1.2.0", *ACCEPT).code == 0
    assert read_yaml(ODH.read_text())["exceptions"] == [{**ACCEPTED, "to": "v1.2.0"}]
    assert run("check").code == 0


def test_a_target_may_upgrade_from_any_source(breaking: Path) -> None:
    Path("before.yaml").write_text(run("build", "odh").out)
    edit(ODH, "\nnamespace:", "\nupgradesFrom: before.yaml\nnamespace:")
    assert pin("odh", "v1.1.0", *ACCEPT).code == 0
    found = read_yaml(ODH.read_text())["exceptions"]
    assert [each["from"] for each in found] == ["before.yaml", "v1.0.0"]
    assert run("check").code == 0
    assert run("render").code == 0


def test_a_target_that_is_there_may_accept_what_it_upgraded_through(breaking: Path) -> None:
    edit(ODH, "release: v1.0.0", "release: v1.1.0\nupgradesFrom: v1.0.0")
    assert run("check").code == 1
    assert pin("odh", "v1.1.0", *ACCEPT).code == 0
    assert run("check").code == 0


def test_nothing_is_accepted_for_nothing(kit: Path) -> None:
    done = refused("odh", "v1.1.0", *ACCEPT)
    assert (
        "targets/odh.yaml:2 /release: exception-stale: found --accept upgrade-data, but the move to v1.1.0 "
        "breaks no such rule (hint: leave it out)\n"
    ) in done.err
    shutil.rmtree(CRD.parent)
    done = refused("odh", "v1.1.0", "--accept", "upgrade-crd", "--reason", "why not")
    assert "(hint: leave it out; the move breaks upgrade-data)" in done.err


def test_the_way_back_says_what_it_breaks(breaking: Path) -> None:
    ODH.write_text(ODH.read_text().replace("release: v1.0.0", "release: v1.1.0"))
    done = pin("odh", "v1.0.0")
    assert done.err.endswith("to go back: kitgen pin odh v1.1.0 --accept upgrade-data --reason TEXT\n")


@pytest.mark.parametrize(
    ("given", "stale"),
    [
        ("from: v1.0.0, to: v1.0.0", "odh pins v1.1.0: remove it"),
        ("from: v1.0.0, to: v1.1.0", "remove it"),
        ("from: v0.9.0, to: v1.1.0", ""),
    ],
)
def test_an_exception_that_meets_nothing_is_stale(kit: Path, given: str, stale: str) -> None:
    item = f"{{rule: upgrade-data, {given}, reason: why not}}"
    edit(ODH, "release: v1.0.0", f"release: v1.1.0\nupgradesFrom: v1.0.0\nexceptions: [{item}]")
    done = run("check", "-o", "lines")
    assert done.code == bool(stale)
    assert ("targets/odh.yaml:4 /exceptions/0: exception-stale: " in done.out) is bool(stale)
    assert stale in done.out


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("rule: upgrade-dat", "exception-shape: found the rule 'upgrade-dat', which is none"),
        ("rule: image-tag", "exception-shape: found the rule 'image-tag', which is not one of upgrades"),
        ("rule: yaml-syntax", "exception-shape: found the rule 'yaml-syntax', which has no exceptions"),
        ("rule: upgrade-data, expires: soon", "exception-shape: found 'soon', expected a day"),
    ],
)
def test_an_exception_that_is_none(kit: Path, item: str, said: str) -> None:
    edit(ODH, "\nnamespace:", f"\nexceptions: [{{{item}, from: v1.0.0, to: v1.0.0, reason: x}}]\nnamespace:")
    assert said in run("check", "-o", "lines").out


def test_an_exception_has_a_last_day(breaking: Path) -> None:
    assert pin("odh", "v1.1.0", *ACCEPT).code == 0
    edit(ODH, "  reason: nobody", '  expires: "2030-01-31"\n  reason: nobody')
    assert run("check", "--today", "2030-01-31").code == 0
    assert "exception-expired" in run("check", "-o", "lines", "--today", "2030-02-01").out


def test_a_release_that_is_listed_or_not(kit: Path) -> None:
    edit(ODH, "\nnamespace:", "\nreleases: ['v1.0.0']  # both\nnamespace:")
    assert pin("odh", "v1.1.0").code == 0
    assert "\nreleases: ['v1.0.0', 'v1.1.0']  # both\n" in ODH.read_text()
    assert pin("odh", "v1.0.0").code == 0
    assert "\nreleases: ['v1.0.0', 'v1.1.0']  # both\n" in ODH.read_text()


def test_a_target_that_builds_on_another_says_its_own_release(kit: Path) -> None:
    kits.write(kit, {"targets/dev.yaml": "target: dev\nfrom: odh # all of it\n"})
    before = ODH.read_text()
    done = pin("dev", "v1.1.0")
    assert done.code == 0
    assert "it took its release from odh, and says its own from now on\n" in done.err
    assert Path("targets/dev.yaml").read_text() == "target: dev\nfrom: odh # all of it\nrelease: v1.1.0\n"
    assert ODH.read_text() == before


def test_targets_that_build_on_one_move_along(breaking: Path) -> None:
    kits.write(breaking, {"targets/dev.yaml": "target: dev\nfrom: odh\nupgradesFrom: v1.0.0\n"})
    done = pin("odh", "v1.1.0", *ACCEPT)
    assert done.code == 0
    assert "moved along, since built on it: dev\n" in done.err
    assert "dev, odh" in done.out
    assert run("check").code == 0, "what it takes over it accepts"


LAYOUTS = {
    "crlf": ("release: v1.0.0", "release: v1.1.0"),
    "quoted": ("release: 'v1.0.0'   # now", "release: 'v1.1.0'   # now"),
    "double": ('"release" : "v1.0.0"', '"release" : "v1.1.0"'),
    "folded": ("release: >-\n  v1.0.0", "release: v1.1.0"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_else_in_the_file_stays(kit: Path, layout: str) -> None:
    old, new = LAYOUTS[layout]
    text = ODH.read_text().replace("release: v1.0.0", old) + "\n# the end"
    text = text.replace("\n", "\r\n") if layout == "crlf" else text
    ODH.write_bytes(text.encode())
    assert pin("odh", "v1.1.0").code == 0
    assert ODH.read_bytes().decode() == text.replace(old, new)


def test_a_file_of_one_line(breaking: Path) -> None:
    text = "{target: odh, release: v1.0.0, namespace: here, components: {hello: {features: [params]}}}"
    ODH.write_text(text)
    assert pin("odh", "v1.1.0", *ACCEPT).code == 0
    item = "{rule: upgrade-data, from: v1.0.0, to: v1.1.0, reason: nobody uses it}"
    assert ODH.read_text() == text.replace("v1.0.0", f"v1.1.0, exceptions: [{item}]")
    assert pin("odh", "v1.0.0").code == 0
    assert ODH.read_text() == text


def test_a_file_that_cannot_be_changed(kit: Path) -> None:
    text = ODH.read_text()
    ODH.write_text(text.replace("release: v1.0.0", "about: &v v1.0.0\nrelease: *v"))
    done = refused("odh", "v1.1.0")
    assert "targets/odh.yaml:1: pin-file: found 'release' in a layout in which" in done.err
    ODH.write_text(text)
    ODH.chmod(0o444)
    done = refused("odh", "v1.1.0")
    assert "targets/odh.yaml:1: pin-file: found a file that is read-only (hint: chmod u+w" in done.err
    assert pin("odh", "v1.1.0", "--dry-run").code == 0


def test_a_release_that_does_not_fit_the_target(kit: Path) -> None:
    edit(ODH, "replicas: 3", "images: {manger: quay.io/example/hello:v1.1.0}")
    assert (
        "hello v1.1.0 has no image 'manger' (hint: did you mean 'manager'?)" in refused("odh", "v1.1.0").err
    )


def test_a_release_that_lacks_a_component(kit: Path) -> None:
    text = Path("components/hello/v1.1.0/component.yaml").read_text()
    other = text.replace("component: hello", "component: other").replace("hello-", "other-")
    spec = other.replace("quay.io/example/hello", "quay.io/example/other")
    kits.write(
        kit,
        {
            "components/other/v1.1.0/component.yaml": spec,
            "releases/v1.2.0.yaml": "release: v1.2.0\ncomponents: {other: v1.1.0}\n",
        },
    )
    done = refused("odh", "v1.2.0")
    assert "upgrade-data: CustomResourceDefinition/greetings.example.com was there before" in done.err
    assert "v1.2.0 does not build hello, which odh names\n" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["odd", "v1.1.0"], "no target 'odd' in this kit (hint: did you mean 'odh'?)"),
        (["odh", "v1.1"], "no release 'v1.1' in this kit (hint: did you mean 'v1.1.0'?)"),
        (["odh", "v0.5.0"], "release v0.5.0 builds nothing"),
        (["odh", "v1.1.0", "--accept", "upgrade-data"], "--accept needs a --reason"),
        (["odh", "v1.1.0", "--reason", "why not"], "--reason an --accept"),
        (["odh", "v1.1.0", "--accept", "upgrade-dat", "--reason", "x"], "did you mean 'upgrade-data'?"),
        (["odh", "v1.1.0", "--accept", "image-tag", "--reason", "x"], "no rule of upgrades 'image-tag'"),
        (["odh"], "Missing argument 'VERSION'"),
    ],
    ids=str,
)
def test_wrong_usage(kit: Path, args: list[str], said: str) -> None:
    kits.write(kit, {"releases/v0.5.0.yaml": "release: v0.5.0\nrecords: {hello: v0.5.0}\n"})
    before = kits.contents(kit)
    done = pin(*args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert kits.contents(kit) == before


def test_a_kit_that_does_not_load(kit: Path) -> None:
    edit(ODH, "release: v1.0.0", "release: v9.0.0")
    assert "reference-missing" in refused("odh", "v1.1.0").err


def test_programs_read_all_of_it(breaking: Path) -> None:
    done = refused("odh", "v1.1.0", "-o", "json")
    data = json.loads(done.out)
    assert (data["written"], data["undo"], data["accepted"]) == (False, None, [])
    assert [each["rule"] for each in data["findings"]] == ["upgrade-data"]
    data = json.loads(pin("odh", "v1.1.0", "-o", "json", *ACCEPT).out)
    assert (data["written"], data["undo"], data["findings"]) == (True, "kitgen pin odh v1.0.0", [])
    assert data["accepted"] == [{"rule": "upgrade-data", "from": "v1.0.0", "reason": "nobody uses it"}]
    assert data["summary"]["breaking"] == len(
        [each for each in data["changes"] if each["risk"] == "breaking"]
    )
