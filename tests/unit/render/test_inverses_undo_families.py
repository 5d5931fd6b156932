"""What a spec says comes back from the objects that families make of it, also as changes of another spec."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from inverting import BY_KEY, compiled, difference, fresh, put, recognised, scene_of
from kits import PROJECT
from some import few

from kitgen.render.inverse import SectionChange
from kitgen.text.yaml import Dialect, Json, JsonObject, dump_yaml, read_yaml

KEYS = ("config", "webhooks", "services", "deployment", "params", "objects")
IMAGES = {"manager": "quay.io/example/x:v1.0.0", "proxy": "quay.io/example/proxy:v2"}
CONFIG: JsonObject = {
    "configMap": "config",
    "key": "config.yaml",
    "always": True,
    "header": {"apiVersion": "config.example.com/v1", "kind": "Configuration"},
    "fields": {
        "qps": {"type": "number"},
        "timeout": {"type": "duration"},
        "pause": {"type": "nanoseconds"},
        "names": {"type": "array", "items": {"type": "string"}},
        "metrics": {
            "type": "object",
            "properties": {"bindAddress": {"type": "string"}, "enable": {"type": "boolean"}},
        },
        "concurrency": {"type": "object", "additionalProperties": {"type": "integer"}},
        "selector": {"type": "object", "free": True},
    },
}
WORDS = st.sampled_from(["a", "b", "c.d/e", "x-y", "true", "1"])
TEXT_MAPS = st.dictionaries(WORDS, WORDS, min_size=1, max_size=3)
LABELS = st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["c", "d"]), min_size=1)
NUMBERS = st.integers(1, 65535)
AMOUNTS = st.dictionaries(
    st.sampled_from(["cpu", "memory", "ephemeral-storage"]),
    st.sampled_from(["1", "500m", "1Gi", 2]),
    max_size=3,
)


def some(**fields: st.SearchStrategy[Json]) -> st.SearchStrategy[JsonObject]:
    """Draw a map that has some of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


PORTS = st.dictionaries(st.sampled_from(["metrics", "http", "grpc"]), NUMBERS, min_size=1)
PORT_LISTS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["a", "b", "c"]), "containerPort": NUMBERS},
        optional={"protocol": st.sampled_from(["TCP", "UDP"])},
    ),
    unique_by=lambda port: port["name"],
    min_size=1,
    max_size=3,
)
PROBE = st.fixed_dictionaries(
    {
        "httpGet": st.fixed_dictionaries(
            {"path": st.just("/healthz"), "port": st.sampled_from([8081, "http"])}
        )
    },
    optional={"periodSeconds": st.sampled_from([20, 5])},
)
CONTAINERS = some(
    args=st.lists(WORDS, max_size=3),
    env=st.dictionaries(
        st.sampled_from(["A", "B", "C"]),
        st.one_of(
            WORDS,
            TEXT_MAPS.map(lambda ref: {"fieldRef": ref}),
            TEXT_MAPS.map(lambda ref: {"secretKeyRef": ref}),
        ),
        min_size=1,
        max_size=3,
    ),
    ports=st.one_of(PORTS, PORT_LISTS),
    health=st.sampled_from([8081, 8082]),
    livenessProbe=PROBE,
    readinessProbe=PROBE,
    resources=some(
        cpu=st.sampled_from(["1", "500m"]), memory=st.just("1Gi"), limits=AMOUNTS, requests=AMOUNTS
    ),
    securityContext=some(runAsUser=st.just(1), capabilities=st.just({"drop": ["ALL"]})),
    volumeMounts=st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from(["v", "w"]), "mountPath": st.sampled_from(["/a", "/b", "/c"])},
            optional={"readOnly": st.booleans()},
        ),
        unique_by=lambda mount: mount["mountPath"],
        min_size=1,
        max_size=3,
    ),
)
CONTAINERS = CONTAINERS.filter(lambda each: not {"health", "livenessProbe", "readinessProbe"} <= {*each})
DEPLOYMENTS = st.builds(
    lambda rest, manager, more: {
        **rest,
        "containers": {
            "manager": {"image": "manager", **manager},
            **({"proxy": {"image": "proxy", **more}} if more is not None else {}),
        },
    },
    some(
        name=st.sampled_from(["manager", "controller-manager"]),
        replicas=st.integers(0, 2),
        strategy=st.sampled_from([{"type": "Recreate"}, {"rollingUpdate": {"maxSurge": 1}}]),
        labels=LABELS,
        annotations=LABELS,
        selector=LABELS,
        podLabels=LABELS,
        revisionHistoryLimit=st.integers(0, 2),
        podAnnotations=TEXT_MAPS,
        pod=some(
            securityContext=st.sampled_from([{"runAsNonRoot": True}, {"runAsUser": 1}, {}]),
            terminationGracePeriodSeconds=st.sampled_from([10, 30]),
            tolerations=st.just([{"operator": "Exists"}]),
            nodeSelector=TEXT_MAPS,
        ),
        volumes=st.dictionaries(
            st.sampled_from(["v", "w"]),
            st.sampled_from(
                [{"emptyDir": {}}, {"configMap": {"name": "a"}}, {"secret": {"secretName": "b"}}]
            ),
        ),
    ),
    CONTAINERS,
    st.one_of(st.none(), CONTAINERS),
)
SERVICES = st.dictionaries(
    st.sampled_from(["one", "two", "three"]),
    st.fixed_dictionaries(
        {
            "ports": st.lists(
                st.fixed_dictionaries(
                    {"port": NUMBERS, "name": st.sampled_from(["a", "b"])},
                    optional={"targetPort": st.one_of(NUMBERS, st.just("other")), "protocol": st.just("TCP")},
                ),
                min_size=1,
                max_size=2,
                unique_by=lambda port: port["name"],
            )
        },
        optional={
            "labels": LABELS,
            "annotations": TEXT_MAPS,
            "selector": TEXT_MAPS,
            "type": st.just("ClusterIP"),
        },
    ),
    min_size=1,
    max_size=3,
)
SELECTORS = st.sampled_from(
    [
        {"matchLabels": {"a": "b"}},
        {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["z"]}]},
    ]
)
OPERATIONS = st.sampled_from([["CREATE"], ["CREATE", "UPDATE"], ["UPDATE", "DELETE"]])


