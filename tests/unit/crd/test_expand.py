from __future__ import annotations

from declared import declaration, expanded, found, spec, spec_of
from some import rows

from kitgen.crd.types import type_name, types_of
from kitgen.kube.schema_interning import drop_type_details
from kitgen.text.yaml import Json, JsonObject, SharedMapping, dump_yaml, read_yaml

STRING = {"type": "string"}
OBJECT = {"type": "object"}


def at(path: str) -> str:
    return "/versions/v1/schema/properties/spec" + path


def test_a_type_stands_for_the_whole_of_it() -> None:
    schema = spec_of(expanded(spec({"$type": "core/v1.PodTemplateSpec"})))
    assert schema is types_of(30).get_schema("core/v1.PodTemplateSpec")
    assert type_name(schema) == "core/v1.PodTemplateSpec"


def test_an_object_gets_the_fields_that_all_have() -> None:
    body = expanded(declaration({"type": "object", "properties": {"value": STRING}})).bodies[0]
    properties = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert list(properties) == ["apiVersion", "kind", "metadata", "value"]
    assert properties["metadata"] == OBJECT


def test_declared_metadata_is_not_overwritten() -> None:
    named = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}}}
    body = expanded(declaration({"type": "object", "properties": {"metadata": named}})).bodies[0]
    schema = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["metadata"] == named


