"""Selectors match what Kubernetes matches, and what one leaves over is matched once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.argocd.fleet.query import parse_label, parse_selector
from kitgen.kube.selectors import (
    LabelOperator,
    LabelSelector,
    Requirement,
    intersect_selectors,
    matches_labels,
    read_pod_selector,
    read_selector,
    simplify_selector,
    subtract_selectors,
    write_selector,
)
from kitgen.text.yaml import Json

KEYS, VALUES = ("a", "b", "c"), ("x", "y", "z")
LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))
SOME = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True).map(tuple)
REQUIREMENTS = st.one_of(
    st.builds(
        Requirement, st.sampled_from(KEYS), st.sampled_from([LabelOperator.IN, LabelOperator.NOT_IN]), SOME
    ),
    st.builds(
        Requirement, st.sampled_from(KEYS), st.sampled_from([LabelOperator.EXISTS, LabelOperator.ABSENT])
    ),
)
SELECTORS = st.lists(REQUIREMENTS, max_size=4).map(tuple)


def wanted(key: str, operator: LabelOperator, *values: str) -> Requirement:
    return Requirement(key, operator, values)


@pytest.mark.parametrize(
    ("requirement", "fitting"),
    [
        (wanted("a", LabelOperator.IN, "x", "y"), [{"a": "x"}, {"a": "y", "b": "x"}]),
        (wanted("a", LabelOperator.NOT_IN, "x", "y"), [{"a": "z"}, {}, {"b": "x"}]),
        (wanted("a", LabelOperator.EXISTS), [{"a": ""}]),
        (wanted("a", LabelOperator.ABSENT), [{}, {"b": "x"}]),
    ],
)
def test_a_requirement_is_met_as_in_kubernetes(
    requirement: Requirement, fitting: list[dict[str, str]]
) -> None:
    every = [{}, {"a": ""}, {"a": "x"}, {"a": "y", "b": "x"}, {"a": "z"}, {"b": "x"}]
    found = [each for each in every if matches_labels((requirement,), each)]
    assert all(each in found for each in fitting)
    opposite = {LabelOperator.IN: LabelOperator.NOT_IN, LabelOperator.EXISTS: LabelOperator.ABSENT}
    other = {**opposite, **{value: key for key, value in opposite.items()}}[requirement.operator]
    left = [
        each for each in every if matches_labels((wanted(requirement.key, other, *requirement.values),), each)
    ]
    assert len(found) + len(left) == len(every)


@given(SELECTORS, LABELS)
def test_a_short_selector_matches_the_same(selector: LabelSelector, labels: dict[str, str]) -> None:
    short = simplify_selector(selector)
    assert matches_labels(selector, labels) is (short is not None and matches_labels(short, labels))
    if short is not None:
        assert simplify_selector(short) == short
        assert simplify_selector(tuple(reversed(selector))) == short


@given(SELECTORS, SELECTORS, LABELS)
def test_both_is_where_each_matches(one: LabelSelector, other: LabelSelector, labels: dict[str, str]) -> None:
    found = intersect_selectors(one, other)
    fits = matches_labels(one, labels) and matches_labels(other, labels)
    assert fits is (found is not None and matches_labels(found, labels))


@given(SELECTORS, st.lists(SELECTORS, max_size=3), LABELS)
def test_what_is_left_over_is_matched_once(
    selector: LabelSelector, others: list[LabelSelector], labels: dict[str, str]
) -> None:
    left = subtract_selectors(selector, others)
    assert left is not None
    wanted_here = matches_labels(selector, labels) and not any(
        matches_labels(each, labels) for each in others
    )
    assert sum(matches_labels(each, labels) for each in left) == int(wanted_here)


def test_what_is_left_over_has_a_bound() -> None:
    others = [tuple(wanted(f"k{wave}-{at}", LabelOperator.EXISTS) for at in range(20)) for wave in range(20)]
    assert subtract_selectors((), others) is None


@given(SELECTORS, LABELS)
def test_a_selector_is_written_as_kubernetes_reads_it(
    selector: LabelSelector, labels: dict[str, str]
) -> None:
    short = simplify_selector(selector)
    if short is not None:
        body = write_selector(short)
        assert matches_labels(read_selector(body) or (), labels) is matches_labels(short, labels)
        assert set(body) <= {"matchLabels", "matchExpressions"}


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("env=prod", (wanted("env", LabelOperator.IN, "prod"),)),
        ("env==prod", (wanted("env", LabelOperator.IN, "prod"),)),
        ("env!=prod", (wanted("env", LabelOperator.NOT_IN, "prod"),)),
        ("env=", (wanted("env", LabelOperator.IN, ""),)),
        ("example.com/env", (wanted("example.com/env", LabelOperator.EXISTS),)),
        (" ! old ", (wanted("old", LabelOperator.ABSENT),)),
        (
            "region in (eu, us),tier notin (dev),!old,x=1",
            (
                wanted("region", LabelOperator.IN, "eu", "us"),
                wanted("tier", LabelOperator.NOT_IN, "dev"),
                wanted("old", LabelOperator.ABSENT),
                wanted("x", LabelOperator.IN, "1"),
            ),
        ),
        ("in in (in)", (wanted("in", LabelOperator.IN, "in"),)),
    ],
)
def test_a_selector_is_read_as_kubectl_reads_it(text: str, selector: LabelSelector) -> None:
    assert parse_selector(text) == selector


@pytest.mark.parametrize(
    "text",
    [
        ",",
        "a,",
        "a in",
        "a in (x",
        "=x",
        "a=b=c",
        "a b",
        "!",
        "a in (x y)",
        "-a",
        "a>1",
        "a..b/c",
        "a=" + "b" * 64,
    ],
)
def test_what_is_no_selector_is_none(text: str) -> None:
    assert parse_selector(text) is None


@given(st.text(max_size=40))
def test_any_text_is_a_selector_or_not(text: str) -> None:
    parse_selector(text)
    parse_label(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("edge-1:env=prod", ("edge-1", "env", "prod")),
        ("edge-1:env-", ("edge-1", "env", None)),
        ("default/api:6443/me:example.com/env=", ("default/api:6443/me", "example.com/env", "")),
        ("edge-1", None),
        (":env=prod", None),
        ("edge-1:env", None),
        ("edge-1:env=a b", None),
        (f"edge-1:env={'a' * 64}", None),
        (f"edge-1:{'a' * 64}-", None),
    ],
)
def test_a_label_of_a_cluster_is_read(text: str, said: object) -> None:
    assert parse_label(text) == said


@pytest.mark.parametrize(
    ("value", "labels", "want"),
    [
        ({}, {"a": "b"}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "b", "c": "d"}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "c"}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", "c"]}]}, {"a": "c"}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}, {}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}, {"a": "b"}, False),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {}, False),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {}, True),
    ],
)
def test_a_selector_matches_as_in_a_cluster(value: Json, labels: dict[str, str], want: bool) -> None:
    terms = read_selector(value)
    assert terms is not None
    assert matches_labels(terms, labels) is want


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"matchLabels": []},
        {"matchLabels": {"a": 1}},
        {"matchExpressions": {}},
        {"matchExpressions": [{"key": "a", "operator": "Equals"}]},
        {"matchExpressions": [None]},
    ],
)
def test_what_is_no_selector_says_nothing(value: Json) -> None:
    assert read_selector(value) is None


@pytest.mark.parametrize(
    ("selector", "fitting"),
    [
        ({}, True),
        ({"matchLabels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "2"}}, False),
        ({"matchLabels": ["a"]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["2"]}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["2"]}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": ["In"]}]}, False),
        ({"matchExpressions": [{"key": ["a"], "operator": "In", "values": ["1"]}]}, False),
        ({"matchExpressions": ["a"]}, False),
        ({"matchExpressions": {"a": 1}}, False),
    ],
)
def test_what_is_no_selector_matches_nothing(selector: Json, fitting: bool) -> None:
    found = read_selector(selector)
    assert (found is not None and matches_labels(found, {"a": "1"})) is fitting


def test_labels_that_only_running_pods_have_are_left_out() -> None:
    body = {"matchLabels": {"app": "x", "pod-template-hash": "1"}}
    assert read_pod_selector(body) == (wanted("app", LabelOperator.IN, "x"),)
