"""The script of a release does what is left, waits for the catalog, and does nothing twice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kits
import pytest
from publishing import World
from running import run
from some import first

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
STABLE = "skopeo copy --all docker://quay.io/example/{0}:{1} docker://quay.io/example/{0}:stable"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Make a kit whose release is ready to be tagged, but for its image, for copies."""
    made = World(tmp_path_factory.mktemp("world"))
    assert (
        run("matrix", "--root", made.kit, "--release", "v1.0.0", "--write", made.kit / "README.md").code == 0
    )
    made.commit(made.kit)
    return made


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    return made.copied(tmp_path)


def pushed(world: World) -> None:
    """Let the images be in the registry."""
    for image in ("hello-bundled:v1.0.0", "tester:release-v0.2.0"):
        world.has(f"quay.io/example/{image}")


def test_from_the_first_step_to_the_last(world: World) -> None:
    pushed(world)
    script = world.script()
    first = world.run(script)
    assert (first.returncode, "waits until the pull request" in first.stdout) == (0, True), first.stderr
    release, request = world.calls()
    assert release.startswith("gh release create v1.0.0 --repo example/hello --title v1.0.0 --verify-tag")
    assert "| Tester" in (world.state / "release-v1.0.0").read_text()
    assert request.startswith("gh pr create --repo catalogs/operators --base main --head example:hello-1.0.0")
    assert "v1.0.0" in world.git(world.kit, "ls-remote", "origin", "refs/tags/v1.0.0")
    fork = world.github / "example/operators.git"
    files = world.git(fork, "ls-tree", "-r", "--name-only", "hello-1.0.0").split()
    assert "operators/hello-operator/1.0.0/metadata/annotations.yaml" in files
    message = world.git(fork, "log", "-1", "--format=%B", "hello-1.0.0")
    assert message.split("\n") == ["add hello v1.0.0", "", "Signed-off-by: Ann <ann@example.com>", "", ""]

    assert (world.run(script).returncode, world.calls()) == (0, [])
    (world.state / "pull").write_text("MERGED\n")
    assert world.run(script).returncode == 0
    assert world.calls() == [
        STABLE.format("hello-bundled", "v1.0.0"),
        STABLE.format("tester", "release-v0.2.0"),
    ]
    last = world.run(script)
    assert (last.returncode, world.calls()) == (0, [])
    assert "tell the team's channel" in last.stdout


def test_an_image_that_nobody_built_stops_it(world: World) -> None:
    script = world.script()
    done = world.run(script)
    assert (done.returncode, world.calls()) == (1, [])
    assert done.stderr == "stopped: build quay.io/example/hello-bundled:v1.0.0 and push it\n"
    (world.kit / "Containerfile").write_text("FROM scratch\n")
    assert world.run(script).returncode == 0
    assert [each.split()[:2] for each in world.calls()] == [
        ["podman", "build"],
        ["podman", "push"],
        ["gh", "release"],
        ["gh", "pr"],
    ]


def test_what_is_not_committed_is_not_tagged(world: World) -> None:
    pushed(world)
    script = world.script()
    kits.write(world.kit, {"targets/more.yaml": "# a change\n"})
    done = world.run(script)
    assert (done.returncode, world.calls()) == (1, [])
    assert "not committed" in done.stderr
    assert world.git(world.kit, "tag") == ""


@pytest.mark.exhaustive
def test_no_image_is_built_of_what_is_not_committed(world: World) -> None:
    script = world.script()
    kits.write(world.kit, {"Containerfile": "FROM scratch\n", "targets/more.yaml": "# a change\n"})
    done = world.run(script)
    assert (done.returncode, world.calls()) == (1, [])
    assert "not committed" in done.stderr


def test_a_registry_that_cannot_be_reached_is_no_reason_to_build(world: World) -> None:
    kits.write(world.kit, {"Containerfile": "FROM scratch\n"})
    away = 'echo "pinging container registry: dial tcp: i/o timeout" >&2\nexit 1\n'
    (world.state.parent / "bin/skopeo").write_text(f"#!/bin/sh\n{away}")
    done = world.run(world.script())
    assert (done.returncode, world.calls()) == (1, [])
    assert "stopped: pinging container registry: dial tcp" in done.stderr


