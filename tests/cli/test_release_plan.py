"""kitgen release plan shows the steps of a release, computed from files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import kits
import publishing
import pytest
from running import run

from kitgen.text.yaml import JsonObject

PLAN = ("release", "plan", "v1.0.0")
DONE = {"image": "'2030-01-30'", "tag": "'2030-01-31'", "catalog": "https://example.com/1", "stable": "it is"}


@pytest.fixture
def kit(tmp_path: Path, published: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit that says how it is published the current folder."""
    root = shutil.copytree(published, tmp_path / "kit")
    monkeypatch.chdir(root)
    return root


def told(*args: str) -> JsonObject:
    done = run(*PLAN, "-o", "json", *args)
    assert (done.code, done.err) == (0, "")
    data: JsonObject = json.loads(done.out)
    return data


def states(*args: str) -> dict[str, str]:
    return {each["key"]: each["state"] for each in told(*args)["steps"]}


def some(*keys: str) -> tuple[str, ...]:
    found = states()
    return tuple(found[key] for key in keys)


def step(key: str, *args: str) -> JsonObject:
    found: JsonObject = next(each for each in told(*args)["steps"] if each["key"] == key)
    return found


def change(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def say_done(kit: Path, *keys: str) -> None:
    text = (kit / "releases/v1.0.0.yaml").read_text().partition("done:")[0]
    said = "".join(f"  {key}: {DONE[key]}\n" for key in keys)
    (kit / "releases/v1.0.0.yaml").write_text(f"{text}done:\n{said}")


def test_a_new_release(kit: Path) -> None:
    assert states() == {
        "components": "done",
        "specs": "todo",
        "bundle": "todo",
        "tag": "blocked",
        "catalog": "blocked",
        "stable": "blocked",
        "announce": "blocked",
        "downstream": "blocked",
    }
    data = told()
    assert (data["next"], data["date"]) == ("specs", None)
    assert data["steps"][0]["parts"][0]["by"] == "releases/tags.yaml"
    assert data["steps"][3]["why"] == "steps 2 and 3 come first"
    assert data["pullRequest"] == {
        "repository": "catalogs/operators",
        "base": "main",
        "fork": "example/operators",
        "branch": "hello-1.0.0",
        "head": "example:hello-1.0.0",
        "title": "Hello 1.0.0, it's new",
        "body": "New release\nof $(hello)",
        "commit": "add hello v1.0.0",
        "folders": ["operators/hello-operator/1.0.0"],
    }
    assert data["announcement"].startswith(
        "small v1.0.0 is out: https://github.com/example/hello/releases/tag/"
    )


def test_step_by_step(kit: Path) -> None:
    say_done(kit, "image")
    assert run("matrix", "--release", "v1.0.0", "--write", "README.md").code == 0
    assert some("specs", "bundle", "tag") == ("done", "done", "todo")
    say_done(kit, "image", "tag")
    assert some("tag", "catalog", "stable") == ("done", "todo", "blocked")
    say_done(kit, "image", "tag", "catalog")
    assert some("catalog", "stable", "announce") == ("done", "todo", "blocked")
    say_done(kit, *DONE)
    assert some("stable", "announce", "downstream") == ("done", "todo", "todo")
    assert step("stable")["parts"][0]["by"] == "it is, says releases/v1.0.0.yaml"


def test_known_tags_and_a_checkout_of_the_catalog_count(kit: Path, tmp_path: Path) -> None:
    kits.write(kit, {"releases/tags.yaml": f"{publishing.TAGS}  example/hello: [v1.0.0]\n"})
    run("matrix", "--release", "v1.0.0", "--write", "README.md")
    assert some("tag", "catalog") == ("done", "todo")
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    assert states("--catalog", str(catalog))["catalog"] == "todo"
    assert run("bundle", "write", catalog).code == 0
    found = step("catalog", "--catalog", str(catalog))
    assert (found["state"], found["parts"][0]["by"]) == ("done", f"{catalog}/operators/hello-operator/1.0.0")
    assert run(*PLAN, "--catalog", tmp_path / "none").code == 3


def test_files_that_are_behind(kit: Path) -> None:
    (kit / "releases/tags.yaml").write_text("tags: {example/tester: [v0.1.0]}\n")
    change(kit / "components/hello/v1.0.0/component.yaml", "memory: 64Mi", "memory: 65Mi")
    data = told()
    found = {part["what"]: part for each in data["steps"] for part in each["parts"]}
    assert found["Tester v0.2.0"]["commands"] == [
        "git ls-remote --exit-code https://github.com/example/tester.git refs/tags/v0.2.0"
    ]
    assert found["the overlays of olm"]["commands"] == ["kitgen render"]
    assert found["the matrix in README.md"]["by"] == "it shows v0.9.0"


def test_a_target_that_pins_another_release(kit: Path) -> None:
    kits.write(kit, {"releases/v0.9.0.yaml": "release: v0.9.0\ncomponents: {hello: v1.0.0}\n"})
    change(kit / "releases/v1.0.0.yaml", "replaces: v0.9.1\nskips: [v0.9.0]\n", "replaces: v0.9.0\n")
    for name in ("olm", "odh"):
        change(kit / f"targets/{name}.yaml", "release: v1.0.0", "release: v0.9.0")
    found = {part["what"]: part for each in told()["steps"] for part in each["parts"]}
    assert found["the bundle of olm"]["commands"] == ["kitgen pin olm v1.0.0", "kitgen render"]
    assert found["the target odh"]["commands"][0] == "kitgen pin odh v1.0.0"
    older = json.loads(run("release", "plan", "v0.9.0", "-o", "json").out)
    told_of = [part["what"] for each in older["steps"] for part in each["parts"]]
    assert "the target rhoai" not in told_of


def test_errors_block(kit: Path) -> None:
    change(kit / "components/hello/v1.0.0/component.yaml", "hello:v1.0.0", "hello")
    done = run(*PLAN, "-o", "json")
    assert done.code == 1
    assert "image-tag" in done.err
    steps = json.loads(done.out)["steps"]
    assert [each["state"] for each in steps[1:4]] == ["blocked"] * 3
    assert steps[1]["why"].startswith("kitgen check finds ")


def test_an_image_of_another_version_blocks(kit: Path) -> None:
    change(kit / "components/hello/v1.0.0/component.yaml", "example/hello:v1.0.0", "example/hello:v0.9.0")
    done = run(*PLAN)
    assert (done.code, "2 specs name their images and CRDs, and the image is built: blocked" in done.out) == (
        1,
        True,
    )
    assert "components/hello/v1.0.0/component.yaml:13 /images/manager: " in done.err


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_git_counts(tmp_path: Path) -> None:
    world = publishing.World(tmp_path)
    say_done(world.kit, "image")
    run("matrix", "--root", world.kit, "--release", "v1.0.0", "--write", world.kit / "README.md")
    found = step("tag", "--root", str(world.kit))
    assert (found["state"], found["why"]) == ("blocked", "2 files of the kit not committed")
    assert found["parts"][0]["commands"] == [
        "git status --short -- releases README.md",
        "git add -- releases README.md",
        "git commit --message 'small v1.0.0' -- releases README.md",
        "git tag --annotate --message 'small v1.0.0' v1.0.0",
    ]
    world.commit(world.kit)
    assert step("tag", "--root", str(world.kit))["state"] == "todo"
    world.git(world.kit, "tag", "v1.0.0")
    assert [part["state"] for part in step("tag", "--root", str(world.kit))["parts"]] == ["done", "todo"]


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_catalog_has_what_is_merged(tmp_path: Path) -> None:
    world = publishing.World(tmp_path)
    where = ("--root", str(world.kit), "--catalog", str(world.catalog))
    world.git(world.catalog, "switch", "-q", "--create", "hello-1.0.0")
    commands = step("catalog", *where)["parts"][0]["commands"]
    assert commands[0].startswith("kitgen bundle write")
    assert run("bundle", "write", world.catalog, "--root", world.kit).code == 0
    world.commit(world.catalog)
    assert step("catalog", *where)["parts"][0]["state"] == "todo"
    world.git(world.catalog, "switch", "-q", "main")
    world.git(world.catalog, "merge", "-q", "hello-1.0.0")
    assert step("catalog", *where)["parts"][0]["state"] == "done"


def test_a_kit_that_says_nothing_of_publishing(kit: Path) -> None:
    text = (kit / "kit.yaml").read_text()
    (kit / "kit.yaml").write_text(text.partition("\nproject:")[0] + "\n")
    (kit / "targets/olm.yaml").unlink()
    run("render", "-q")
    found = states()
    assert {key for key, state in found.items() if state == "none"} == {
        *("components", "bundle", "tag", "catalog", "stable", "announce")
    }
    assert found["specs"] == "done"
    text = run(*PLAN).out
    assert "kitgen export odh ../odh-manifests\n" in text and "kitgen sources" not in text
    assert "  - this kit is in no git repository\n" in text
    assert "  - publishing in kit.yaml names no catalog\n" in text


def test_what_people_read(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = run(*PLAN).out
    assert text.startswith(
        "small v1.0.0: 7 steps left, next is step 2\nreleases/v1.0.0.yaml has no date yet\n\n"
        "1 components are released: done\n  - done: Tester v0.2.0 (releases/tags.yaml)\n"
    )
    assert "\n  steps 2 and 3 come first\n" in text
    assert "--body 'New release\nof $(hello)'\n" in text
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run(*PLAN).out.splitlines()
    assert all(len(line) <= 40 for line in narrow if not line.startswith(("    ", "  |", "of $")))
    assert "\x1b[" not in text and "\x1b[" in run(*PLAN, terminal=True).out


def test_releases_without_steps(kit: Path) -> None:
    kits.write(kit, {"releases/v0.5.0.yaml": "release: v0.5.0\n"})
    done = run("release", "plan", "v0.5.0")
    assert (done.code, done.out) == (0, "")
    assert "v0.5.0 only records versions: it builds nothing" in done.err
    assert json.loads(run("release", "plan", "v0.5.0", "-o", "json").out)["steps"] == []
    assert run("release", "plan", "v0.5.0", "--script").out == ""
    unknown = run("release", "plan", "v0.5.1")
    assert (unknown.code, "did you mean" in unknown.err) == (2, True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "hello-{{ number }}",
            "--{{ number }}",
            'catalog/branch: publishing-text: found the branch "--1.0.0"',
        ),
        ("hello-{{ number }}", "a..b", "catalog/branch: publishing-text: "),
        ("Hello {{ number }}, it's new", '"a\\u200bb"', "catalog/title: publishing-text: "),
        ('"New release\\nof $(hello)"', '"a\\eb"', "catalog/body: publishing-text: "),
        ("add hello {{ version }}", "add {{ versio }}", "catalog/commit: expression: 'versio' is undefined"),
        (
            "release-{{ version }}",
            "a/{{ version }}",
            'images/2/tag: publishing-text: found the tag "a/v0.2.0"',
        ),
    ],
)
def test_what_cannot_be_published(kit: Path, old: str, new: str, said: str) -> None:
    change(kit / "kit.yaml", old, new)
    done = run(*PLAN)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    checked = run("check", "-o", "lines")
    assert (checked.code, said in checked.out) == (1, True)


