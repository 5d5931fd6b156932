"""Whatever stands at a path that kitgen reads, it answers at once, in a line, and takes little memory."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.files import git, programs
from kitgen.kit import shipped_trees
from kitgen.kit.foreign_objects import read_foreign_objects
from kitgen.report.finish import make_reader

pytestmark = pytest.mark.exhaustive

MEMORY, SECONDS = 300_000_000, 20
HELLO = "components/hello/v1.0.0"
CRD = json.dumps(
    {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
)


class TooSlowError(BaseException):
    """Nobody but a test catches it."""


@contextmanager
def bounded() -> Iterator[None]:
    """Give a command little time and little memory."""

    def ring(*_: object) -> None:
        raise TooSlowError

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def lined(args: tuple[object, ...]) -> tuple[object, ...]:
    """Return a command that tells each finding in a line."""
    ending = () if "-o" in args else ("-o", "lines")
    return (*args, *ending) if args[:1] == ("check",) or args[:2] == ("crd", "validate") else args


def tried(*args: object) -> Run:
    """Run a command within bounds, and check that it says what is wrong as it should."""
    with bounded():
        result = run(*lined(args))
    assert result.code in (0, 1, 2, 3)
    assert "more memory than" not in result.err
    assert "kitgen failed" not in result.err
    return result


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, socket.socket(socket.AF_UNIX) as server:
        patch.chdir(path.parent)  # the path of a socket must be short
        server.bind(path.name)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(2**41)


def sparse_behind_a_link(path: Path) -> None:
    sparse(path.with_name(".sparse"))
    path.symlink_to(".sparse")


def circle(path: Path) -> None:
    path.symlink_to(path.name)


THINGS = [pipe, listening, endless, sparse, sparse_behind_a_link, circle, Path.mkdir]
BESIDE = [f"{HELLO}/config.yaml", f"{HELLO}/crds/greetings.yaml"]
SPECS = ["targets/olm.yaml", "releases/v1.0.0.yaml", f"{HELLO}/component.yaml", *BESIDE]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = kits.make_kit(tmp_path_factory.mktemp("kits") / "kit")
    assert run("render", "-q", "--root", root).code == 0
    return root


@pytest.fixture
def kit(rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(rendered, tmp_path / "kit")
    monkeypatch.chdir(tmp_path / "kit")
    return tmp_path / "kit"


def put(thing: Callable[[Path], None], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    thing(path)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("path", SPECS)
def test_a_spec_that_is_none_is_a_finding(kit: Path, path: str, thing: Callable[[Path], None]) -> None:
    put(thing, kit / path)
    commands = [["check"], ["render"], ["render", "--check"], ["build", "olm"]]
    if path not in BESIDE:  # of these, the list has names alone
        commands.append(["list"])
    for command in commands:
        result = tried(*command)
        assert result.code == 1
        assert (result.out + result.err).startswith(f"{path}:1: ")


@pytest.mark.parametrize("thing", [pipe, endless, sparse, circle])
@pytest.mark.parametrize(
    "path",
    [
        *("kit.yaml", "components", "components/hello", HELLO, f"{HELLO}/crds", "targets", "releases"),
        *("overlays", "overlays/.kitgen", "overlays/.kitgen/files", "overlays/.kitgen/.gitignore"),
        *("overlays/.kitgen/journal", "overlays/.kitgen/stage", "overlays/.kitgen/stage/folders"),
        *(
            "overlays/.kitgen/lock",
            "overlays/olm/kustomization.yaml",
            "overlays/base/hello/v1.0.0",
            "overlays/x.yaml",
        ),
        *(".kitgen", ".kitgen/journal", ".kitgen/stage", ".kitgen/stage/folders", ".kitgen/lock"),
    ],
)
def test_whatever_stands_in_a_kit(kit: Path, path: str, thing: Callable[[Path], None]) -> None:
    kits.write(kit / "theirs", {"a.yaml": CRD})
    put(thing, kit / path)
    for command in (
        *(["check"], ["list"], ["render", "--check"], ["render"], ["render", "--no-cache"]),
        *(["crd", "import", "theirs", "--component", "new", "--version", "v1.0.0"], ["upgrade"]),
        *(["show", "odh"], ["show", "hello@v1.0.0"], ["flatten", "odh"]),
    ):
        tried(*command)


@pytest.mark.parametrize("path", ["overlays/.kitgen/files", "overlays/.kitgen/journal", ".kitgen/journal"])
def test_what_kitgen_remembers_is_never_that_large(kit: Path, path: str) -> None:
    put(sparse, kit / path)
    result = tried("render", "--no-cache")
    told = f"error: cannot read {kit / path}: found 2199023 MB, expected at most 4 (hint: "
    assert (result.code, result.err[: len(told)], result.err.count("\n")) == (3, told, 1)


@pytest.mark.parametrize("thing", THINGS)
def test_a_memory_that_is_none_counts_for_nothing(
    kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thing: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path))
    put(thing, tmp_path / "kitgen" / f"{sha256(os.fsencode(kit)).hexdigest()[:32]}.json")
    assert tried("render").code == 0


@pytest.mark.parametrize("thing", THINGS)
def test_manifests_that_are_none_are_findings(kit: Path, thing: Callable[[Path], None]) -> None:
    kits.write(kit / "theirs", {"a.yaml": CRD, "b.yaml": CRD})
    put(thing, kit / "theirs/b.yaml")
    for command in (
        *(["check", "theirs"], ["crd", "validate", "theirs"], ["crd", "outline", "theirs"]),
        *(["crd", "diff", "theirs", "theirs"], ["crd", "validate", "theirs/a.yaml", "--crds", "theirs"]),
        ["crd", "import", "theirs", "--component", "new", "--version", "v1.0.0"],
    ):
        result = tried(*command)
        assert (result.code, "theirs/b.yaml:1: " in result.out + result.err) == (
            (1, True) if thing is not Path.mkdir else (result.code, False)
        )
    for command in (
        *(["check", "theirs/b.yaml"], ["crd", "validate", "path:theirs/b.yaml"]),
        ["crd", "diff", "theirs/a.yaml", "theirs/a.yaml", "--exceptions", "theirs/b.yaml"],
    ):
        result = tried(*command)
        assert result.code in ((1, 2) if thing is not Path.mkdir else (0, 1, 2))


def test_links_in_a_folder_lead_nowhere_else(kit: Path, tmp_path: Path) -> None:
    secret = kits.write(tmp_path, {"secret.yaml": "kind: hunter2\n"}) / "secret.yaml"
    kits.write(kit / "theirs", {"in/a.yaml": CRD})
    (kit / "theirs/b.yaml").symlink_to("in/a.yaml")
    assert tried("crd", "outline", "theirs").code == 0
    (kit / "theirs/c.yaml").symlink_to(secret)
    (kit / "theirs/d.yaml").symlink_to("nowhere.yaml")
    assert [str(each.rule.id) for each in read_foreign_objects(["theirs"]).findings] == [
        "path-symlink",
        "file-missing",
    ]
    result = tried("check", "theirs")
    assert "theirs/c.yaml:1: path-symlink: a symbolic link leads out of the folder\n" in result.out
    assert "hunter2" not in result.out


def test_many_files_are_no_way_around_the_limit(kit: Path) -> None:
    text = "#" * 7_000_000
    kits.write(kit / "theirs", {f"{number}.yaml": text for number in range(8)})
    told = "found more than 48 MiB in all files, expected at most that (hint: name some of them at a time)"
    assert tried("check", "theirs").out.splitlines()[0] == f"theirs:1: file-size: {told}"
    files = {f"{number}.yaml": f"release: a\n{text}" for number in range(5)}
    kits.write(kit / "releases", files)
    result = tried("check")
    assert (result.code, "file-size: found more than 32 MiB of specs in all" in result.out) == (1, True)


def deep(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")


@pytest.fixture
def doomed(kit: Path) -> Iterator[Path]:
    """Remove the kit by a program that is at ease with deep folders, as Python is not."""
    yield kit
    subprocess.run(["rm", "-r", kit], check=True)


def test_folders_without_end(doomed: Path) -> None:
    kit = doomed
    (kit / "theirs").mkdir()
    deep(kit / "theirs")
    deep(kit / f"{HELLO}/crds")
    deep(kit / "overlays/odh")
    told = "error: cannot read theirs: found folders more than 50 levels deep\n"
    assert tried("check", "theirs").err == told
    for command in (["check"], ["render"], ["render", "--no-cache"]):
        assert tried(*command).code == 0
    (kit / "overlays/.kitgen/stage").mkdir()
    deep(kit / "overlays/.kitgen/stage")
    assert tried("render").code == 3


def test_a_rendered_tree_without_end_is_not_read_through(kit: Path) -> None:
    for number in range(40):
        names = "".join(f"- a{each}\n" for each in range(90_000))
        text = f"# Generated by kitgen\nresources:\n{names}- ../x{number + 1}\n"
        kits.write(kit / f"overlays/olm/x{number}", {"kustomization.yaml": text})
    with (kit / "overlays/olm/kustomization.yaml").open("a") as stream:
        stream.write("- x0\n")
    listing = kit / "overlays/.kitgen/files"
    more = "".join(f"olm/x{number}/kustomization.yaml\n" for number in range(40))
    listing.write_text(listing.read_text() + more)
    assert tried("render", "--check").code == 1
    if programs.find_kustomize():
        assert "file-size: found more objects" in tried("check", "overlays/olm").out


def test_what_the_caller_has_open_is_read(kit: Path) -> None:
    """As with <(command) in a shell."""
    handle, end = os.pipe()
    os.write(end, CRD.encode())
    os.close(end)
    try:
        assert tried("check", f"/dev/fd/{handle}").code == 0
    finally:
        os.close(handle)


@pytest.mark.parametrize("thing", THINGS)
def test_the_line_of_a_finding_is_not_looked_up_in_what_is_no_file(
    tmp_path: Path, thing: Callable[[Path], None]
) -> None:
    put(thing, tmp_path / "kit/a.yaml")
    (tmp_path / "secret").write_text("hunter2")
    (tmp_path / "kit/b.yaml").symlink_to("../secret")
    with bounded():
        read = make_reader(tmp_path / "kit")
        assert [read(name) for name in ("a.yaml", "b.yaml", "../secret", str(tmp_path / "secret"))] == [
            None
        ] * 4


@pytest.mark.parametrize(
    "folder", ["targets", "releases", "components", f"{HELLO}/crds", "overlays/odh", "m"]
)
def test_a_name_that_is_no_text(kit: Path, folder: str) -> None:
    odd = os.fsdecode(b"x\xffy")
    kits.write(
        kit / folder, {f"{odd}.yaml": "# Generated by kitgen\na: b\n", f"{odd}/component.yaml": "a: b\n"}
    )
    for command in (
        ["check"],
        ["check", "-o", "json"],
        ["render"],
        ["list"],
        ["check", folder],
        ["check", odd],
    ):
        tried(*command)
    if folder == "targets":
        assert "spec-missing-key" in tried("check").out


@pytest.mark.parametrize(
    "command",
    [
        *(
            ["check"],
            ["check", "a.yaml"],
            ["render"],
            ["list"],
            ["init", "new"],
            ["upgrade"],
            ["crd", "outline"],
        ),
        *(["render", "--root", "KIT", "--out", "x"], ["export", "odh", "x", "--root", "KIT"]),
        *(["build", "olm"], ["why", "olm", "Deployment/a"], ["check", "git:main"], ["crd", "diff", "a", "b"]),
        *(["show", "olm"], ["flatten", "olm"]),
    ],
)
def test_a_current_folder_that_is_gone(
    rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    result = tried(*(word.replace("KIT", str(rendered)) for word in command))
    told = "error: the current folder is gone (hint: change to another one)\n"
    assert (result.code, result.out, result.err) == (3, "", told)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("yes", "'{name}' wrote more than 64 MiB, expected at most that"),
        ("yes >&2", "'{name}' wrote more than 64 MiB, expected at most that"),
        ("sleep 60", "'{name}' took longer than 0.5 seconds"),
        ("exit 1", "exit code 1"),
        ("echo abc", ""),
        ("head -c 1000 /dev/zero", ""),
        ("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1", "x" * 500 + "\n"),
        (None, "cannot run '{name}': no such program"),
    ],
)
@pytest.mark.parametrize(("name", "source"), [("git", "git:main"), ("kustomize", "overlays/olm")])
def test_a_program_that_is_not_what_it_should_be(
    kit: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str, script: str | None, told: str
) -> None:
    seconds = 30 if script in ("yes", "yes >&2") else 0.5
    monkeypatch.setattr(
        programs.run_program, "__kwdefaults__", {**programs.run_program.__kwdefaults__, "timeout": seconds}
    )
    monkeypatch.setattr(git, "SECONDS", seconds)
    monkeypatch.setattr(shipped_trees, "TIMEOUT", seconds)
    (kit / "bin").mkdir()
    if script is not None:
        (kit / "bin" / name).write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
        (kit / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(kit / "bin"))
    result = run("check", "-o", "lines", source)
    if script is None and name == "kustomize":
        told = "found neither kustomize nor kubectl on PATH"
    assert result.code in (1, 2, 3)
    assert told.format(name=name) in result.out + result.err
    assert "kitgen failed" not in result.err
    assert len(result.out + result.err) < 2000