def test_a_tag_that_others_have_stays(world: World) -> None:
    pushed(world)
    script = world.script()
    world.git(world.kit, "tag", "v1.0.0")
    world.git(world.kit, "push", "-q", "origin", "v1.0.0")
    world.git(world.kit, "tag", "--delete", "v1.0.0")
    assert world.run(script).returncode == 0  # it is where it has to be
    assert (len(world.calls()), world.git(world.kit, "tag")) == (2, "")
    world.git(world.kit, "tag", "--annotate", "--message", "another", "v1.0.0")
    done = world.run(script)
    assert (done.returncode, world.calls()) == (1, [])
    assert done.stderr == "stopped: origin has another tag v1.0.0\n"


@pytest.mark.exhaustive
def test_a_tag_that_nobody_else_has_yet_is_pushed(world: World) -> None:
    pushed(world)
    world.git(world.kit, "tag", "v1.0.0")
    assert world.run(world.script()).returncode == 0
    assert "v1.0.0" in world.git(world.kit, "ls-remote", "origin", "refs/tags/v1.0.0")


@pytest.mark.exhaustive
def test_a_step_that_fails_stops_it_and_is_tried_again(world: World) -> None:
    pushed(world)
    script = world.script()
    shutil.move(world.github / "catalogs", world.github / "away")
    assert world.run(script).returncode != 0
    assert [each.split()[:2] for each in world.calls()] == [["gh", "release"]]
    shutil.move(world.github / "away", world.github / "catalogs")
    assert world.run(script).returncode == 0
    assert [each.split()[:2] for each in world.calls()] == [["gh", "pr"]]


@pytest.mark.exhaustive
def test_a_component_without_its_tag_stops_it(world: World) -> None:
    pushed(world)
    (world.kit / "releases/tags.yaml").write_text("tags: {example/tester: [v0.1.0]}\n")
    script = world.script()
    done = world.run(script)
    assert (done.returncode, world.calls()) == (1, [])
    assert "stopped: Tester v0.2.0 is not released\n" in done.stderr


def test_wrong_specs_stop_it(world: World) -> None:
    pushed(world)
    script = world.script()
    (world.state / "really").touch()
    spec = world.kit / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("hello:v1.0.0", "hello"))
    done = world.run(script)
    assert (done.returncode, world.calls()) == (1, [])
    assert "stopped: the specs have errors\n" in done.stderr


def test_the_catalog_that_has_the_bundle_unblocks_the_stable_tags(world: World) -> None:
    pushed(world)
    assert run("bundle", "write", world.catalog, "--root", world.kit).code == 0
    assert "gh pr" in world.script("--catalog", str(world.catalog)).read_text()
    world.commit(world.catalog)
    text = world.script("--catalog", str(world.catalog)).read_text()
    assert "gh pr create" not in text and "waits" not in text
    world.run(world.state / "release.sh")
    assert world.calls()[-2:] == [
        STABLE.format("hello-bundled", "v1.0.0"),
        STABLE.format("tester", "release-v0.2.0"),
    ]


@pytest.mark.parametrize("shell", first(["sh", "dash", "bash"]))
def test_shells_read_it(world: World, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    script = world.script()
    assert subprocess.run([shell, "-n", script], check=False).returncode == 0
    assert script.read_bytes() == world.script().read_bytes()


def test_hostile_words_stay_words(world: World) -> None:
    pushed(world)
    kit = world.kit / "kit.yaml"
    hostile = '\'; touch \\"$STATE/owned\\"; $(touch $STATE/owned) `touch $STATE/owned` #'
    kit.write_text(
        kit.read_text()
        .replace("title: Hello {{ number }}, it's new", f'title: "{hostile}"')
        .replace("commit: add hello {{ version }}", f'commit: "{hostile}"')
        .replace("the team's channel", f'"{hostile}"')
        .replace("label: Tester", f'label: "{hostile}"')
    )
    (world.kit / "README.md").write_text("# Hello\n")
    world.commit(world.kit)
    assert world.run(world.script()).returncode == 0
    assert (
        world.git(world.github / "example/operators.git", "log", "-1", "--format=%s", "hello-1.0.0")[0] == "'"
    )
    (world.state / "pull").write_text("MERGED\n")
    assert world.run(world.script()).returncode == 0
    assert not (world.state / "owned").exists()
