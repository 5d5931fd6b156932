"""Words of inverses: shorthands where they are exact, and only changes, in the older spec's own terms."""

from __future__ import annotations

import pytest
from inverting import BY_KEY, difference, fresh, recognised, scene_of

from kitgen.kit.config_type import parse_duration
from kitgen.kube.names import content_hash
from kitgen.render.families.config_types_inverse import format_duration, infer_missing_type, infer_type
from kitgen.render.inverse import RecognisedSection, SectionChange, SectionWords
from kitgen.text.yaml import Json, JsonObject

USUAL = {
    "livenessProbe": {
        "httpGet": {"path": "/healthz", "port": 8081},
        "initialDelaySeconds": 15,
        "periodSeconds": 20,
    },
    "readinessProbe": {
        "httpGet": {"path": "/readyz", "port": 8081},
        "initialDelaySeconds": 5,
        "periodSeconds": 10,
    },
}


def changed(key: str, old: Json, new: Json) -> SectionWords:
    """Say how one section of specs becomes another."""
    inverse = BY_KEY[key]
    more, gone = difference(inverse.normal(old), inverse.normal(new))
    return inverse.terms(SectionChange(new=more, gone=tuple(gone), old=old))


def container(**fields: Json) -> JsonObject:
    """Return a deployment with one container."""
    return {"containers": {"manager": fields}}


BOTH = {"cpu": "500m", "memory": "512Mi"}
CHANGES: list[tuple[str, Json, Json, Json, tuple[str, ...]]] = [
    (
        "deployment",
        container(resources=BOTH),
        container(resources={"limits": {**BOTH, "cpu": "2"}, "requests": BOTH}),
        container(resources={"limits": {"cpu": "2"}}),
        (),
    ),
    (
        "deployment",
        container(resources=BOTH),
        container(resources={"limits": BOTH, "requests": BOTH}),
        None,
        (),
    ),
    (
        "deployment",
        container(ports={"a": 1}),
        container(ports={"a": 1, "b": 2}),
        container(ports={"b": 2}),
        (),
    ),
    (
        "deployment",
        container(ports=[{"containerPort": 1}]),
        container(ports=[{"containerPort": 1}, {"containerPort": 2}]),
        container(ports=[{"containerPort": 1}, {"containerPort": 2}]),
        (),
    ),
    ("deployment", container(health=8081), container(**USUAL), None, ()),
    ("deployment", container(health=8081), container(), None, ("containers/manager/health",)),
    (
        "deployment",
        container(env={"A": {"fieldRef": {"a": "b"}}, "B": "c"}),
        container(env={"A": {"secretKeyRef": {"a": "b"}}}),
        container(env={"A": {"secretKeyRef": {"a": "b"}}}),
        ("containers/manager/env/B", "containers/manager/env/A/fieldRef"),
    ),
    ("services", {"a": {"ports": {"x": 1}}}, {"a": {"ports": {"x": 2}}}, {"a": {"ports": {"x": 2}}}, ()),
    (
        "services",
        {"a": {"ports": {"x": 1}}, "b": {"ports": {"x": 1}}},
        {"a": {"ports": {"x": 1}}},
        None,
        ("b",),
    ),
    (
        "webhooks",
        {"kinds": ["batch/v1/Job", "core/v1/Pod"]},
        {"kinds": [{"kind": "core/v1/Pod", "failurePolicy": "Ignore"}]},
        {"kinds": [{"kind": "core/v1/Pod", "failurePolicy": "Ignore"}]},
        ("kinds/batch/v1/Job",),
    ),
    (
        "config",
        {"values": {"a": [{"name": "x"}], "b": 1}},
        {"values": {"a": [{"name": "x"}, {"name": "y"}]}},
        {"values": {"a": [{"name": "x"}, {"name": "y"}]}},
        ("values/b",),
    ),
    (
        "objects",
        [{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"b": 1, "c": 2}}],
        [{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"b": 3}}],
        [{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"b": 3}}],
        ("A/a/spec/c",),
    ),
    (
        "bindings",
        {"a": {"role": "b", "serviceAccounts": ["operator"], "labels": {"c": "d"}}},
        {"a": {"role": "b", "serviceAccounts": ["operator"]}},
        None,
        ("a/labels",),
    ),
    (
        "serviceAccounts",
        {"a": {"labels": {"b": "c"}, "token": "t"}},
        {"a": {"token": "t"}},
        None,
        ("a/labels",),
    ),
    ("params", {"configMap": "a", "keys": {"b": {"image": "c"}}}, {}, None, ("",)),
]


@pytest.mark.parametrize(("key", "old", "new", "words", "remove"), CHANGES)
def test_only_changes_are_said(key: str, old: Json, new: Json, words: Json, remove: tuple[str, ...]) -> None:
    assert changed(key, old, new) == SectionWords(section=words, remove=remove)


