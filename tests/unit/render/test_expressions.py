"""Expressions compute plain values, and whatever anybody writes is at worst a finding."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kitgen.findings import Finding, Origin
from kitgen.kit.model import ComponentPart, Layer, SectionItem
from kitgen.render.expressions import ExpressionNames, evaluate_part
from kitgen.text import expressions as sandbox
from kitgen.text.expressions import MAX_RESULT
from kitgen.text.yaml import Json

VALUES = {"namespace": "odh", "version": "v1.5.0", "images": {"manager": "quay.io/x:v1"}, "prefix": ""}
NAMES = ExpressionNames(VALUES, {})


def computed(value: Json) -> tuple[Json, list[Finding]]:
    layer = Layer(data={"value": value}, origin=Origin("c.yaml"))
    part, findings = evaluate_part(
        ComponentPart({"deployment": (SectionItem(name="x", layers=(layer,)),)}), NAMES
    )
    return part["deployment"][0].layers[0].data["value"], list(findings)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("{{ namespace }}", "odh"),
        ("{{namespace}}-{{ version }}", "odh-v1.5.0"),
        ("{{ images.manager }}", "quay.io/x:v1"),
        ("{{ images['manager'] }}", "quay.io/x:v1"),
        ("{{ 1 + 2 }}", 3),
        ("{{ 2 * 3 }}", 6),
        ("{{ true }}", True),
        ("{{ [1, 'a'] }}", [1, "a"]),
        ("{{ version | replace('v', '') }}", "1.5.0"),
        ("{{ namespace | upper }}", "ODH"),
        ("{{ 'a' if namespace == 'odh' else 'b' }}", "a"),
        ("{{ missing | default('x') }}", "x"),
        ("no braces }} here", "no braces }} here"),
        ("{{ prefix }}x", "x"),
        ({"$literal": "{{ $labels.pod }} {% x %}"}, "{{ $labels.pod }} {% x %}"),
        ([{"a": "{{ namespace }}"}, 3, None], [{"a": "odh"}, 3, None]),
    ],
)
def test_values(text: Json, want: Json) -> None:
    assert computed(text) == (want, [])


@pytest.mark.parametrize(
    "text",
    [
        "{{ namespac }}",
        "{{ 18446744073709551616 }}",
        "{{ [{'a': -9223372036854775809}] }}",
        "{{ ["
        + "'a'|replace('a', 'bbbbbbbbbb')|replace('b', 'cccccccccc')|replace('c', 'dddddddddd'), " * 11
        + "] }}",
        "{{ images.nobody }}",
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ namespace.__init__.__globals__ }}",
        "{{ images.pop('manager') }}",
        "{{ images.update({}) }}",
        "{{ namespace.format(namespace) }}",
        "{{ '{0.__class__}'.format(namespace) }}",
        "{{ self }}",
        "{{ cycler('a') }}",
        "{{ lipsum() }}",
        "{{ range(99999999) }}",
        "{{ 'x' * 999999999 }}",
        "{{ [0] * 999999999 }}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ '%0999999999d' % 1 }}",
        "{{ 'x'.ljust(999999999) }}",
        "{{ 'x'.center(999999999) }}",
        "{{ 'x'.zfill(999999999) }}",
        "{{ namespace | pprint }}",
        "{{ namespace | attr('__class__') }}",
        "{{ 1 / 0 }}",
        "{{ [namespac] }}",
        "{{ {'a': namespac} }}",
        "{{ {1: 2} }}",
        "{{ (1, 2) }}",
        "{{ 1e999 }}",
        "{{ 'aaaaaaaa'" + " | replace('a', 'aaaaaaaa')" * 30 + " }}",
        "{{ 'aaaaaaaa'" + " | join('aaaaaaaa')" * 30 + " }}",
        "{{ 1 + 'a' }}",
        "{{ }}",
        "{{ 1 + }}",
        "{{ ( }}",
        "{% for x in y %}{% endfor %}",
        "{# comment #}{{ namespace }}",
        "{{ namespace",
        {"$literal": "x", "other": "y"},
        {"{{ namespace }}": "x"},
        "{{ 'a\\x85' }}",
        "{{ '\\ud800' }}",
        "a{{ '\\x7f' }}b",
        [{"a": {"{% x %}": 1}}],
        "{{ " + "(" * 500 + ")" * 500 + " }}",
        "{{ " + "-" * 5000 + "1 }}",
        "{{ images.items }}",
        "{{ images.items | string }}",
        "{{ [images.items] | string }}",
        "{{ 'a' ~ images.items }}",
        "{{ namespace.upper | lower }}",
        "{{ images.items | replace('a', 'b') }}",
        "{{ [missing] | string }}",
        "{{ [missing] ~ 'a' }}",
        "{{ {'a': missing} | length }}",
        "{{ 'x' | int(missing) }}",
        "{{ [[] | first] | string }}",
        "{{ namespace if false }}",
        "{{ (namespace if false) | string }}",
        "a{{ (namespace if false) ~ 'b' }}",
        "{{ self ~ '' }}",
        "{{ 1[0:1] }}",
        "{{ 1e999 | string }}",
        "{{" * 8000,
        "{{ a }}{{" * 8000,
        "{{ " + "[1]" * 300 + " }}",
    ],
)
def test_what_is_refused(text: Json) -> None:
    before = time.process_time()
    _, findings = computed(text)
    assert [each.rule.id for each in findings] == ["expression"]
    assert len(findings[0].message) <= 200
    assert time.process_time() - before < 5, "it must not even be tried"


def test_an_item_may_be_called_like_a_method() -> None:
    names = ExpressionNames({"images": {"items": "quay.io/x:v1"}}, {})
    layer = Layer(data="{{ images.items }}", origin=Origin("c.yaml"))
    made = evaluate_part(ComponentPart({"deployment": (SectionItem(name="x", layers=(layer,)),)}), names)
    assert made.value["deployment"][0].layers[0].data == "quay.io/x:v1"


def test_a_kit_has_only_so_many_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_COMPILED", sandbox.get_compiler().spent + 1000)
    _, findings = computed([f"{{{{ namespace ~ {number} }}}}" for number in range(100)])
    assert 90 <= len(findings) < 100
    assert "too many different expressions" in findings[-1].message


def test_a_kit_has_only_so_long_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_RESULTS", sandbox.get_compiler().made + 10_000)
    long = "{{ 'a'|replace('a', 'bbbbbbbbbb')|replace('b', 'cccccccccc')|replace('c', 'dddddddddd')ENDING }}"
    for ending in ("", "|length"):
        sandbox.get_compiler().made = sandbox.MAX_RESULTS - 10_000
        _, found = computed([long.replace("ENDING", ending)] * 20)
        assert "found results of more than" in found[0].message
        assert 10 <= len(found) < 20
    assert computed("{{ namespace }}") == ("odh", [])


def test_a_long_result_is_refused() -> None:
    text = "{{ '" + "x" * (MAX_RESULT + 1) + "' }}"
    assert [each.rule.id for each in computed(text)[1]] == ["expression"]


@given(
    text=st.one_of(
        st.text(alphabet="{}%# .|()[]'\"*+-/~abx019_$", max_size=30),
        st.text(alphabet=" .|()[]'\"*+-/~abx019_,:", max_size=25).map("{{{{ {} }}}}".format),
        st.text(max_size=20),
    )
)
@example(text="{{ '\\ud800' }}")
@example(text="{{ 1_0 }}{{ 1e999 }}")
def test_no_text_crashes(text: str) -> None:
    value, findings = computed(text)
    assert isinstance(value, str | int | float | bool | list | dict | None)
    assert all(each.rule.id == "expression" for each in findings)
