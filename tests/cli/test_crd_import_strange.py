"""What an import writes, the loader reads: strange CRDs are refused, or the kit loads with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import run
from small_crd import crd, obj, version
from some import few

from kitgen.findings.errors import FindingsError
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.yaml import Json, JsonObject

pytestmark = pytest.mark.exhaustive

STRANGE = st.sampled_from(
    [
        "\x7f", "\ufeff", "\ufeffa", "a\x00b", "\x85", "\x9f", "\u2028", "\u202e", "\ufffe", "\uffff",
        "\ud800", "\U0010ffff", "", " ", "\n", "\r", "a\r\nb", "\t", "\ta\n", "~", "null", "=", "<<", "y",
        "0x1f", "1_0", "$type", "$use", "$set", "---", "...", "%YAML", "{{ x }}", "{% x %}", "&a", "*a",
        "!a", "? a", "- a", "..", "/", "a/b", "::error::x", "##[x]", "'", '"', "\\", "\\x7f", "#", "a" * 1100,
    ]
)  # fmt: skip
NUMBERS = [0, -0.0, 1e300, 5e-324, 2**63, -(2**63) - 1, 10**40, 1.5, 1e16, 2**53 + 1]
TEXTS = st.one_of(STRANGE, st.text(max_size=8), st.tuples(STRANGE, STRANGE).map("".join))


def field(**more: Json) -> JsonObject:
    """Return a CRD with one field."""
    return crd(version(spec=obj({"a": {"type": "string", **more}})))


def about(place: str, key: str, value: Json) -> JsonObject:
    """Return a CRD with something in its metadata or its names."""
    body = field()
    within = body["metadata"] if place == "metadata" else body["spec"]["names"]
    within[key] = value
    return body


FREE = {"x-kubernetes-preserve-unknown-fields": True}
PLACES: dict[str, Callable[[str], JsonObject]] = {
    "field": lambda text: crd(version(spec=obj({text: {"type": "string"}, "b": {"type": "string"}}))),
    "required": lambda text: crd(version(spec=obj({text: {"type": "string"}}, required=[text]))),
    "enum": lambda text: field(enum=["a", text], default=text),
    "pattern": lambda text: field(pattern=text),
    "format": lambda text: field(format=text),
    "title": lambda text: field(title=text),
    "description": lambda text: field(description=text),
    "rule": lambda text: field(
        **{"x-kubernetes-validations": [{"rule": f"self == '{text}'", "message": text}]}
    ),
    "default": lambda text: crd(version(spec=obj({"a": {**FREE, "default": {text: [text]}}}))),
    "example": lambda text: crd(version(spec=obj({"a": {**FREE, "example": {text: text}}}))),
    "column": lambda text: crd(
        version(additionalPrinterColumns=[{"name": text, "type": "string", "jsonPath": ".kind"}])
    ),
    "column path": lambda text: crd(
        version(additionalPrinterColumns=[{"name": "a", "type": "string", "jsonPath": text}])
    ),
    "warning": lambda text: crd(version(deprecated=True, deprecationWarning=text)),
    "label": lambda text: about("metadata", "labels", {"a": text}),
    "label key": lambda text: about("metadata", "labels", {text: "a"}),
    "annotation": lambda text: about("metadata", "annotations", {"a": text}),
    "annotation key": lambda text: about("metadata", "annotations", {text: "a"}),
    "kind": lambda text: about("names", "kind", text),
    "singular": lambda text: about("names", "singular", text),
    "short name": lambda text: about("names", "shortNames", [text]),
    "category": lambda text: about("names", "categories", ["all", text]),
}
NUMBERED: dict[str, Callable[[float], JsonObject]] = {
    "minimum": lambda number: crd(version(spec=obj({"a": {"type": "number", "minimum": number}}))),
    "length": lambda number: field(maxLength=number),
    "choice": lambda number: crd(version(spec=obj({"a": {"type": "number", "enum": [number, 1]}}))),
    "value": lambda number: crd(version(spec=obj({"a": {**FREE, "default": {"b": number}}}))),
}


def imported(root: Path, text: str, *options: str) -> int:
    """Import a CRD into a kit, and check that the kit still loads, or that nothing was written."""
    before = kits.contents(root)
    result = run(
        "crd",
        "import",
        "-",
        "--component",
        "new",
        "--version",
        "v1.0.0",
        *options,
        "--root",
        root,
        stdin=text,
    )
    assert "fault of kitgen" not in result.err
    if result.code:
        assert kits.contents(root) == before
        assert result.code == 1
        return result.code
    try:
        load_kit(SpecFiles(root))
    except FindingsError as error:
        findings: list[Json] = [(each.rule.id, str(each.origin), each.message) for each in error.findings]
        pytest.fail(str(findings))
    assert run("crd", "outline", "new@v1.0.0", "--root", root).code == 0
    return 0


def within(body: JsonObject, *options: str, escaped: bool) -> int:
    """Import a CRD into a kit of its own."""
    with TemporaryDirectory() as folder:
        text = json.dumps(body, ensure_ascii=escaped)
        return imported(kits.make_kit(Path(folder) / "kit"), text.encode(errors="replace").decode(), *options)


@few()
@given(st.sampled_from(sorted(PLACES)), TEXTS, st.booleans(), st.sampled_from(["drop", "keep"]))
def test_strange_texts(place: str, text: str, escaped: bool, descriptions: str) -> None:
    within(PLACES[place](text), "--descriptions", descriptions, escaped=escaped)


@pytest.mark.parametrize("place", NUMBERED)
def test_strange_numbers(place: str) -> None:
    codes = {within(NUMBERED[place](number), escaped=True) for number in NUMBERS}
    assert 0 in codes


@pytest.mark.parametrize("place", PLACES)
def test_a_character_that_kustomize_loses(place: str) -> None:
    code = within(PLACES[place]("a\x7fb"), escaped=True)
    assert code == (0 if place == "description" else 1)
