from __future__ import annotations

from declared import crd, declaration, root
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.crd.declaration import ServiceNaming, expand_conversion, expand_crds, shorten_conversion
from kitgen.findings import Origin
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import Json, JsonObject

HOME = ServiceNaming(prefix="pond-", namespace="lake")


def webhook(reviews: Json = None, bundle: str = "", **service: Json) -> JsonObject:
    said = {"name": "pond-webhook-service", "namespace": "lake", "path": "/convert", **service}
    client: JsonObject = {"service": {key: value for key, value in said.items() if value is not None}}
    if bundle:
        client["caBundle"] = bundle
    review = {"clientConfig": client, "conversionReviewVersions": reviews or ["v1"]}
    return {"strategy": "Webhook", "webhook": review}


@rows(
    ("short", "long"),
    [
        ("webhook", webhook()),
        ({"service": "ducks"}, webhook(name="pond-ducks")),
        ({"path": None}, webhook(path=None)),
        ({"path": "/x", "port": 9443}, webhook(path="/x", port=9443)),
        ({"versions": ["v1", "v1beta1"]}, webhook(["v1", "v1beta1"])),
        ({"caBundle": "Cg=="}, webhook(bundle="Cg==")),
        ({"strategy": "None"}, {"strategy": "None"}),
        (webhook(name="elsewhere"), webhook(name="elsewhere")),
        (webhook(namespace="sea"), webhook(namespace="sea")),
        (webhook(name="pond-"), webhook(name="pond-")),
    ],
)
def test_a_declaration_says_what_is_particular(short: Json, long: JsonObject) -> None:
    assert expand_conversion(short, HOME) == long
    assert shorten_conversion(long, HOME) == short
    data = {**declaration(), "conversion": short}
    assert not check_against_schema("crd", data, Origin(""))
    (body,) = expand_crds([(Origin("a"), data)], minor=30, home=HOME).bodies
    assert body["spec"]["conversion"] == long


NAMES = st.sampled_from(["webhook-service", "pond-webhook-service", "pond-", "a", ""])


@given(
    st.fixed_dictionaries(
        {"name": NAMES},
        optional={
            "namespace": st.sampled_from(["lake", "", "sea"]),
            "path": st.sampled_from([None, "", "/convert"]),
            "port": st.sampled_from([None, 443]),
            "more": st.just(1),
        },
    ),
    st.sampled_from([ServiceNaming(), HOME, ServiceNaming(namespace="lake")]),
)
def test_any_conversion_comes_back(service: JsonObject, home: ServiceNaming) -> None:
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": {"service": service}}}
    for reviews in ({}, {"conversionReviewVersions": ["v1"]}):
        given = {**conversion, "webhook": {**conversion["webhook"], **reviews}}
        assert expand_conversion(shorten_conversion(given, home), home) == given


@rows("wrong", ["none", {"path": 5}, {"servce": "x"}, {"strategy": "Maybe"}, {"versions": []}])
def test_a_wrong_conversion_is_told(wrong: Json) -> None:
    assert list(check_against_schema("crd", {**declaration(), "conversion": wrong}, Origin("")))


def test_a_real_crd_has_a_strategy() -> None:
    from kitgen.crd.importer.check import check_crd

    for conversion in ("webhook", {}, {"service": "x"}):
        body = crd(root({"type": "object"}), conversion=conversion)
        found = [(each.rule.id, str(each.origin)) for each in check_crd(body, Origin("c"))]
        assert ("crd-shape", "c /spec/conversion") in found