def _shows_its_kind(hook: JsonObject) -> bool:
    """Tell whether name, path or resources of a webhook say what kind it is for, and a domain counts."""
    own = {"name", "path"} & {*hook}
    return not own or {"resource", "validates", "domain"}.isdisjoint(hook)


RESOURCES = st.sampled_from([[], ["things"], ["things", "things/status"]])
HOOKS = some(
    resource=st.just("stuff"),
    validates=RESOURCES,
    operations=st.one_of(OPERATIONS, some(mutates=OPERATIONS, validates=OPERATIONS).filter(bool)),
    skipNamespaces=st.just(["kube-system"]),
    namespaceSelector=SELECTORS,
    objectSelector=SELECTORS,
    failurePolicy=st.sampled_from(["Fail", "Ignore"]),
    timeoutSeconds=st.just(5),
    domain=st.sampled_from(["kb.io", "example.com"]),
    name=st.just({"mutates": "set.example.org", "validates": "look.example.org"}),
    path=st.just({"mutates": "/mutate-them", "validates": "/validate-them"}),
).filter(_shows_its_kind)


PATTERNS = {"names": {"name", "path"}, "configurations": {"path"}}
"""Patterns of names, and what kinds say by themselves so that the objects do not show the pattern."""


def _says_nothing(webhooks: JsonObject) -> bool:
    """Tell whether a part shows in no object: a pattern that no webhook follows, a domain beside names."""
    kinds = [{*each} if isinstance(each, dict) else set() for each in webhooks["kinds"]]
    unmade = [isinstance(each, dict) and each.get("validates") == [] for each in webhooks["kinds"]]
    validating = [keys for keys, none in zip(kinds, unmade, strict=True) if not none]
    hidden = any(
        all(keys & own for keys in made)
        for pattern, own in PATTERNS.items()
        if pattern in webhooks
        for made in (kinds, validating)
    )
    return hidden or ("names" in webhooks and any("domain" in keys for keys in kinds))


