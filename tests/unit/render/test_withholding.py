"""What is left of a role without what a target withholds, held against what RBAC lets through."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kube.rbac.rules import parse_permission
from kitgen.render.withheld_permissions import (
    KEEP,
    RuleIndex,
    find_missing_grants,
    has_common_grants,
    subtract_withheld,
)
from kitgen.text.yaml import JsonObject

GROUPS, RESOURCES, VERBS = ("", "apps", "batch"), ("a", "b", "a/s", "b/s", "c/t"), ("get", "delete", "own")
NAMES, URLS = ("x", "y", "z"), ("/m", "/m/1", "/m/2", "/n")


def some(*words: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(words), min_size=1, max_size=3, unique=True)


ON_RESOURCES = st.fixed_dictionaries(
    {
        "apiGroups": some("", "apps", "*"),
        "resources": some("a", "b", "a/s", "*/s", "*"),
        "verbs": some("get", "delete", "*"),
    },
    optional={"resourceNames": some("x", "y")},
)
ON_URLS = st.fixed_dictionaries(
    {"nonResourceURLs": some("/m", "/m/1", "/m/*", "*", "/n"), "verbs": some("get", "delete", "*")}
)
RULES: st.SearchStrategy[JsonObject] = st.one_of(ON_RESOURCES, ON_URLS)


KEEPING = st.builds(lambda rule, names: {**rule, KEEP: names}, ON_RESOURCES, some("x", "z"))
WITHHELD: st.SearchStrategy[JsonObject] = st.one_of(RULES, KEEPING)


def is_let_through(rule: JsonObject, request: tuple[str, ...]) -> bool:
    """Tell whether a rule lets a request through, by the book of Kubernetes."""
    verb, *where = request
    if not {verb, "*"} & set(rule["verbs"]):
        return False
    if len(where) == 1:
        urls = rule.get("nonResourceURLs", ())
        return any(
            url in ("*", where[0]) or (url[-1] == "*" and where[0].startswith(url[:-1])) for url in urls
        )
    group, resource, name = where
    below = resource.partition("/")[2]
    wide = {resource, "*", *([f"*/{below}"] if below else [])}
    named = rule.get("resourceNames", [])
    return (
        bool({group, "*"} & set(rule.get("apiGroups", ())))
        and bool(wide & set(rule.get("resources", ())))
        and (not named or name in named)
        and name not in rule.get(KEEP, ())
    )


REQUESTS: list[tuple[str, ...]] = [*product(VERBS, GROUPS, RESOURCES, NAMES), *product(VERBS, URLS)]


def requests(*rules: JsonObject) -> set[tuple[str, ...]]:
    return {each for each in REQUESTS if any(is_let_through(rule, each) for rule in rules)}


@given(RULES, WITHHELD)
def test_what_is_left_and_what_is_withheld_is_what_was_granted(
    rule: JsonObject, withheld: JsonObject
) -> None:
    left, gone = requests(*subtract_withheld(rule, withheld)), requests(withheld)
    assert left <= requests(rule)
    assert left | (requests(rule) & gone) == requests(rule)


@given(RULES, WITHHELD)
def test_what_cannot_be_taken_is_told(rule: JsonObject, withheld: JsonObject) -> None:
    left, gone = subtract_withheld(rule, withheld), requests(withheld)
    assert any(has_common_grants(each, withheld) for each in left) == bool(requests(*left) & gone)
    assert has_common_grants(rule, withheld) == bool(requests(rule) & gone)


@given(st.lists(RULES, max_size=4), WITHHELD)
def test_a_second_time_there_is_nothing_to_take(rules: list[JsonObject], withheld: JsonObject) -> None:
    once = [each for rule in rules for each in subtract_withheld(rule, withheld)]
    assert [each for rule in once for each in subtract_withheld(rule, withheld)] == once


@given(st.lists(RULES, max_size=4), WITHHELD)
def test_nothing_is_missing_that_is_granted(rules: list[JsonObject], withheld: JsonObject) -> None:
    told = list(find_missing_grants(withheld, rules))
    assert bool(told) or requests(withheld) & requests(*rules)
    if not any(has_common_grants(rule, withheld) for rule in rules):
        assert told


@pytest.mark.parametrize(
    ("granted", "withheld", "left"),
    [
        ({"core/secrets": "get delete"}, {"core/secrets": "delete"}, [("secrets", "get")]),
        (
            {"core/secrets,pods": "get delete"},
            {"core/secrets": "delete"},
            [("pods", "get delete"), ("secrets", "get")],
        ),
        ({"core/secrets": "manage"}, {"core/secrets": "manage"}, []),
        ({"core/secrets": "manage"}, {"core/secrets": "read"}, [("secrets", "create delete patch update")]),
        ({"core/secrets": "get delete"}, {"core/secrets": "*"}, []),
        (
            {"core/secrets,pods": "*"},
            {"core/secrets": "delete"},
            [("pods", "*"), ("secrets", "create deletecollection get list patch update watch")],
        ),
        ({"core/serviceaccounts": "*"}, {"core/serviceaccounts": "delete"}, [("serviceaccounts", "*")]),
        ({"core/secrets,pods": "get"}, {"core/*": "get"}, []),
        ({"core/secrets[a,b]": "get"}, {"core/secrets[a]": "get"}, [("secrets", "get")]),
        ({"core/secrets[a,b]": "get"}, {"core/secrets": "get"}, []),
        ({"core/secrets": "get"}, {"apps/secrets": "get"}, [("secrets", "get")]),
        ({"core/pods/status,pods": "get"}, {"core/pods/status": "get"}, [("pods", "get")]),
        ({"/metrics": "get head"}, {"/metrics": "head"}, [("/metrics", "get")]),
        ({"/debug/a": "get"}, {"/debug/*": "get"}, []),
    ],
)
def test_what_is_left(granted: dict[str, str], withheld: dict[str, str], left: list[tuple[str, str]]) -> None:
    (rule,), (gone,) = ([parse_permission(*each) for each in some.items()] for some in (granted, withheld))
    found = [
        (",".join(each.get("resources") or each["nonResourceURLs"]), " ".join(each["verbs"]))
        for each in subtract_withheld(rule, gone)
    ]
    assert found == left


def test_a_role_keeps_what_it_may_do_with_some_objects() -> None:
    gone = {**parse_permission("core/secrets", "get delete"), KEEP: ("a",)}
    secrets = {"apiGroups": [""], "resources": ["secrets"]}
    assert subtract_withheld(parse_permission("core/secrets,pods", "get list"), gone) == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
        {**secrets, "verbs": ["list"]},
        {**secrets, "resourceNames": ["a"], "verbs": ["get"]},
    ]
    for key, names in {
        "core/secrets[a,b]": [["a"]],
        "core/secrets[a]": [["a"]],
        "core/secrets[b]": [],
    }.items():
        assert [
            each["resourceNames"] for each in subtract_withheld(parse_permission(key, "get"), gone)
        ] == names


@pytest.mark.parametrize(
    ("withheld", "told"),
    [
        ({"core/secrets": "delete"}, []),
        ({"core/secrets": "manage"}, ["core/secrets: create get list patch update watch"]),
        ({"core/pods,secrets": "delete"}, ["core/pods: delete"]),
        ({"core/configmaps[mine,other]": "get"}, ["core/configmaps[other]: get"]),
        ({"apps/secrets": "delete"}, ["apps/secrets: delete"]),
        ({"/metrics": "get post"}, ["/metrics: post"]),
        ({"batch/jobs": "get"}, []),
    ],
)
def test_what_nobody_grants_is_told(withheld: dict[str, str], told: list[str]) -> None:
    granted = {"core/secrets": "delete", "core/configmaps[mine]": "get", "/metrics": "get", "batch/*": "*"}
    rules = [parse_permission(*each) for each in granted.items()]
    assert [
        each for gone in withheld.items() for each in find_missing_grants(parse_permission(*gone), rules)
    ] == told


@given(st.lists(RULES, max_size=5), WITHHELD)
def test_the_index_has_all_that_may_be_taken_from(rules: list[JsonObject], withheld: JsonObject) -> None:
    index: RuleIndex[JsonObject] = RuleIndex()
    for rule in rules:
        index.add(rule, rule)
    near = index.find_related(withheld)
    assert [rule for rule in near if has_common_grants(rule, withheld)] == [
        rule for rule in rules if has_common_grants(rule, withheld)
    ]


def test_rules_of_other_groups_are_not_looked_at() -> None:
    index: RuleIndex[int] = RuleIndex()
    for number in range(1000):
        index.add({"apiGroups": [f"g{number}.example.com"], "resources": ["things"]}, number)
    assert index.find_related(parse_permission("g7.example.com/things", "delete")) == [7]
    assert index.find_related(parse_permission("/metrics", "get")) == []