@pytest.mark.parametrize(
    ("key", "section"),
    [
        ("deployment", container(ports={"metrics": 8080}, health=8081, resources=BOTH)),
        (
            "deployment",
            container(resources={"memory": "1Gi", "limits": {"cpu": "2"}, "requests": {"cpu": "1"}}),
        ),
        ("services", {"metrics": {"ports": {"metrics": 8080}}}),
        ("webhooks", {"kinds": ["batch/v1/Job", {"kind": "ray.io/v1/RayCluster", "domain": "a.b"}]}),
        ("webhooks", {"kinds": [{"kind": "a.b/v1/C", "resource": "d"}]}),
        ("webhooks", {"kinds": [{"kind": "a.b/v1/C", "operations": ["CREATE", "UPDATE"]}]}),
        ("webhooks", {"kinds": [{"kind": "a.b/v1/C", "mutates": [], "operations": ["DELETE"]}]}),
        ("webhooks", {"kinds": [{"kind": "v1/Pod", "name": "a.b", "path": "/pods", "validates": []}]}),
        ("webhooks", {"kinds": [{"kind": "a.b/v1/C", "name": {"mutates": "d", "validates": "e"}}]}),
    ],
)
def test_shorthands_come_back(key: str, section: Json) -> None:
    assert fresh(key, BY_KEY[key].normal(section)) == section


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("15s", {"type": "duration"}),
        ("0", {"type": "string"}),
        (True, {"type": "boolean"}),
        (1.5, {"type": "number"}),
        ([1, 2.5], {"type": "array", "items": {"type": "number"}}),
        ([1, "a"], {"type": "array"}),
        ([{"a": 1}, {"b": "c"}], {
            "type": "array",
            "items": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}},
        }),
        ({"Job.batch": 5, "Pod": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        ({"matchLabels": {"a": "b"}}, {"type": "object", "free": True}),
        ({"a": None}, {"type": "object", "free": True}),
        (None, None),
    ],
)  # fmt: skip
def test_a_value_shows_its_type(value: Json, want: Json) -> None:
    assert infer_type(value) == want


def test_a_field_that_refuses_a_value_is_declared_anew() -> None:
    field = {"type": "object", "properties": {"a": {"type": "duration"}, "b": {"type": "nanoseconds"}}}
    assert infer_missing_type(field, {"a": "15s", "b": 90_000_000_000}) is None
    want = {"a": {"type": "nanoseconds"}, "b": {"type": "duration"}, "c": {"type": "integer"}}
    assert infer_missing_type(field, {"a": 5, "b": "15s", "c": 1}) == {"type": "object", "properties": want}


@pytest.mark.parametrize("number", [0, 1, 90_000_000_000, 3_600_000_000_001, 86_400_000_000_000])
def test_nanoseconds_are_written_as_a_duration(number: int) -> None:
    assert parse_duration(format_duration(number)) == number


def tree(*bodies: JsonObject, **pod: Json) -> list[JsonObject]:
    """Return an operator's Deployment, and other objects."""
    spec = {"containers": [{"name": "operator", "image": "quay.io/a/b:v2"}], **pod}
    meta = {"name": "x-operator"}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": meta,
            "spec": {"template": {"spec": spec}},
        },
        *bodies,
    ]


def config_map(name: str, data: JsonObject) -> JsonObject:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def said(bodies: list[JsonObject], **more: Json) -> dict[str, RecognisedSection]:
    """Return what inverses say of a tree."""
    return recognised(scene_of(bodies, prefix="x-", **more))


@pytest.mark.parametrize(
    ("known", "want"),
    [
        ({}, {"operator": "manager", "kube-rbac-proxy": "kube-rbac-proxy"}),
        ({"quay.io/a/b:v1": "main"}, {"operator": "main", "kube-rbac-proxy": "kube-rbac-proxy"}),
        ({"gcr.io/old/kube-rbac-proxy:v0": "proxy"}, {"operator": "manager", "kube-rbac-proxy": "proxy"}),
        ({"quay.io/else/where:v1": "manager"}, {"operator": "manager", "kube-rbac-proxy": "kube-rbac-proxy"}),
    ],
)
def test_images_keep_their_names(known: dict[str, str], want: dict[str, str]) -> None:
    both = [
        {"name": "kube-rbac-proxy", "image": "quay.io/new/kube-rbac-proxy:v1"},
        {"name": "operator", "image": "quay.io/a/b:v2"},
    ]
    found = said(tree(containers=both[::-1]), images=known)["deployment"]
    assert {name: each["image"] for name, each in found.section["containers"].items()} == want
    assert found.images == {want["operator"]: both[1]["image"], want["kube-rbac-proxy"]: both[0]["image"]}


