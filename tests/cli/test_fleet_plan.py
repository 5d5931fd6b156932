"""kitgen fleet plan tells which cluster gets what, and what is wrong with a list."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.argocd.clusters.forms import MAX_CLUSTERS

CASE = kits.CASES / "valid" / "fleet"
CLUSTERS = """\
- {name: lab, server: https://lab, labels: {vendor: OpenShift, ring: canary, region: eu}}
- {name: paris, server: https://paris, labels: {vendor: OpenShift, ring: "2"}}
- {name: oslo, server: https://oslo, labels: {vendor: OpenShift}}
- {name: kind, server: https://kind, labels: {vendor: other}}
"""
TABLES = """\
Waves
TARGET  RELEASE  WAVE    CLUSTERS  AT ONCE  COMPONENTS
odh     v1.0.0   canary  1         1        hello
odh     v1.0.0   early   1         1        hello
odh     v1.0.0   rest    1         1        hello
olm     v1.0.0   rest    1         1        all

Clusters
CLUSTER  TARGET  RELEASE  WAVE
lab      odh     v1.0.0   canary
paris    odh     v1.0.0   early
oslo     odh     v1.0.0   rest
kind     olm     v1.0.0   rest
"""


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", CASE)


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    return kits.write(tmp_path, {"clusters.yaml": CLUSTERS}) / "clusters.yaml"


def test_every_cluster_is_told(kit: Path, clusters: Path) -> None:
    found = run("fleet", "plan", "--clusters", clusters, "--root", kit)
    assert (found.code, found.out, found.err) == (0, TABLES, "4 clusters: 4 with a target\n")


def test_nothing_is_written(kit: Path, clusters: Path) -> None:
    before = kits.contents(kit)
    assert run("fleet", "plan", "--clusters", clusters, "--root", kit).code == 0
    assert kits.contents(kit) == before


def test_a_label_moves_a_cluster(kit: Path, clusters: Path) -> None:
    labels = ["--label", "oslo:ring=canary", "--label", "oslo:region=eu", "--label", "paris:ring-"]
    found = run("fleet", "plan", "--clusters", clusters, *labels, "-o", "json", "--root", kit)
    changes = {
        each["name"]: (each["before"][0]["wave"], each["after"][0]["wave"])
        for each in json.loads(found.out)["changes"]
    }
    assert changes == {"oslo": ("rest", "canary"), "paris": ("early", "rest")}


def test_a_label_may_take_a_cluster_out(kit: Path, clusters: Path) -> None:
    found = run("fleet", "plan", "--clusters", clusters, "--label", "lab:env=dev", "--root", kit)
    assert "lab      odh → -  v1.0.0 → -  canary → -  hello → -" in found.out
    assert (found.code, found.err) == (0, "4 clusters: 1 would change\n")


def test_a_pin_reaches_the_clusters_of_its_target(kit: Path, clusters: Path) -> None:
    kits.write(
        kit, {"releases/v1.1.0.yaml": "release: v1.1.0\nreplaces: v1.0.0\ncomponents: {hello: v1.0.0}\n"}
    )
    found = run("fleet", "plan", "--clusters", clusters, "--pin", "olm=v1.1.0", "--root", kit)
    assert found.code == 0, found.err
    assert "kind     olm     v1.0.0 → v1.1.0  rest  all\n" in found.out
    assert found.err == "4 clusters: 1 would change\n"


def test_targets_that_build_on_a_pinned_one_move_along(kit: Path, clusters: Path) -> None:
    release = "release: v1.1.0\nreplaces: v1.0.0\ncomponents: {hello: v1.0.0}\n"
    kits.write(kit, {"releases/v1.1.0.yaml": release, "targets/kid.yaml": "target: kid\nfrom: olm\n"})
    spec = kit / "kit.yaml"
    labels = "    kid: {clusters: {kid: true, vendor: OpenShift, env: test}}\n  waves:\n"
    spec.write_text(spec.read_text().replace("  waves:\n", labels))
    with clusters.open("a") as file:
        file.write('- {name: child, labels: {kid: "1", vendor: OpenShift, env: test}}\n')
    found = run("fleet", "plan", "--clusters", clusters, "--pin", "olm=v1.1.0", "-o", "json", "--root", kit)
    assert [each["name"] for each in json.loads(found.out)["changes"]] == ["kind", "child"]


def test_labels_choose_what_is_told(kit: Path, clusters: Path) -> None:
    found = run(
        "fleet", "plan", "--clusters", clusters, "-l", "ring in (canary, 2)", "-o", "json", "--root", kit
    )
    assert [each["name"] for each in json.loads(found.out)["clusters"]] == ["lab", "paris"]


def test_a_revision_is_compared_with(kit: Path, clusters: Path) -> None:
    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *args],
            cwd=kit,
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    same = run("fleet", "plan", "--clusters", clusters, "--baseline", "git:HEAD", "--root", kit)
    assert (same.code, same.err) == (0, "4 clusters: none would change\n")
    spec = kit / "kit.yaml"
    spec.write_text(spec.read_text().replace("clusters: {ring: true}", "clusters: {ring: true, x: true}"))
    found = run("fleet", "plan", "--clusters", clusters, "--baseline", "git:HEAD", "--root", kit)
    assert "paris    odh     v1.0.0   early → rest  hello\n" in found.out
    git("commit", "-qam", "two")
    target = kit / "targets/odh.yaml"
    target.write_text(target.read_text().replace("namespace: opendatahub", "namespace: other"))
    found = run("fleet", "plan", "--clusters", clusters, "--baseline", "git:HEAD", "--root", kit)
    assert "oslo     odh     v1.0.0   rest    hello (changed)\n" in found.out
    assert found.err == "4 clusters: 3 would change\n"


def test_a_picture_has_every_wave(kit: Path, clusters: Path) -> None:
    with clusters.open("a") as file:
        file.writelines(f"- {{name: edge-{each}, labels: {{vendor: OpenShift}}}}\n" for each in range(9))
        file.write('- {name: "a\\"]b", labels: {vendor: OpenShift, env: dev}}\n')
    found = run("fleet", "plan", "--clusters", clusters, "-o", "mermaid", "--root", kit)
    assert '["rest: 10 clusters<br>oslo, edge-0, edge-1, edge-2, edge-3 and 5 more"]' in found.out
    assert 'none["no target: 1 cluster<br>a#quot;]b"]:::unmatched' in found.out


def test_a_cluster_of_two_targets_is_refused(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "fleet-overlap")
    list_ = kits.write(tmp_path, {"c.yaml": 'clusters:\n- name: both\n  labels: {gpu: "1"}\n'}) / "c.yaml"
    found = run("fleet", "plan", "--clusters", list_, "-q", "--root", kit)
    message = 'found labels of the targets olm and odh on the cluster "both", expected those of one'
    assert (found.code, f"c.yaml:2 /clusters/0: fleet-twice: {message}" in found.err) == (1, True)


def test_a_cluster_of_no_target_is_refused_unless_others_are_left_alone(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "argocd")
    spec = kit / "kit.yaml"
    spec.write_text(f"{spec.read_text()}fleet: {{namespace: argocd}}\n")
    texts = {"c.yaml": "- {name: a, labels: {kitgen.target: ohd}}\n- {name: b}\n"}
    list_ = kits.write(tmp_path, texts) / "c.yaml"
    found = run("fleet", "plan", "--clusters", list_, "-q", "--root", kit)
    assert found.code == 1
    assert "c.yaml:1 /0/labels/kitgen.target: fleet-unmatched: found kitgen.target 'ohd'" in found.err
    assert "did you mean 'odh'?" in found.err
    assert 'c.yaml:2 /1: fleet-unmatched: found no labels of a target on the cluster "b"' in found.err
    spec.write_text(spec.read_text().replace("fleet: {", "fleet: {others: leave, "))
    found = run("fleet", "plan", "--clusters", list_, "-q", "--root", kit)
    assert (found.code, '"b"' in found.err) == (1, False)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--pin", "olm"], "expected TARGET=RELEASE"),
        (["--pin", "oml=v1.0.0"], "no target 'oml' in the fleet (hint: did you mean 'olm'?)"),
        (["--pin", "olm=v9.9.9"], "no release 'v9.9.9'"),
        (["--label", "lab"], "expected CLUSTER:KEY=VALUE"),
        (["--label", "lap:a=b"], "no cluster \"lap\" in the list (hint: did you mean 'lab'?)"),
        (["--pin", "olm=v1.0.0", "--pin", "olm=v1.0.0"], "found --pin for olm twice"),
        (["-l", "a b"], '"a b" is no selector'),
        (["--baseline", "olm"], '"olm" is no revision'),
    ],
)
def test_wrong_usage_is_told(kit: Path, clusters: Path, args: list[str], message: str) -> None:
    found = run("fleet", "plan", "--clusters", clusters, *args, "--root", kit)
    assert (found.code, found.out) == (2, "")
    assert message in found.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cluster-list"),
        ("- {name: a\n", "yaml-syntax"),
        ("- {name: a}\n- {name: A}\n", "c.yaml:2 /1/name: cluster-duplicate"),
        ("- {name: a, labels: {a b: c}}\n", "cluster-label"),
        ("- {name: a, labels: {env: true}}\n", "cluster-label"),
        ("- {name: a, label: {}}\n", "cluster-list"),
        ("".join(f"- {{name: c{each}}}\n" for each in range(101)), "c.yaml:101 /100: cluster-many"),
    ],
)
def test_a_wrong_list_is_told_and_nothing_is_planned(
    kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.setattr("kitgen.argocd.clusters.reading.MAX_CLUSTERS", 100)
    list_ = kits.write(tmp_path, {"c.yaml": text}) / "c.yaml"
    found = run("fleet", "plan", "--clusters", list_, "--root", kit)
    assert (found.code, found.out) == (1, "")
    assert message in found.err


@pytest.mark.exhaustive
def test_a_list_of_more_clusters_than_anybody_has_is_told(kit: Path, tmp_path: Path) -> None:
    text = "".join(f"- {{name: c{each}}}\n" for each in range(MAX_CLUSTERS + 1))
    list_ = kits.write(tmp_path, {"c.yaml": text}) / "c.yaml"
    found = run("fleet", "plan", "--clusters", list_, "--root", kit)
    assert (found.code, found.out) == (1, "")
    assert f"c.yaml:{MAX_CLUSTERS + 1} /{MAX_CLUSTERS}: cluster-many" in found.err


def test_a_kit_without_a_fleet_says_so(tmp_path: Path, clusters: Path) -> None:
    found = run("fleet", "plan", "--clusters", clusters, "--root", kits.make_kit(tmp_path / "small"))
    assert (found.code, "the kit has no fleet" in found.err) == (2, True)
