"""What an import makes of config.yaml: a new one, or what changes in the older one."""

from __future__ import annotations

import kits
from some import rows

from kitgen.files.tree import Memory
from kitgen.findings.errors import FindingsError
from kitgen.importing.files import build_config_data, infer_config
from kitgen.importing.inversion import InvertedSpec
from kitgen.importing.spec_formatter import render_spec
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.yaml import Json, JsonObject, read_yaml

KIT = {
    path.relative_to(kits.CASES / "kit").as_posix(): path.read_text()
    for path in sorted((kits.CASES / "kit").rglob("*.yaml"))
}
OLD: JsonObject = read_yaml(KIT["components/hello/v1.0.0/config.yaml"])
HEAD = "version: v1.0.1\nfrom: v1.0.0\n"
TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def obj(**fields: Json) -> JsonObject:
    return {"type": "object", "properties": fields}


def loaded(content: JsonObject) -> JsonObject:
    """Return the config.yaml that a version has which builds on the small kit's."""
    new = {"component.yaml": HEAD, "config.yaml": render_spec(content, "../../../schemas/config.json")}
    files = {**KIT, **{f"components/hello/v1.0.1/{name}": text for name, text in new.items()}}
    try:
        kit = load_kit(SpecFiles(Memory({path: text.encode() for path, text in files.items()}, {})))
    except FindingsError as error:
        raise AssertionError([str(each) for each in error.findings]) from None
    made = kit.components["hello"]["v1.0.1"].config_type
    assert made is not None
    return made[1]


@rows(
    ("learnt", "expected"),
    [
        ({"fields": {"more": TEXT}}, {"$add": {"more": TEXT}}),
        ({"fields": {"log": obj(color=TEXT)}}, {"$add": {"log.color": TEXT}}),
        ({"fields": {"a": obj(b=obj(c=TEXT))}}, {"$add": {"a": obj(b=obj(c=TEXT))}}),
        ({"fields": {"a.b": NUMBER}}, {"$add": {'"a.b"': NUMBER}}),
        ({"fields": {"log": obj(**{"a.b": NUMBER})}}, {"$add": {'log."a.b"': NUMBER}}),
        ({"fields": {"names": TEXT}}, {"$set": {"names": TEXT}}),
        ({"fields": {"every": NUMBER}}, {"$set": {"every": NUMBER}}),
        (
            {"fields": {"names": obj(a=TEXT), "x": TEXT}},
            {"$set": {"names": obj(a=TEXT)}, "$add": {"x": TEXT}},
        ),
        ({"header": {"kind": "A"}}, {"$add": {"#header": {"kind": "A"}}}),
    ],
)
def test_only_what_is_new_or_other_is_said(learnt: JsonObject, expected: JsonObject) -> None:
    found = build_config_data(learnt, OLD)
    assert found == expected
    made = loaded(found)
    assert made["rules"] == OLD["rules"]
    assert made.get("header", {}) == learnt.get("header", {})
    assert made["fields"].keys() == {**OLD["fields"], **learnt.get("fields", {})}.keys()


def test_a_header_that_is_there_is_set() -> None:
    assert build_config_data({"header": {"kind": "B"}}, {**OLD, "header": {"kind": "A"}}) == {
        "$set": {"#header": {"kind": "B"}}
    }


@rows("learnt", [{}, {"fields": {}}, {"fields": {"every": OLD["fields"]["every"]}}])
def test_nothing_new_is_no_file(learnt: JsonObject) -> None:
    assert build_config_data(learnt, OLD) is None


def test_without_an_older_one_all_is_said() -> None:
    assert build_config_data(OLD, None) == OLD
    assert build_config_data({}, None) is None


def taken(**fields: Json) -> InvertedSpec:
    return InvertedSpec(sections={"config": {}}, images={}, config_fields=fields, made={})


def test_a_configuration_moves_when_no_tree_has_it_where_it_was() -> None:
    old: JsonObject = {"configMap": "config", "key": "c.yaml", "fields": {}}
    moved, more = taken(configMap="settings"), {"a": {"type": "string"}}
    other = InvertedSpec(sections={}, images={}, config_fields={}, made={})
    assert infer_config([moved, other], old) == {"configMap": "settings"}
    assert infer_config([moved, taken(configMap="config-2")], old) == {"configMap": "settings"}
    assert infer_config([moved, taken(fields=more)], old) == {"fields": more}
    assert infer_config([taken(), moved], old) == {}