def test_names_follow_from_the_kind() -> None:
    body = expanded(declaration()).bodies[0]
    assert body["metadata"] == {"name": "things.example.dev"}
    names = {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"}
    assert body["spec"]["names"] == names


@rows(("kind", "plural"), [("Policy", "policies"), ("Class", "classes"), ("Box", "boxes"), ("Key", "keys")])
def test_plurals(kind: str, plural: str) -> None:
    body = expanded({**declaration(), "names": {"kind": kind}}).bodies[0]
    assert body["spec"]["names"]["plural"] == plural


def test_a_name_that_is_null_stays_out() -> None:
    names = {"kind": "Sheep", "plural": "sheep", "singular": None, "listKind": None}
    assert expanded({**declaration(), "names": names}).bodies[0]["spec"]["names"] == {
        "kind": "Sheep",
        "plural": "sheep",
    }


def test_fields_may_be_called_like_keywords() -> None:
    fields = dict.fromkeys(("$type", "$use", "$set", "items", "properties", "type", "default"), STRING)
    assert spec_of(expanded(spec({"type": "object", "properties": fields})))["properties"] == fields


def test_keywords_beside_a_type_are_set_and_fields_added() -> None:
    own = {"$type": "core/v1.ResourceRequirements", "nullable": True, "properties": {"extra": STRING}}
    schema = spec_of(expanded(spec(own)))
    assert schema["nullable"] is True
    assert list(schema["properties"]) == ["claims", "limits", "requests", "extra"]
    assert "extra" not in types_of(30).get_schema("core/v1.ResourceRequirements")["properties"]


def test_exceptions_change_what_they_name_and_nothing_else() -> None:
    own = {
        "$type": "core/v1.PodTemplateSpec",
        "$remove": [
            "spec.hostUsers",
            "spec.containers#x-kubernetes-list-map-keys",
            "spec.containers[].ports#x-kubernetes-list-type",
            "spec.containers[].ports#x-kubernetes-list-map-keys",
        ],
        "$set": {
            "spec.containers#x-kubernetes-list-type": "atomic",
            "spec.schedulerName": {"$type": "intstr.IntOrString"},
        },
        "$add": {
            "spec.containers[].image#minLength": 1,
            "spec.nodeSelector{}#maxLength": 9,
            "spec.more": STRING,
        },
    }
    schema = spec_of(expanded(spec(own)))
    pod = schema["properties"]["spec"]["properties"]
    assert "hostUsers" not in pod
    assert pod["containers"]["x-kubernetes-list-type"] == "atomic"
    assert pod["containers"]["items"]["properties"]["image"] == {"type": "string", "minLength": 1}
    assert "x-kubernetes-list-type" not in pod["containers"]["items"]["properties"]["ports"]
    assert pod["nodeSelector"]["additionalProperties"] == {"type": "string", "maxLength": 9}
    assert pod["more"] == STRING
    assert type_name(pod["schedulerName"]) == "intstr.IntOrString"
    plain = types_of(30).get_schema("core/v1.PodSpec")["properties"]
    assert "hostUsers" in plain
    assert pod["volumes"] is plain["volumes"]


def test_parts_are_used_across_versions_and_files() -> None:
    first = declaration(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": STRING}}}}
    )
    first["versions"]["v2"] = {"schema": {"$use": "things/v1", "$add": {"spec.b": STRING}}}
    second = {**spec({"$use": "things/v2/spec"}), "names": {"kind": "Other"}}
    expansion = expanded(first, second)
    assert spec_of(expansion, version=1)["properties"] == {"a": STRING, "b": STRING}
    assert spec_of(expansion, body=1)["properties"] == {"a": STRING, "b": STRING}


def test_a_part_is_shared_with_the_place_that_it_comes_from() -> None:
    fields = {"one": {"type": "object", "properties": {"a": STRING}}, "two": {"$use": "things/v1/spec.one"}}
    schema = spec_of(expanded(spec({"type": "object", "properties": fields})))
    assert schema["properties"]["one"] is schema["properties"]["two"]
    assert isinstance(schema["properties"]["one"], SharedMapping)
    assert type_name(schema["properties"]["one"]) == ""


def test_a_part_may_lie_inside_a_type() -> None:
    fields = {
        "pod": {"$type": "core/v1.PodTemplateSpec"},
        "box": {"$use": "things/v1/spec.pod.spec.containers[]"},
    }
    schema = spec_of(expanded(spec({"type": "object", "properties": fields})))
    assert type_name(schema["properties"]["box"]) == "core/v1.Container"


def test_a_field_may_be_called_type() -> None:
    fields = {
        "$type": {"type": "object", "properties": {"$use": {"type": "string"}}},
        "other": {"type": "string"},
    }
    own = {"type": "object", "properties": fields}
    copied = {"$use": "things/v1/spec.own.$type.$use"}
    schema = spec_of(expanded(spec({"type": "object", "properties": {"own": own, "copied": copied}})))
    assert schema["properties"] == {"own": own, "copied": {"type": "string"}}
    wrong = {"$use": "things/v1/spec.own.missing"}
    expansion = expanded(spec({"type": "object", "properties": {"own": own, "copied": wrong}}))
    assert [each.rule.id for each in expansion.findings] == ["crd-part-unknown"]


def test_exceptions_of_types_may_be_those_of_another_declaration() -> None:
    one = {**spec({"type": "object"}), "types": {"core/v1.PodSpec": {"nullable": True}}}
    two = {**spec({"$type": "core/v1.PodSpec"}), "names": {"kind": "Other"}, "types": "things"}
    assert spec_of(expanded(one, two), body=1)["nullable"] is True
    for name in ("thing", "others", ""):
        expansion = expanded(one, {**two, "types": name})
        assert found(expansion) == [("crd-part-unknown", "/types")]
    assert expanded(one, {**two, "types": "thing"}).findings[0].hint == "did you mean 'things'?"


def test_exceptions_of_types_build_on_those_of_the_types_inside() -> None:
    data = {
        **spec({"$type": "core/v1.PodTemplateSpec"}),
        "types": {
            "core/v1.PodTemplateSpec": {
                "required": ["spec"],
                "properties": {"replicas": {"type": "integer"}},
                "$set": {"spec.extra#type": "string"},
            },
            "core/v1.PodSpec": {"properties": {"extra": {"type": "integer"}}},
        },
    }
    schema = spec_of(expanded(data))
    assert schema["required"] == ["spec"]
    assert schema["properties"].keys() == {"metadata", "spec", "replicas"}
    assert schema["properties"]["spec"]["properties"]["extra"] == {"type": "string"}
    data["types"]["core/v1.PodSpec"] = {"properties": {"volumes": {"type": "integer"}}}
    assert found(expanded(data)) == [
        ("crd-exception", "/types/core~1v1.PodSpec/properties/volumes"),
        ("crd-exception", "/types/core~1v1.PodTemplateSpec/$set/spec.extra#type"),
    ]


def test_types_may_differ_wherever_they_are_embedded() -> None:
    data = {
        **spec({"$type": "core/v1.PodTemplateSpec"}),
        "types": {"meta/v1.ObjectMeta": {"$remove": ["#properties"]}},
    }
    schema = spec_of(expanded(data))
    assert schema["properties"]["metadata"] == OBJECT
    volumes = schema["properties"]["spec"]["properties"]["volumes"]["items"]["properties"]
    assert volumes["ephemeral"]["properties"]["volumeClaimTemplate"]["properties"]["metadata"] == OBJECT
    plain = types_of(30).get_schema("core/v1.PodTemplateSpec")
    assert plain["properties"]["metadata"]["properties"]


def test_columns_may_be_those_of_another_version() -> None:
    column = {"name": "Phase", "type": "string", "jsonPath": ".spec.phase"}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"phase": STRING}}}}
    data = declaration(schema, columns=[column])
    data["versions"]["v2"] = {"columns": "v1", "schema": {"$use": "things/v1"}}
    expansion = expanded(data)
    assert expansion.findings == ()
    assert [version["additionalPrinterColumns"] for version in expansion.bodies[0]["spec"]["versions"]] == [
        [column],
        [column],
    ]