KINDS = ("example.com/v1/Other", "example.com/v1alpha1/Thing", "ray.io/v1/RayCluster")
WEBHOOKS = st.builds(
    lambda kinds, own, rest: {
        **rest,
        "kinds": [*own, *(kind if more is None else {"kind": kind, **more} for kind, more in kinds.items())],
    },
    st.dictionaries(st.sampled_from(KINDS), st.one_of(st.none(), HOOKS), min_size=1),
    st.sampled_from([[], ["batch/v1/Job", "v1/Pod"], [{"kind": "core/v1/Pod", "failurePolicy": "Ignore"}]]),
    some(
        port=st.sampled_from([9443, 8443]),
        annotations=LABELS,
        secret=st.sampled_from(["made-elsewhere", {"name": "made-here", "create": True}]),
        service=some(name=st.just("hooks"), labels=LABELS, selector=LABELS).filter(bool),
        configurations=st.just({"mutates": "*.m.example.com", "validates": "*.v.example.com"}),
        names=st.just({"mutates": "*.mutator.example.com", "validates": "*.validator.example.com"}),
        reviewVersions=st.just(["v1beta1"]),
        caBundle=st.just("Cg=="),
    ),
).filter(lambda each: not _says_nothing(each))  # fmt: skip
CONFIGS = some(
    values=some(
        qps=st.sampled_from([1, 1.5]),
        timeout=st.sampled_from(["1m", "60s"]),
        pause=st.sampled_from(["1m30s", "1h", "0s"]),
        names=st.lists(WORDS, max_size=3),
        metrics=some(bindAddress=st.just(":8080"), enable=st.booleans()),
        concurrency=st.dictionaries(WORDS, st.integers(0, 9), max_size=3),
        selector=st.sampled_from([{}, {"matchLabels": {"a": "b"}}]),
    ),
    mount=st.just({"container": "manager", "volume": "config", "path": "/config.yaml"}),
)
OBJECTS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    some(
        spec=some(
            a=WORDS, b=st.lists(WORDS), c=TEXT_MAPS, items=st.lists(st.builds(lambda n: {"name": n}, WORDS))
        )
    ),
    max_size=3,
).map(
    lambda found: [
        {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, **rest}
        for name, rest in found.items()
    ]
)
PARAMS = st.fixed_dictionaries(
    {
        "configMap": st.just("params"),
        "keys": st.fixed_dictionaries(
            {"image": st.just({"image": "manager"})},
            optional={"namespace": st.just({"value": "elsewhere"})},
        ),
    },
    optional={"hash": st.booleans()},
)
SPECS = st.fixed_dictionaries(
    {"deployment": DEPLOYMENTS},
    optional={
        "services": SERVICES, "webhooks": WEBHOOKS, "config": CONFIGS, "objects": OBJECTS, "params": PARAMS,
    },
)  # fmt: skip
FEW = settings(
    few(),
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


def whole(spec: JsonObject) -> JsonObject:
    """Return a component with a spec's sections."""
    spec = {key: value for key, value in spec.items() if value}
    return {"prefix": "x-", "images": images(spec), "serviceAccount": "manager", **spec}


def images(spec: JsonObject) -> JsonObject:
    """Return the images that a spec's containers run."""
    used = [container["image"] for container in spec["deployment"]["containers"].values()]
    return {name: image for name, image in IMAGES.items() if name in used}


def made(folder: Path, version: str = "v1.0.0") -> list[JsonObject]:
    """Return the objects of a component without what they have in common, as import finds them."""
    bodies = [body for body in compiled(folder, version) if body["kind"] != "ServiceAccount"]
    for body in bodies:
        body["metadata"].pop("namespace", None)
        for hook in body.get("webhooks", ()):
            hook["clientConfig"]["service"].pop("namespace", None)
    return bodies


def taken(folder: Path, spec: JsonObject) -> list[JsonObject]:
    """Return the objects of a drawn spec; one that a kit refuses is drawn again."""
    try:
        return made(put(folder, whole(spec), config=CONFIG))
    except AssertionError:
        reject()


def told(bodies: list[JsonObject]) -> dict[str, Json]:
    """Return objects in a form in which those that are the same to a cluster are equal."""
    return {f"{body['kind']}/{body['metadata']['name']}": _plain(body, body["kind"]) for body in bodies}


def _plain(value: Json, kind: str) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(key, _plain(each, kind)) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each, kind) for each in value]
    return read_yaml(value) if kind == "ConfigMap" and isinstance(value, str) and "\n" in value else value


def _sorted(key: str, value: Json) -> Json:
    free = ("webhooks", "ports", "volumes", "volumeMounts", "env", "containers")
    return (
        sorted(value, key=lambda each: json.dumps(each, sort_keys=True))
        if key in free and isinstance(value, list)
        else value
    )


def found(bodies: list[JsonObject]) -> dict[str, Json]:
    """Return what the inverses say of objects."""
    scene = scene_of(
        bodies,
        prefix="x-",
        account="x-manager",
        config_type=CONFIG,
        images={image: name for name, image in IMAGES.items()},
    )
    return {key: each.section for key, each in recognised(scene).items()}