def test_what_is_done_too_early_or_unknown(kit: Path) -> None:
    say_done(kit, "stable")
    done = run(*PLAN)
    assert (done.code, done.out) == (1, "")
    said = "releases/v1.0.0.yaml:9 /done/stable: release-done: found stable, expected catalog to be done"
    assert said in done.err and said in run("check", "-o", "lines").out
    change(kit / "releases/v1.0.0.yaml", "stable: it is", "stabel: it is")
    assert "/done/stabel: spec-value: found the key" in run(*PLAN).err


def test_a_script_takes_no_other_file_away(kit: Path) -> None:
    kits.write(kit, {"mine.sh": "echo mine\n"})
    done = run(*PLAN, "--script", "mine.sh")
    assert (done.code, (kit / "mine.sh").read_text()) == (2, "echo mine\n")
    for _ in range(2):
        assert run(*PLAN, "--script", "new.sh").code == 0
    assert (kit / "new.sh").read_text() == run(*PLAN, "--script").out


def test_forks_are_synced_and_others_take_new_versions(kit: Path) -> None:
    parts = {each["what"]: each for each in step("downstream")["parts"]}
    sync, request = (
        "the sync of others/hello with example/hello",
        "the pull request to others/notebooks for tester v0.2.0",
    )
    assert parts[sync]["commands"] == ["gh repo sync others/hello --source example/hello --branch dev"]
    assert parts[request]["commands"] == [
        "gh pr list --repo others/notebooks --state all --search 'tester 0.2.0'"
    ]
    assert not any("others/old" in each for each in parts)
    kits.write(kit, {"releases/tags.yaml": f"{publishing.TAGS}  others/hello: [v1.0.0]\n"})
    file = kit / "releases/v1.0.0.yaml"
    file.write_text(f"{file.read_text()}done: {{updates: https://example.com/2}}\n")
    parts = {each["what"]: each for each in step("downstream")["parts"]}
    assert (parts[sync]["state"], parts[sync]["by"]) == ("done", "releases/tags.yaml")
    assert (parts[request]["state"], parts[request]["by"]) == (
        "done",
        "https://example.com/2, says releases/v1.0.0.yaml",
    )