def test_descriptions_of_kubernetes_are_filled_in() -> None:
    data = {**spec({"$type": "core/v1.Container"}), "descriptions": "kubernetes"}
    schema = spec_of(expanded(data))
    assert "container" in schema["description"]
    assert schema["properties"]["image"]["description"]
    assert (
        schema["properties"]["resources"]["description"] != schema["properties"]["lifecycle"]["description"]
    )
    assert "description" not in spec_of(expanded(spec({"$type": "core/v1.Container"})))


def test_folding_leaves_the_top_of_a_type() -> None:
    body = expanded(
        spec({"type": "object", "properties": {"pod": {"$type": "core/v1.PodSpec"}, "a": STRING}})
    ).bodies[0]
    schema = drop_type_details(body)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert schema["properties"] == {"pod": OBJECT, "a": STRING}


def test_expansion_is_written_as_it_is_read() -> None:
    body = expanded(
        spec({"type": "object", "properties": {"pod": {"$type": "core/v1.PodTemplateSpec"}}})
    ).bodies[0]
    assert read_yaml(dump_yaml(body)) == body


CHAIN = {f"p{index}": {"$use": f"things/v1/spec.p{index + 1}"} for index in range(60)} | {"p60": STRING}
WIDE: JsonObject = {"p0": {"$type": "core/v1.PodTemplateSpec"}} | {
    f"p{index}": {
        "type": "object",
        "properties": {s: {"$use": f"things/v1/spec.p{index - 1}"} for s in "abcdefgh"},
    }
    for index in range(1, 6)
}


@rows(("schema", "rule", "pointer"), [
        ({"$type": "core/v1.PodTemplate5pec"}, "crd-type-unknown", "/$type"),
        ({"$type": "apiextensions/v1.JSONSchemaProps"}, "crd-recursive", "/$type"),
        ({"$use": "things/v1"}, "crd-recursive", "/$use"),
        ({"type": "array", "items": {"$use": "things/v1/spec"}}, "crd-recursive", "/items/$use"),
        ({"$use": "things/v3/spec"}, "crd-part-unknown", "/$use"),
        ({"$use": "things/v1/spec.nothing"}, "crd-part-unknown", "/$use"),
        ({"$use": "things/v1/a..b"}, "crd-part-unknown", "/$use"),
        ({"$type": "core/v1.Container", "$use": "things/v1"}, "crd-exception", "/$use"),
        ({"$type": "core/v1.Container", "$remove": ["imagine"]}, "crd-exception", "/$remove"),
        ({"$type": "core/v1.Container", "$remove": ["a..b"]}, "crd-exception", "/$remove"),
        ({"$type": "core/v1.Container", "$set": {"imagine": STRING}}, "crd-exception", "/$set/imagine"),
        ({"$type": "core/v1.Container", "$add": {"image": STRING}}, "crd-exception", "/$add/image"),
        ({"$type": "core/v1.Container", "$add": {"image.a.b": STRING}}, "crd-exception", "/$add/image.a.b"),
        ({"$type": "core/v1.Container", "$set": {"image#a#b": STRING}}, "crd-exception", "/$set/image#a#b"),
        ({"$type": "core/v1.Container", "properties": {"env": STRING}}, "crd-exception", "/properties/env"),
        ({"type": "object", "$remove": ["a"]}, "crd-exception", "/$remove"),
        ({"type": "object", "properties": CHAIN}, "crd-too-deep", "/properties/p40/$use"),
        ({"type": "array"}, "crd-not-structural", ""),
        ({"description": "x"}, "crd-not-structural", ""),
        ({"type": "string", "default": 5}, "crd-default", "/default"),
        ({"$type": "core/v1.PodStatus"}, "crd-not-structural", "/$type"),
        ({"$type": "core/v1.Container", "$remove": ["#type"]}, "crd-not-structural", ""),
        ({"$type": "core/v1.Container", "$remove": ["image#type"]}, "crd-not-structural", ""),
        ({"$type": "core/v1.Container", "$add": {"image#default": 5}}, "crd-default", ""),
    ])  # fmt: skip
def test_a_bad_schema_is_found_where_it_stands(schema: Json, rule: str, pointer: str) -> None:
    assert (rule, at(pointer)) in found(expanded(spec(schema)))


def test_an_unknown_keyword_is_found() -> None:
    expansion = expanded(spec({"type": "string", "patern": "x"}), shaped=False)
    assert found(expansion) == [("crd-not-structural", at("/patern"))]
    assert expansion.findings[0].hint == "did you mean 'pattern'?"


@rows("schema", ["text", None, [], {"type": "object", "properties": {"a": 5}}])
def test_what_is_no_schema_is_found(schema: Json) -> None:
    assert {rule for rule, _ in found(expanded(spec(schema), shaped=False))} == {"crd-not-structural"}


