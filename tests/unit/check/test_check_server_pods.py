"""What an API server asks of pods: tables of values, and values of every shape, which never break a check."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import kits
import pytest
from some import first

from kitgen.check.context import CheckContext
from kitgen.check.schemas.embedded import STATEFUL_TEMPLATE, is_unread_path
from kitgen.check.server import constraints, objects, rule_tables, selectors
from kitgen.check.server.cron_jobs import validate_schedule
from kitgen.crd.types import short_name
from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kit.foreign_objects import parse_foreign_objects
from kitgen.kube.definitions import definition_texts, get_definition, list_supported_minors
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import Json, JsonObject

SHAPES: tuple[Json, ...] = (
    None,
    True,
    -1,
    1.5,
    10**30,
    "",
    "x" * 300,
    [],
    {},
    [None],
    [[]],
    {"a": None},
    ["a"],
)
NAMES = ("*pods", "*workloads", "bad-[jprsv]*", "bad", "ok")
FILES = sorted({path for name in NAMES for path in (kits.CASES / "check").glob(f"server-*/{name}.yaml")})


def bodies() -> list[JsonObject]:
    found = [
        each.manifest.body
        for each in parse_foreign_objects({str(path): path.read_text() for path in FILES}).objects
    ]
    assert len(found) > 5
    return found


def server(body: JsonObject) -> list[str]:
    source = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=Origin("a.yaml"), verbatim=True)
    manifest = Manifest(body=body, sources=(source,))
    context = CheckContext(targets={"": [manifest]}, minors=list_supported_minors())
    return [f"{hit.problem.rule.id} {hit.problem.message}" for hit in objects.check(context)]


def places(value: Json, path: Path = ()) -> Iterator[Path]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def with_value(body: JsonObject, path: Path, value: Json) -> JsonObject:
    changed: Json = copy.deepcopy(body)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return dict(changed)


@pytest.mark.parametrize("at", first(range(len(SHAPES)), 4))
def test_nothing_is_too_strange(at: int) -> None:
    for body in bodies():
        paths = [path for path in places(body) if path and path[0] not in ("apiVersion", "kind")]
        for path in paths[at::50]:
            assert all(len(told) < 500 for told in server(with_value(body, path, SHAPES[at])))


def test_every_definition_has_one_row() -> None:
    tables = [each.RULES for each in vars(objects).values() if hasattr(each, "RULES")]
    names = [name for table in tables for name in table]
    assert sorted(names) == sorted(objects.RULES)


def test_rows_name_types_and_fields_that_there_are() -> None:
    types: dict[str, set[str]] = {}
    for minor in list_supported_minors():
        for name in definition_texts(minor):
            types.setdefault(short_name(name), set()).update(
                get_definition(name, minor).get("properties", {})
            )
    known = {name.partition(".")[2] for name in types}
    assert [name for name in objects.RULES if name.partition(".")[2] not in known] == []
    wrong = [
        (name, field)
        for name, rules in objects.RULES.items()
        for part in (rules if isinstance(rules, tuple) else (rules,))
        for field in (() if callable(part) else part)
        if field not in types.get(name, {field})
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * *", "0 0 1 1 0", "59 23 31 12 6", "*/15 0-6/2 ? jan-DEC Mon,fri", "5/10 * * * *", "@daily",
        "@every 1h30m", "@every 0.5s", " 1  2 3 4 5 ", "0,30 * * * *",
    ],
)  # fmt: skip
def test_schedules_that_are_some(schedule: str) -> None:
    assert validate_schedule(schedule) == ""


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7",
        "a * * * *", "*/0 * * * *", "5-1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "-1 * * * *",
        "1.5 * * * *", "@never", "@every day", "@Daily", "* * jan * *", "*/x * * * *",
    ],
)  # fmt: skip
def test_schedules_that_are_none(schedule: str) -> None:
    assert validate_schedule(schedule) != ""


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        ({"key": "app", "operator": "In", "values": ["a", "web"]}, True),
        ({"key": "app", "operator": "NotIn", "values": ["web"]}, False),
        ({"key": "tier", "operator": "NotIn", "values": ["x"]}, True),
        ({"key": "tier", "operator": "Exists"}, False),
        ({"key": "tier", "operator": "DoesNotExist"}, True),
        ({"key": "tier", "operator": "odd"}, True),
        ({}, True),
    ],
)
def test_labels_fit_expressions(expression: JsonObject, *, fits: bool) -> None:
    assert selectors.matches_expression(expression, {"app": "web"}) is fits


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (0, False),
        (5, False),
        (-1, True),
        ("25%", False),
        ("150%", True),
        ("%", True),
        ("5", True),
        ("-5%", True),
    ],
)
def test_shares(value: Json, *, wrong: bool) -> None:
    assert bool(list(rule_tables.check_fields({"max": value}, {"max": constraints.PART}))) is wrong


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("http", False), ("a-1", False), ("1", True), ("a--b", True), ("-a", True), ("a-", True), ("A", True),
     ("a" * 15, False), ("a" * 16, True), ("", True), (1, False), (0, True), (65536, True)],
)  # fmt: skip
def test_ports(name: Json, *, wrong: bool) -> None:
    assert bool(list(rule_tables.check_fields({"port": name}, {"port": constraints.PORT}))) is wrong


def test_what_a_server_does_not_read_is_no_error_of_it() -> None:
    assert is_unread_path("StatefulSet", ("spec", "template", "spec", "containers", 0), 33)
    assert is_unread_path("StatefulSet", ("spec", "volumeClaimTemplates", 0), 33)
    assert not is_unread_path("StatefulSet", ("spec", "template", "spec", "restartPolicy"), 33)
    assert not is_unread_path("StatefulSet", ("spec", "template", "spec", "containers", 0), 34)
    assert not is_unread_path("Deployment", ("spec", "template", "spec", "containers", 0), 33)
    assert STATEFUL_TEMPLATE.id == "stateful-template"


def test_a_long_list_takes_no_time() -> None:
    pod = next(each for each in bodies() if each["kind"] == "Pod")
    pod["spec"]["containers"] = [{"name": f"c{at}", "image": "a:1"} for at in range(2000)]
    pod["spec"]["volumes"] = [{"name": f"v{at}", "emptyDir": {}} for at in range(2000)]
    assert len(server(pod)) < 100
