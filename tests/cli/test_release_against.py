"""kitgen release check --against holds files of others to a release; bad ones are findings, never more."""

from __future__ import annotations

import json
import os
from pathlib import Path

import downstream
import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import Run, run

from kitgen.kit.manifests import ReadBudget
from kitgen.release.downstream.engine import KINDS
from kitgen.release.downstream.records import DownstreamFile, FilePlace
from kitgen.release.matrix.block import END, START

PARAMS = "queue/operator/config/openshift/params.env"
NAMES = (
    *("README.md", "component_metadata.yaml", "params.env", "get_all_manifests.sh", "manifests-config.yaml"),
    *("x.clusterserviceversion.yaml", "x.yaml"),
)


@pytest.fixture
def others(kit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of others, beside the kit that commands run in."""
    downstream.make(kit)
    return tmp_path_factory.mktemp("others")


def against(folder: Path, files: dict[str, str], *args: object) -> Run:
    kits.write(folder, files)
    return run("release", "check", *args, "-o", "lines", "--against", folder)


def test_all_kinds_at_once(others: Path) -> None:
    done = against(others, downstream.RIGHT)
    assert (done.code, done.out, done.err) == (0, "", "v1.0.0, no findings\n")


def test_a_finding_knows_its_line(others: Path) -> None:
    done = against(others, {**downstream.RIGHT, PARAMS: "# images\nqueue-image=quay.io/sigs/queue:v0.4.0\n"})
    said = 'params-version: found "v0.4.0", which is behind v0.5.0 or v0.5.1 for queue-image'
    told = f"{others}/{PARAMS}:2: {said}"
    assert (done.code, told in done.out.splitlines()) == (1, True)
    data = json.loads(run("release", "check", "-o", "json", "--against", others).out)
    assert {each["rule"] for each in data["findings"]} == {"params-version", "metadata-image"}
    assert [each["line"] for each in data["findings"] if each["rule"] == "metadata-image"] == [3]


def test_one_target_or_any(others: Path) -> None:
    files = {PARAMS: "queue-image=quay.io/sigs/queue:v0.5.1\n"}
    assert against(others, files).code == 0
    assert against(others, files, "--target", "rhoai").code == 0
    assert against(others, files, "--target", "odh").code == 1
    assert against(others, files, "--target", "other").code == 2
    assert run("release", "check", "--target", "odh").code == 2


def test_what_does_not_say_its_release_is_named(others: Path) -> None:
    done = against(others, {PARAMS: downstream.RIGHT[PARAMS]}, "--all")
    assert done.code == 0
    assert "held to no release" in done.err and PARAMS in done.err


def test_what_is_not_recognised_is_named(others: Path) -> None:
    more = {"notes.txt": "a", "docs/guide.md": "# Guide", "chart/values.yaml": "a: 1", ".git/README.md": "b"}
    done = against(others, {**downstream.RIGHT, **more})
    names = [f"{others}/{each}" for each in ("chart/values.yaml", "docs/guide.md")]
    last = f"{names[0]}, {names[1]} and {others}/notes.txt"
    assert done.err.splitlines()[0] == f"3 files of no kind that can be held to a release: {last}"
    assert done.code == 0


@pytest.mark.parametrize("name", ["nothing", "empty", "notes.txt", "templates"])
def test_nothing_that_is_known_is_an_error(name: str, others: Path) -> None:
    kits.write(
        others, {"notes.txt": "a", "templates/csv.yaml": "kind: ClusterServiceVersion\nname: {{ .Name }}\n"}
    )
    (others / "empty").mkdir()
    done = run("release", "check", "-o", "lines", "--against", others / name)
    assert (done.code, "against-nothing" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("name", "data", "rule"),
    [
        ("README.md", START.encode(), "matrix-block"),
        ("README.md", f"{START}\n{END}\n{START}\n{END}\n".encode(), "matrix-block"),
        ("README.md", f"{START}\n{START}\n{END}\n{END}\n".encode(), "matrix-block"),
        ("README.md", downstream.UNMARKED.encode() * 2, "matrix-block"),
        ("params.env", b"\xff\xfe", "file-encoding"),
        ("params.env", b"a\0b", "file-encoding"),
        ("params.env", b"no sign", "against-shape"),
        ("params.env", b"a" * 9_000_000, "file-size"),
        ("component_metadata.yaml", b"releases: [", "yaml-syntax"),
        ("component_metadata.yaml", b"releases: text", "against-shape"),
        ("component_metadata.yaml", b"releases: []", "against-shape"),
        ("component_metadata.yaml", b"# nothing yet", "against-shape"),
        ("component_metadata.yaml", b"releases: []\nreleases: []", "yaml-duplicate"),
        ("manifests-config.yaml", b"components: []", "against-shape"),
        ("manifests-config.yaml", b"a: " + b"[" * 5_000, "yaml-limit"),
        ("get_all_manifests.sh", b'COMPONENT_MANIFESTS=(\n["a"]="$(rm x)"\n)', "against-shape"),
        ("get_all_manifests.sh", b'COMPONENT_MANIFESTS=(\n["a"]=b:c:d\n)', "against-shape"),
        ("get_all_manifests.sh", b'COMPONENT_MANIFESTS=(\n["a"]="b:c"', "against-shape"),
    ],
)
def test_bad_files_are_findings(name: str, data: bytes, rule: str, others: Path) -> None:
    (others / name).write_bytes(data)
    for path in (others, others / name):
        done = run("release", "check", "-o", "json", "--against", path)
        assert done.code == 1
        assert rule in {each["rule"] for each in json.loads(done.out)["findings"]}


def test_lines_may_end_as_on_other_systems(others: Path) -> None:
    files = {name: downstream.RIGHT[name] for name in ("README.md", PARAMS, "platform/get_all_manifests.sh")}
    done = against(others, {name: text.replace("\n", "\r\n") for name, text in files.items()})
    assert (done.code, done.out) == (0, "")


def test_no_link_leads_out(others: Path, tmp_path: Path) -> None:
    kits.write(tmp_path, {"secret": "password=1234567890\n"})
    (others / "params.env").symlink_to(tmp_path / "secret")
    (others / "more").symlink_to(tmp_path)
    os.mkfifo(others / "component_metadata.yaml")
    done = against(others, {"README.md": downstream.RIGHT["README.md"]})
    assert (done.code, "path-symlink" in done.out, "1234567890" in done.out + done.err) == (1, True, False)


def test_no_secret_is_shown(others: Path) -> None:
    texts = ["password=abcdef123456", "queue-image=me:abcdef123456@quay.io/sigs/queue:v1", "abcdef123456"]
    script = 'COMPONENT_MANIFESTS=(\n["a"]="abcdef123456"\nabcdef123456\n)\n'
    done = against(others, {"params.env": "\n".join(texts), "get_all_manifests.sh": script})
    assert (done.code, "abcdef123456" in done.out + done.err) == (1, False)


@given(st.sampled_from(NAMES), st.text(max_size=200))
def test_any_text_is_read(name: str, text: str) -> None:
    place = FilePlace(folder=("a",), root=("a",))
    for kind in KINDS:
        if kind.matches_name(name):
            list(kind.read(DownstreamFile(name=name, text=text, place=place, named=True), ReadBudget()))