@FEW
@given(SPECS)
def test_what_a_spec_says_comes_back(spec: JsonObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        bodies = taken(Path(name), spec)
    got = found(bodies)
    for key in KEYS:
        want = BY_KEY[key].normal(spec[key]) if spec.get(key) else {}
        assert _plain(got.get(key) or {}, "") == _plain(want, ""), key


def test_a_name_by_the_pattern_is_not_said_again_beside_a_path() -> None:
    path = {"mutates": "/mutate-them", "validates": "/validate-them"}
    names = {"mutates": "*.mutator.example.com", "validates": "*.validator.example.com"}
    webhooks = {"names": names, "kinds": [KINDS[0], {"kind": KINDS[1], "path": path}]}
    spec: JsonObject = {"deployment": {"containers": {"manager": {"image": "manager"}}}, "webhooks": webhooks}
    with tempfile.TemporaryDirectory() as name:
        section = found(made(put(Path(name), whole(spec))))["webhooks"]
    assert (section["names"], section["kinds"][f"{KINDS[1]}/kb.io"]) == (
        names,
        {"kind": KINDS[1], "path": path},
    )


def test_names_that_no_webhook_takes_make_no_difference() -> None:
    own = {"mutates": "set.example.org", "validates": "look.example.org"}
    kinds = [{"kind": KINDS[0], "validates": []}, {"kind": KINDS[1], "name": own}]
    names = {"mutates": "*.mutator.example.com"}
    unused = {"validates": "*.validator.example.com"}
    spec: JsonObject = {"deployment": {"containers": {"manager": {"image": "manager"}}}}
    with tempfile.TemporaryDirectory() as name:
        few, all_names = (
            made(put(Path(name) / folder, whole({**spec, "webhooks": {"names": said, "kinds": kinds}})))
            for folder, said in (("few", names), ("all", names | unused))
        )
    assert told(few) == told(all_names)
    section = found(all_names)["webhooks"]
    assert (section["names"], section["kinds"][f"{KINDS[1]}/kb.io"]["name"]) == (names, own)


@FEW
@given(SPECS)
def test_words_for_what_came_back_make_the_same_objects(spec: JsonObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        bodies = taken(Path(name) / "a", spec)
        words = {key: fresh(key, section) for key, section in found(bodies).items()}
        assert told(made(put(Path(name) / "b", whole(words), config=CONFIG))) == told(bodies)


def newer(old: JsonObject, new: JsonObject) -> JsonObject:
    """Return what a spec says that builds on an older one, so that it says the same as a new one."""
    data: JsonObject = {}
    remove: list[str] = []
    if images(new) != images(old):
        data, remove = ({"images": images(new)}, []) if "proxy" in images(new) else ({}, ["/images/proxy"])
    for key in KEYS:
        if not old.get(key) and not new.get(key):
            continue
        inverse = BY_KEY[key]
        before, after = (inverse.normal(each[key]) if each.get(key) else {} for each in (old, new))
        more, gone = difference(before, after)
        said = inverse.terms(SectionChange(new=more, gone=tuple(gone), old=old.get(key)))
        data |= {key: said.section} if said.section is not None else {}
        remove += [f"/{key}/{path}".removesuffix("/") for path in said.remove]
    return {**data, **({"remove": remove} if remove else {})}


@FEW
@given(SPECS, SPECS)
def test_changes_laid_over_a_spec_make_the_objects_of_the_other(old: JsonObject, new: JsonObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        want = told(taken(Path(name) / "a", new))
        taken(Path(name) / "b", old)
        put(Path(name) / "b", {"from": "v1.0.0", **newer(old, new)}, "v1.0.1")
        assert told(made(Path(name) / "b", "v1.0.1")) == want, dump_yaml(newer(old, new))


@FEW
@given(SPECS)
def test_a_spec_that_changes_nothing_says_nothing(spec: JsonObject) -> None:
    assert newer(spec, spec) == {}


SPEC_FILES = sorted(PROJECT.glob("components/*/*/component.yaml"))


@pytest.mark.parametrize("file", SPEC_FILES, ids=lambda path: f"{path.parts[-3]}@{path.parts[-2]}")
def test_the_projects_own_specs_come_back_in_their_own_words(file: Path) -> None:
    spec = read_yaml(file.read_text(), dialect=Dialect.SPEC)
    for key in KEYS:
        if key in spec:
            inverse = BY_KEY[key]
            assert inverse.terms(SectionChange(new={}, old=spec[key])).section is None
            assert fresh(key, inverse.normal(spec[key])) is not None
