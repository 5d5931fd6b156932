"""Templates of anybody's are run over plain data, and end in time."""

from __future__ import annotations

import pytest

from kitgen.findings.errors import FindingsError
from kitgen.release.notes.model import ReleaseNotes
from kitgen.release.notes.template import FILE, NotesTemplate, render_notes

NOTES = ReleaseNotes(
    release="v1.0.0",
    date=None,
    since=None,
    back=False,
    patch=False,
    matrix="| a |",
    targets=("x", "y", "<z>"),
    summary={"breaking": 2},
)


def write(text: str) -> str:
    return render_notes(NOTES, NotesTemplate(text=text, file=FILE)).removesuffix("\n")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("{{ targets | join(', ') }}", "x, y, &lt;z>"),
        ("{{ targets[2] | code }}", "`<z>`"),
        ("{{ targets[2] | safe }}", "<z>"),
        ("{{ '`' ~ targets[2] ~ '`' }}", "&#96;&lt;z>&#96;"),
        ("{{ targets[2] ~ ('b' | code) }}", "&lt;z>`b`"),
        ("{{ [targets[2], 'b' | code] | join(' < ') }}", "&lt;z> &lt; `b`"),
        ("{% macro m(x) %}<i>{{ x }}</i>{% endmacro %}{{ m(targets[2]) }}", "<i>&lt;z></i>"),
        ("{% set a %}<i>{{ targets[2] }}</i>{% endset %}{{ a }}", "<i>&lt;z></i>"),
        ("{{ targets[2] | upper }}", "&lt;Z>"),
        ("{{ date }}|", "|"),
        ("{{ summary.breaking + 1 }}", "3"),
        ("{% for each in targets %}{{ loop.index }}{% if not loop.last %},{% endif %}{% endfor %}", "1,2,3"),
        ("{% for each in targets if each == 'y' %}{{ each }}{% else %}none{% endfor %}", "y"),
        ("a\n\n\n \n{{ release }}\n\n", "a\n\nv1.0.0"),
    ],
)
def test_what_is_printed_is_escaped_once(text: str, made: str) -> None:
    assert write(text) == made


NESTED = "{% for a in targets %}" * 14 + "{% endfor %}" * 14
FORKED = "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}"
DOUBLED = "{% set a = 'xxxxxxxxxx' %}" + "{% set a = a ~ a %}" * 60
BLOCKS = "{% set a %}xxxxxxxxxx{% endset %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 60
LISTS = "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60
LONG = (
    "{% for a in targets %}{% for a in targets %}{% for a in targets %}" + "x" * 900_000 + "{% endfor %}" * 3
)


@pytest.mark.parametrize(
    "text",
    [
        NESTED,
        FORKED,
        DOUBLED,
        BLOCKS,
        LISTS + "{{ a is equalto [a] }}",
        *(
            pytest.param(each, marks=pytest.mark.exhaustive)
            for each in (
                LISTS + "{{ a | string }}",
                LISTS + LISTS.replace(" a", " b").replace("[a, a]", "[b, b]") + "{{ a == b }}",
            )
        ),
        LONG,
        "{% set a = 10 %}" + "{% set a = a * a %}" * 60,
        "{{ 'x' * 1000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ 'a' + 'b' }}",
        "{{ range(10) }}",
        "{{ loop }}",
        "{{ self.__class__ }}",
        "{{ targets.append('a') }}",
        "{{ cycler }}",
        "{% for each in targets recursive %}{{ loop(targets) }}{% endfor %}",
        "{% import 'default' as d %}",
        f"{{% extends '{FILE}' %}}",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    ],
)
def test_what_does_too_much_is_refused(text: str) -> None:
    with pytest.raises(FindingsError) as caught:
        write(text)
    (found,) = caught.value.findings
    assert (found.rule.id, found.origin.file) == ("notes-template", FILE)
    assert found.origin.line >= 1
    assert len(found.message) < 300
