"""An upgrade is held against what is there before: what --baseline names, or what a target says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kits
import pytest
from running import Run, run
from some import first

GIT = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org")
ROLE = "components/hello/v1.1.0/component.yaml"


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit with two releases of one component the current folder; odh pins the newer one."""
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "two-releases")
    shutil.copytree(root / "components/hello/v1.0.0/crds", root / "components/hello/v1.1.0/crds")
    monkeypatch.chdir(root)
    return root


def check(*args: object, stdin: str = "") -> Run:
    return run("check", "-o", "lines", *args, stdin=stdin)


def edit(file: str, old: str, new: str) -> None:
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


def commit() -> None:
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*GIT, *command], check=True)


def say(target: str, baseline: str) -> None:
    edit(f"targets/{target}.yaml", "\nnamespace:", f"\nupgradesFrom: {baseline}\nnamespace:")


def drop_the_crd() -> None:
    shutil.rmtree("components/hello/v1.1.0/crds")


GONE = "crds/greetings.yaml:1: upgrade-data: CustomResourceDefinition/greetings.example.com was there before"


@pytest.mark.parametrize(
    "args",
    [
        ["--baseline", "release:v1.0.0"],
        ["--baseline", "v1.0.0"],
        ["odh", "--baseline", "odh"],
        ["odh", "--baseline", "target:odh@v1.0.0"],
        ["hello@v1.1.0", "--baseline", "hello@v1.0.0"],
        ["odh/hello", "--baseline", "v1.0.0"],
        ["target:odh@v1.0.0", "--baseline", "target:odh@v1.0.0"],
        ["--baseline", "git:main"],
        ["odh/hello", "--baseline", "git:main"],
        ["odh", "--baseline", "git:main:odh@v1.0.0"],
        ["git:main", "--baseline", "git:main"],
    ],
    ids=" ".join,
)
def test_an_upgrade_that_loses_nothing_is_silent(kit: Path, args: list[str]) -> None:
    commit()
    found = check(*args)
    assert (found.code, found.out) == (0, "")


@pytest.mark.parametrize(
    ("args", "where"),
    [
        (["--baseline", "release:v1.0.0"], "components/hello/v1.0.0/"),
        (["odh", "--baseline", "odh@v1.0.0"], "components/hello/v1.0.0/"),
        (["odh/hello", "--baseline", "v1.0.0"], "components/hello/v1.0.0/"),
        (["--baseline", "git:main"], "main:components/hello/v1.1.0/"),
        (["odh/hello", "--baseline", "git:main"], "main:components/hello/v1.1.0/"),
        (["git:HEAD", "--baseline", "git:main~1"], "main~1:components/hello/v1.1.0/"),
    ],
    ids=str,
)
def test_what_is_gone_is_told_where_it_was(kit: Path, args: list[str], where: str) -> None:
    commit()
    drop_the_crd()
    if "git:HEAD" in args:
        subprocess.run([*GIT, "commit", "-q", "-a", "-m", "Drop"], check=True)
    found = check(*args)
    assert found.code == 1
    assert found.out.startswith(f"{where}{GONE}")


def test_each_release_is_held_against_itself_in_a_revision(kit: Path) -> None:
    commit()
    edit("components/hello/v1.0.0/component.yaml", "core/configmaps: read", "core/configmaps: get")
    found = check("odh", "--baseline", "git:main")
    assert "upgrade-permission-lost" in found.out
    assert "in release v1.0.0" in found.out
    pinned = check("odh", "--baseline", "v1.0.0").out
    assert "and not before: core/configmaps (list watch) in the whole cluster" in pinned
    assert "upgrade-permission-lost" not in pinned


def test_what_is_new_has_nothing_before_it(kit: Path) -> None:
    commit()
    shutil.copy("targets/odh.yaml", "targets/new.yaml")
    edit("targets/new.yaml", "target: odh", "target: new")
    assert check("--baseline", "git:main").code == 0
    found = check("new", "--baseline", "git:main")
    assert (found.code, found.out) == (2, "")
    assert "nothing of what is checked is in the baseline git:main" in found.err


MANIFEST = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: %s}\n"


def test_manifests_are_held_against_manifests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kits.write(tmp_path, {"old/a.yaml": MANIFEST % "b", "new.yaml": MANIFEST % "c"})
    assert check("old", "--baseline", "old/a.yaml").code == 0
    found = check("new.yaml", "--baseline", "old")
    assert (found.code, found.out.partition(": found")[0]) == (
        1,
        "new.yaml:3 /metadata/namespace: upgrade-namespace",
    )
    piped = check("new.yaml", "--baseline", "-", stdin=MANIFEST % "b")
    assert piped.out == found.out
    kits.write(tmp_path, {"other.yaml": (MANIFEST % "c").replace("name: a", "name: z")})
    gone = check("other.yaml", "--baseline", "old")
    assert (gone.code, gone.out.partition(" was")[0]) == (
        0,
        "old/a.yaml:1: warning: upgrade-gone: ServiceAccount/a",
    )