def test_the_hash_of_parameters_is_certain() -> None:
    data = {"namespace": "there"}
    found = said(tree(config_map(f"x-config-{content_hash(data)}", data)))
    assert found["params"].section == {"configMap": "config", "keys": {"namespace": {"value": "there"}}}


def test_a_parameter_that_nothing_follows_is_none() -> None:
    data = {"image": "quay.io/a/b:v2", "level": "3"}
    assert "params" not in said(tree(config_map("x-config", data)))


def test_fields_follow_a_parameter_that_holds_an_image() -> None:
    other = {
        "apiVersion": "a.b/v1",
        "kind": "C",
        "metadata": {"name": "c"},
        "spec": {"image": "quay.io/c/d:v1"},
    }
    found = said(tree(other, config_map("x-config", {"a": "quay.io/a/b:v2", "b": "quay.io/c/d:v1"})))
    fills = [{"object": "C/c", "field": "spec.image"}]
    want = {"a": {"image": "manager"}, "b": {"value": "quay.io/c/d:v1", "fills": fills}}
    assert found["params"].section == {"configMap": "config", "hash": False, "keys": want}


def test_a_variable_follows_a_parameter_that_is_spelt_alike() -> None:
    data = {"image": "quay.io/a/b:v2", "log-level": "3"}
    env = [{"name": "LOG_LEVEL", "value": "3"}]
    containers = [{"name": "operator", "image": "quay.io/a/b:v2", "env": env}]
    found = said(tree(config_map("x-config", data), containers=containers))
    field = "spec.template.spec.containers.[name=^operator$].env.[name=^LOG_LEVEL$].value"
    level = {"value": "3", "fills": [{"object": "Deployment/x-operator", "field": field}]}
    assert found["params"].section["keys"] == {"image": {"image": "manager"}, "log-level": level}


def test_an_older_specs_ways_are_kept() -> None:
    fills = [{"object": "C/c", "field": "spec.name", "delimiter": "/", "index": 1}]
    older = {
        "params": {"keys": {"level": {"value": "2", "fills": fills}}},
        "config": {"values": {"pause": "90s"}},
    }
    kind = {"configMap": "config", "key": "c.yaml", "fields": {"pause": {"type": "nanoseconds"}}}
    other = {"apiVersion": "a.b/v1", "kind": "C", "metadata": {"name": "c"}, "spec": {"name": "x/3"}}
    params = {"image": "quay.io/a/b:v2", "level": "3"}
    bodies = tree(
        other, config_map("x-p", params), config_map("x-config", {"c.yaml": "pause: 90000000000\n"})
    )
    found = said(bodies, older=older, config_type=kind)
    assert found["params"].section["keys"]["level"] == {"value": "3", "fills": fills}
    assert found["config"].section == {"values": {"pause": "90s"}}
    found = said(bodies, config_type=kind)
    assert "params" not in found
    assert found["config"].section == {"values": {"pause": "1m30s"}}


def test_a_document_that_the_operator_mounts_gets_a_type() -> None:
    text = "apiVersion: a.b/v1\nkind: Config\nhealth: {port: 8081}\n"
    volume = {"name": "c", "configMap": {"name": "x-config"}}
    mount = {"name": "c", "mountPath": "/c.yaml", "subPath": "c.yaml"}
    run = {"name": "operator", "image": "quay.io/a/b:v2", "volumeMounts": [mount]}
    found = said(tree(config_map("x-config", {"c.yaml": text}), volumes=[volume], containers=[run]))
    place = {"container": "operator", "volume": "c", "path": "/c.yaml"}
    assert found["config"].section == {"values": {"health": {"port": 8081}}, "mount": place}
    assert found["config"].config_fields == {
        "configMap": "config",
        "key": "c.yaml",
        "always": True,
        "header": {"apiVersion": "a.b/v1", "kind": "Config"},
        "fields": {"health": {"type": "object", "properties": {"port": {"type": "integer"}}}},
    }
    assert found["deployment"].section["containers"] == {"operator": {"image": "manager"}}
    assert "config" not in said(tree(config_map("x-config", {"c.yaml": text})))


def test_a_document_of_the_same_kind_takes_the_place_of_one_that_is_not_there() -> None:
    kind = {"configMap": "config", "key": "c.yaml", "header": {"kind": "Config"}, "fields": {}}
    moved = config_map("x-settings", {"d.yaml": "apiVersion: a.b/v2\nkind: Config\n"})
    found = said(tree(moved), config_type={**kind, "always": True})["config"]
    assert found.config_fields == {
        "configMap": "settings",
        "key": "d.yaml",
        "header": {"apiVersion": "a.b/v2", "kind": "Config"},
    }
    other = config_map("x-settings", {"d.yaml": "kind: Other\n"})
    assert "config" not in said(tree(other), config_type={**kind, "always": True})
    both = tree(moved, config_map("x-config", {"c.yaml": "kind: Config\n"}))
    assert said(both, config_type={**kind, "always": True})["config"].config_fields == {}