def test_a_copied_spec_is_not_done(kit: Path) -> None:
    assert run("release", "new", "v1.0.1", "--hotfix", "--set", "hello=v1.0.1").code == 0

    def specs() -> list[JsonObject]:
        done = run("release", "plan", "v1.0.1", "-o", "json")
        found = next(each for each in json.loads(done.out)["steps"] if each["key"] == "specs")
        return [each for each in found["parts"] if "spec" in each["what"]]

    (part,) = specs()
    assert (part["what"], part["state"]) == ("the spec components/hello/v1.0.1", "todo")
    assert (
        "stop 'the spec components/hello/v1.0.1: it is v1.0.0 "
        in run("release", "plan", "v1.0.1", "--script").out
    )
    file = kit / "releases/v1.0.1.yaml"
    text = file.read_text()
    file.write_text(f"{text}done: {{specs: compared with upstream}}\n")
    assert [each["state"] for each in specs()] == ["done"]
    file.write_text(text)
    spec = kit / "components/hello/v1.0.1/component.yaml"
    spec.write_text(f"{spec.read_text()}about: It says hello again\n")
    assert [each["state"] for each in specs()] == ["done"]


@pytest.mark.parametrize(
    ("file", "old", "new", "rule"),
    [
        ("releases/v1.0.0.yaml", "", "done: {announce: today}\n", "release-done"),
        ("kit.yaml", "branch: hello-{{ number }}", "branch: hello {{ number }}", "publishing-text"),
        ("components/hello/v1.0.0/component.yaml", "cpu: 100m", "cpu: lots", "server-invalid"),
        (
            "releases/v0.9.0.yaml",
            "",
            "release: v0.9.0\nreplaces: v1.0.0\nrecords: {x: v1.0.0}\n",
            "release-replaces",
        ),
        ("overlays/olm", "", "no folder\n", "file-not-ours"),
    ],
)
def test_a_check_refuses_what_a_plan_refuses(kit: Path, file: str, old: str, new: str, rule: str) -> None:
    path = kit / file
    if path.is_dir():
        shutil.rmtree(path)
    text = path.read_text() if path.exists() else ""
    path.write_text(text.replace(old, new) if old else text + new)
    for args in (PLAN, ("release", "check", "v1.0.0"), ("release", "check", "--all")):
        done = run(*args)
        assert (done.code, f" {rule}: " in done.out + done.err) == (1, True)