def test_a_tree_of_before_holds_for_a_target(kit: Path) -> None:
    Path("before.yaml").write_text(run("build", "odh").out)
    assert check("odh", "--baseline", "before.yaml").out == ""
    drop_the_crd()
    found = check("odh", "--baseline", "before.yaml")
    assert (found.code, found.out.partition(":")[0]) == (1, "before.yaml")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--baseline", "odh"], "the baseline target:odh is for one thing, and several are checked"),
        (["odh", "--baseline", "nothing"], "no target and no file 'nothing'"),
        (["odh", "--baseline", "git:nothing"], "no revision 'nothing' in this repository"),
        (["odh", "--baseline", "release:v9.0.0"], "no release 'v9.0.0' in this kit"),
        (["odh", "--baseline", "odh@v9.0.0"], "no release 'v9.0.0' in this kit"),
        (["odh", "--baseline", "target:nobody"], "no target 'nobody' in this kit"),
        (["old.yaml", "--baseline", "git:main"], "git:main is no baseline for manifests"),
        (["-", "--baseline", "-"], "standard input is both"),
        (["odh", "--baseline", ""], "no target and no file ''"),
    ],
    ids=str,
)
def test_a_baseline_that_is_none(kit: Path, args: list[str], message: str) -> None:
    commit()
    Path("old.yaml").write_text(MANIFEST % "b")
    found = check(*args)
    assert (found.code, found.out) == (2, "")
    assert message in found.err


def test_a_baseline_that_is_broken(kit: Path) -> None:
    Path("old.yaml").write_text("a: [")
    found = check("odh", "--baseline", "old.yaml")
    assert found.code == 1
    assert "yaml-syntax" in found.out
    commit()
    edit("targets/odh.yaml", "release: v1.1.0", "release: v9.1.0")
    subprocess.run([*GIT, "commit", "-q", "-a", "-m", "Wrong"], check=True)
    edit("targets/odh.yaml", "release: v9.1.0", "release: v1.1.0")
    found = check("--baseline", "git:main")
    assert found.code == 1
    assert found.out.startswith("main:targets/odh.yaml:2 /release: reference-missing")


@pytest.mark.parametrize(
    "baseline", first(["v1.0.0", "git:main", "before.yaml", "git:main:odh", "target:odh@v1.0.0"], 3)
)
def test_a_target_says_what_it_upgrades_from(kit: Path, baseline: str) -> None:
    Path("before.yaml").write_text(run("build", "odh").out)
    commit()
    say("odh", baseline)
    for command in (["check"], ["check", "odh"], ["build", "odh"], ["build", "odh/hello"], ["render"]):
        assert run(*command).code == 0, command
    drop_the_crd()
    parts = [["build", "odh/hello"], ["check", "odh/hello"]] if baseline != "before.yaml" else []
    for command in (
        ["check"],
        ["check", "odh"],
        ["build", "odh"],
        ["render"],
        *parts,
    ):
        found = run(*command)
        assert found.code == 1, command
        assert "upgrade-data: CustomResourceDefinition/greetings.example.com" in found.out + found.err, (
            command
        )
    assert check("olm").code == 0
    assert check("odh", "--baseline", "odh").code == 0, "what is asked for comes first"


@pytest.mark.parametrize(
    ("baseline", "finding"),
    [
        ("v9.0.0", "reference-missing: found no release 'v9.0.0'"),
        ("git:nothing", "reference-missing: found the baseline 'git:nothing': no revision 'nothing'"),
        ("../old.yaml", "reference-missing: found the baseline '../old.yaml': the path leaves the kit"),
        ("/etc/passwd", "reference-missing: found the baseline '/etc/passwd': the path leaves the kit"),
        ('"-"', "reference-missing: found the baseline '-': standard input"),
        ("old.yaml", "reference-missing: found the baseline 'old.yaml': no such file"),
        ("[v1.0.0]", "spec-type"),
    ],
)
def test_a_target_that_upgrades_from_nothing(kit: Path, baseline: str, finding: str) -> None:
    commit()
    say("odh", baseline)
    for found in (check(), run("render")):
        assert found.code == 1
        assert f"targets/odh.yaml:3 /upgradesFrom: {finding}" in found.out + found.err


def test_a_release_that_targets_upgrade_from_is_not_retired(kit: Path) -> None:
    edit("targets/odh.yaml", "\nnamespace:", "\nreleases: [v1.1.0]\nnamespace:")
    edit("targets/olm.yaml", "release: v1.0.0", "release: v1.1.0")
    say("odh", "v1.0.0")
    found = run("retire", "release:v1.0.0")
    assert found.code == 1
    assert "odh upgrades from it" in found.out + found.err


def test_a_finding_is_accepted(kit: Path) -> None:
    say("odh", "v1.0.0")
    drop_the_crd()
    Path("kit.yaml").write_text(
        Path("kit.yaml").read_text()
        + "exceptions:\n- {rule: upgrade-data, file: components/hello/v1.0.0/crds/greetings.yaml, "
        + "pointer: '', reason: Nobody ever used it}\n"
    )
    found = check()
    assert found.code == 0
    assert "Nobody ever used it" in found.out + found.err or "1 accepted" in found.err


def test_a_baseline_may_have_as_many_objects_as_what_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{}, namespace: apps}}\n"
    text = "".join(one.format(number) for number in range(2_500))
    Path("old.yaml").write_text(text)
    Path("new.yaml").write_text(text.replace("name: a7,", "name: other,"))
    found = check("new.yaml", "--baseline", "old.yaml")
    assert found.out.count("\n") == 1
    assert "upgrade-" in found.out