def test_who_asks_an_address_is_corrected() -> None:
    port = {"name": "https", "containerPort": 8443}, {"name": "metrics", "containerPort": 8080}
    field = {"type": "string", "askedBy": {"port": "metrics"}}
    kind = {"configMap": "config", "key": "c.yaml", "fields": {"address": field}}
    run = {"name": "operator", "image": "quay.io/a/b:v2", "ports": [*port]}
    map_ = config_map("x-config", {"c.yaml": 'address: ":8443"\n'})
    found = said(tree(map_, containers=[run]), config_type=kind)["config"]
    assert found.config_fields == {"fields": {"address": {**field, "askedBy": {"port": "https"}}}}
    map_ = config_map("x-config", {"c.yaml": 'address: ":8080"\n'})
    assert said(tree(map_, containers=[run]), config_type=kind)["config"].config_fields == {}


def test_a_service_in_front_of_other_pods_stays_an_object() -> None:
    port = {"name": "https", "port": 443, "protocol": "TCP", "targetPort": "https"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x-s"}, "spec": {"ports": [port]}}
    assert "services" not in said(tree(service))
    run = {"name": "operator", "image": "quay.io/a/b:v2", "ports": [{"name": "https", "containerPort": 8443}]}
    assert "services" in said(tree(service, containers=[run]))
    assert "services" in said(tree(service), older={"services": {"s": {"ports": [port]}}})
    elsewhere = {**service, "spec": {"ports": [{**port, "targetPort": 8443}]}}
    assert "services" in said(tree(elsewhere))


def test_a_secret_that_another_makes_is_named() -> None:
    service = {"name": "x-webhook-service", "path": "/mutate-example-com-v1-thing"}
    rule = {
        "apiGroups": ["example.com"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["things"],
    }
    hook = {"name": "mthing.kb.io", "clientConfig": {"service": service}, "rules": [rule]}
    notes = {"cert-manager.io/inject-ca-from": "x/y"}
    bodies = tree(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": "x-mutating-webhook-configuration", "annotations": notes},
            "webhooks": [hook],
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "x-webhook-service"},
            "spec": {"ports": [{"port": 443, "protocol": "TCP", "targetPort": 9443}]},
        },
        volumes=[{"name": "cert", "secret": {"secretName": "webhook-server-cert"}}],
        containers=[
            {
                "name": "operator",
                "image": "quay.io/a/b:v2",
                "volumeMounts": [{"name": "cert", "mountPath": "/tmp/k8s-webhook-server/serving-certs"}],
            }
        ],
    )
    found = said(bodies)
    words = fresh("webhooks", found["webhooks"].section)
    kinds = [{"kind": "example.com/v1/Thing", "validates": []}]
    assert words == {"secret": "webhook-server-cert", "annotations": notes, "kinds": kinds}
    assert found["deployment"].section["containers"] == {"operator": {"image": "manager"}}
    assert "objects" not in found


@pytest.mark.parametrize(
    ("older", "known", "want"),
    [
        ({}, {}, {"image": "launcher", "env": "operator"}),
        ({}, {"quay.io/old/job:v0": "runner"}, {"image": "launcher", "env": "operator"}),
        ({}, {"quay.io/old/other:v0": "launcher"}, {"image": "images-launcher", "env": "operator"}),
        ({"image": "job", "env": "operator"}, {}, {"image": "job", "env": "operator"}),
        (
            {"value": "quay.io/c/job:v0", "env": "operator"},
            {},
            {"value": "quay.io/c/job:v1", "env": "operator"},
        ),
    ],
)
def test_an_operands_image_has_a_name(older: JsonObject, known: dict[str, str], want: JsonObject) -> None:
    image, job = "quay.io/a/b:v2", "quay.io/c/job:v1"
    variable = {"name": "IMAGES_LAUNCHER", "value": job}
    data = {"image": image, "IMAGES_LAUNCHER": job}
    bodies = tree(
        config_map("x-p", data), containers=[{"name": "operator", "image": image, "env": [variable]}]
    )
    keys = {"params": {"keys": {"IMAGES_LAUNCHER": older}}} if older else {}
    found = said(bodies, older=keys, images=known)["params"]
    assert found.section["keys"]["IMAGES_LAUNCHER"] == want
    assert found.images == ({want["image"]: job} if "image" in want else {})