def test_too_many_levels_are_found() -> None:
    schema: JsonObject = {"type": "string"}
    for _ in range(150):
        schema = {"type": "array", "items": schema}
    fields = {"a": schema, "b": {"type": "object", "properties": {"c": {"$use": "things/v1/spec.a"}}}}
    assert found(expanded(spec({"type": "object", "properties": fields}))) == []
    for _ in range(60):
        schema = {"type": "array", "items": schema}
    assert "crd-too-deep" in {rule for rule, _ in found(expanded(spec(schema)))}


def test_a_declaration_that_grows_out_of_bounds_is_found() -> None:
    expansion = expanded(spec({"type": "object", "properties": WIDE}))
    assert found(expansion) == [("crd-too-big", "")]


def test_a_type_that_is_not_there_names_the_nearest() -> None:
    for wrong, hint in (
        ("core/v1.PodTemplateSpek", "core/v1.PodTemplateSpec"),
        ("PodSpec", "core/v1.PodSpec"),
    ):
        finding = expanded(spec({"$type": wrong}), shaped=False).findings[0]
        assert finding.hint == f"did you mean '{hint}'?"
    assert "1.30" in finding.message


def test_a_type_of_a_later_minor_is_not_there() -> None:
    data = spec({"$type": "core/v1.ImageVolumeSource"})
    assert found(expanded(data, minor=31)) == []
    assert found(expanded(data, minor=30)) == [("crd-type-unknown", at("/$type"))]


@rows(
    ("change", "rule", "pointer"),
    [
        ({"core/v1.Nothing": {"nullable": True}}, "crd-type-unknown", "/types/core~1v1.Nothing"),
        (
            {"core/v1.Container": {"$remove": ["imagine"]}},
            "crd-exception",
            "/types/core~1v1.Container/$remove",
        ),
        ({"core/v1.PodSpec": {"$add": {"a": 5}}}, "crd-not-structural", "/types/core~1v1.PodSpec"),
        ({"core/v1.PodSpec": {"$set": {"volumes[]": 5}}}, "crd-not-structural", "/types/core~1v1.PodSpec"),
        (
            {"core/v1.PodSpec": {"properties": {"a": {"type": "integer", "default": "x"}}}},
            "crd-not-structural",
            "/types/core~1v1.PodSpec",
        ),
        ({"core/v1.Container": {"$set": {"a..": 1}}}, "crd-exception", "/types/core~1v1.Container/$set/a.."),
    ],
)
def test_a_bad_change_of_a_type_is_found(change: Json, rule: str, pointer: str) -> None:
    data = {**spec({"$type": "core/v1.PodSpec"}), "types": change}
    assert found(expanded(data)) == [(rule, pointer)]


def test_exactly_one_version_is_stored() -> None:
    data = declaration()
    data["versions"]["v2"] = {"schema": {"$use": "things/v1"}}
    assert found(expanded(data)) == []
    data["versions"]["v2"]["storage"] = True
    assert found(expanded(data)) == [("crd-storage", "/versions/v2/storage")]
    for version in data["versions"].values():
        version["storage"] = False
    assert found(expanded(data)) == [("crd-storage", "/versions")]


def test_columns_lead_somewhere() -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"phase": STRING}}}}
    column = {"name": "Phase", "type": "string", "jsonPath": ".spec.phase"}
    lost = {**column, "jsonPath": ".spec.fase"}
    assert found(expanded(declaration(schema, columns=[column]))) == []
    assert found(expanded(declaration(schema, columns=[column, lost]))) == [
        ("crd-column", "/versions/v1/columns/1/jsonPath")
    ]
    assert found(expanded(declaration(schema, columns=[{**lost, "dead": True}]))) == []
    assert found(expanded(declaration(schema, columns=[{**column, "dead": True}]))) == [
        ("crd-column", "/versions/v1/columns/0/dead")
    ]
    fields = [{"jsonPath": ".spec.fase"}]
    assert found(expanded(declaration(schema, selectableFields=fields))) == [
        ("crd-column", "/versions/v1/selectableFields/0/jsonPath")
    ]


def test_columns_of_no_version_are_found() -> None:
    assert found(expanded(declaration(columns="v7"))) == [("crd-columns", "/versions/v1/columns")]


def test_a_crd_is_declared_once() -> None:
    assert found(expanded(declaration(), {**declaration(), "group": "other.dev"})) == []
    assert found(expanded(declaration(), declaration())) == [("crd-twice", "/names")]


def test_a_root_that_is_no_object_is_found() -> None:
    assert ("crd-not-structural", "/versions/v1/schema") in found(expanded(declaration({"type": "string"})))
