"""A fleet is planned as Argo CD makes it of the ApplicationSets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.argocd.fleet import plan
from kitgen.argocd.fleet.findings import check_fleet
from kitgen.argocd.fleet.generators import LabelledClusters, generate_applications, parse_template
from kitgen.argocd.fleet.plan import FleetMember, compare_plans, plan_fleet
from kitgen.argocd.fleet.steps import RolloutStep
from kitgen.argocd.layers import find_synced_target
from kitgen.argocd.target import build_application_set
from kitgen.findings import Origin
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Cluster
from kitgen.render.placement import build_placement
from kitgen.workspace.kit import OpenedKit, open_kit


def cluster(name: str, **labels: str) -> Cluster:
    return Cluster(name=name, server=f"https://{name}", labels=labels, origin=Origin("clusters.yaml"))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> OpenedKit:
    folder = tmp_path_factory.mktemp("fleet")
    return open_kit(kits.make_kit(folder / "kit", kits.CASES / "valid" / "fleet"))


def members_of(opened: OpenedKit) -> list[FleetMember]:
    fleet = opened.kit.fleet
    assert fleet is not None
    found = []
    for said in fleet.targets:
        target = opened.target(said.name)
        body = build_application_set(
            opened.session, build_placement(opened.kit, target, opened.release(target, None))
        )
        assert body is not None
        found.append(FleetMember(said=said, release=target.release, body=body))
    return found


CLUSTERS = [
    cluster("lab", vendor="OpenShift", ring="canary", region="eu"),
    cluster("paris", vendor="OpenShift", ring="canary", region="us"),
    cluster("oslo", vendor="OpenShift", ring="2"),
    cluster("rome", vendor="OpenShift"),
    cluster("Kind_1", vendor="other"),
    cluster("bare"),
    cluster("dev", vendor="OpenShift", env="dev"),
]


def test_the_first_wave_whose_labels_it_has_takes_a_cluster(opened: OpenedKit) -> None:
    plan = plan_fleet(members_of(opened), CLUSTERS)
    assert [(each.cluster.name, each.target, each.wave) for each in plan.placed] == [
        ("lab", "odh", "canary"),
        ("paris", "odh", "early"),
        ("oslo", "odh", "early"),
        ("rome", "odh", "rest"),
        ("Kind_1", "olm", "rest"),
        ("bare", "olm", "rest"),
    ]
    assert [each.name for each in plan.unmatched] == ["dev"]


def test_applications_are_named_after_the_cluster(opened: OpenedKit) -> None:
    odh, olm = members_of(opened)
    known = LabelledClusters(CLUSTERS)
    made = [*generate_applications(odh.body, known), *generate_applications(olm.body, known)]
    assert [
        (each.name, each.path, each.namespace) for each in made if each.cluster.name in ("lab", "Kind_1")
    ] == [
        ("lab-small-odh-hello", "deploy/kit/overlays/argocd/odh/hello", "opendatahub"),
        ("kind-1-small-olm", "overlays/argocd/olm", "hello-system"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain", "plain"), ("{{ .a }}-{{ .b.c }}", "x-y"), ("{{ .a }}{{ .a }}", "xx"), ("", "")],
)
def test_plain_fields_are_filled_in(text: str, expected: str) -> None:
    assert parse_template(text).fill({"a": "x", "b": {"c": "y"}}) == expected


def test_what_is_rendered_is_what_is_planned_with(opened: OpenedKit) -> None:
    for member in members_of(opened):
        plan = opened.plan(opened.target(member.said.name))
        synced = find_synced_target(plan)
        assert synced is not None
        assert synced.fleet is not None
        body = synced.fleet.sets[-1].body["spec"]
        assert body["generators"] == member.body["spec"]["generators"]
        assert body["strategy"] == member.body["spec"]["strategy"]
        assert body["template"]["metadata"] == member.body["spec"]["template"]["metadata"]
        for part in ("source", "destination", "project"):
            assert body["template"]["spec"][part] == member.body["spec"]["template"]["spec"][part]


def test_steps_go_through_waves(opened: OpenedKit) -> None:
    plan = plan_fleet(members_of(opened), [*CLUSTERS, *(cluster(f"c{each}") for each in range(9))])
    assert [(each.target, each.number, each.wave, each.clusters, each.at_once) for each in plan.steps] == [
        ("odh", 1, "canary", 1, 1),
        ("odh", 2, "early", 2, 2),
        ("odh", 3, "rest", 1, 1),
        ("olm", 3, "rest", 11, 2),
    ]


@pytest.mark.parametrize(
    ("at_once", "total", "size"),
    [
        (None, 7, 7),
        (3, 7, 3),
        (9, 7, 7),
        (0, 7, 0),
        ("10%", 7, 1),
        ("50%", 7, 3),
        ("100%", 7, 7),
        ("10%", 0, 0),
    ],
)
def test_a_share_is_rounded_down_but_not_to_nothing(at_once: int | str | None, total: int, size: int) -> None:
    assert RolloutStep(labels=(), at_once=at_once).count_at_once(total) == size


def judged(opened: OpenedKit, clusters: Sequence[Cluster], *, leaves_others: bool = False) -> list[str]:
    members = members_of(opened)
    found = check_fleet(plan_fleet(members, clusters), members, leaves_others=leaves_others)
    return [f"{each.rule}: {each.message}" for each in found]


def test_a_cluster_without_a_target_is_told(opened: OpenedKit) -> None:
    dev = [cluster("dev", vendor="OpenShift", env="dev")]
    said = "found env 'dev' on the cluster \"dev\", which else has the labels of odh"
    assert judged(opened, dev) == [f"fleet-unmatched: {said}"]
    assert judged(opened, dev, leaves_others=True) == []


def test_names_that_argo_cd_cannot_use_are_told(opened: OpenedKit) -> None:
    long = "a" * 250
    found = judged(opened, [cluster(long), cluster("a.B"), cluster("a.b")])
    assert [each.partition(":")[0] for each in found] == ["fleet-name", "fleet-name"]


@pytest.mark.parametrize("most", [0, 2, 5])
def test_more_applications_than_the_limit_are_an_error(
    opened: OpenedKit, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    members = members_of(opened)
    whole = sum(len(each.applications) for each in plan_fleet(members, CLUSTERS).placed)
    monkeypatch.setattr(plan, "MAX_APPLICATIONS", whole)
    plan_fleet(members, CLUSTERS)
    monkeypatch.setattr(plan, "MAX_APPLICATIONS", most)
    with pytest.raises(FindingsError) as error:
        plan_fleet(members, CLUSTERS)
    assert [str(each.rule) for each in error.value.findings] == ["fleet-applications"]


def test_what_a_cluster_gets_and_got_is_compared(opened: OpenedKit) -> None:
    members = members_of(opened)
    before = plan_fleet(members, CLUSTERS)
    other = [cluster("lab", vendor="other"), *CLUSTERS[1:-1], cluster("new")]
    found = [*compare_plans(before, plan_fleet(members, other))]
    assert [
        (each.name, [one.target for one in each.before], [one.target for one in each.after]) for each in found
    ] == [("lab", ["odh"], ["olm"]), ("new", [], ["olm"])]


def test_a_cluster_that_loses_one_of_two_targets_is_told(tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "fleet-overlap"))
    members = members_of(opened)
    both, one = (plan_fleet(members, [each]) for each in (cluster("a", gpu="1"), cluster("a")))
    (found,) = compare_plans(both, one)
    assert [each.target for each in found.before] == ["olm", "odh"]
    assert [each.target for each in found.after] == ["olm"]


WORDS = st.sampled_from(["OpenShift", "other", "canary", "eu", "dev", "test", ""])
SOME = st.lists(st.dictionaries(st.sampled_from(["vendor", "ring", "region", "env", "x"]), WORDS), max_size=8)


@given(labels=SOME)
def test_every_cluster_is_planned_once_or_left_over(opened: OpenedKit, labels: list[dict[str, str]]) -> None:
    clusters = [cluster(f"c{at}", **each) for at, each in enumerate(labels)]
    plan = plan_fleet(members_of(opened), clusters)
    names = [each.cluster.name for each in plan.placed] + [each.name for each in plan.unmatched]
    assert sorted(names) == sorted(each.name for each in clusters)
    assert sum(each.clusters for each in plan.steps) == sum(len(each.applications) for each in plan.placed)
