"""Why: any way to name a field, what it holds, and where that comes from."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.findings.errors import UsageError
from kitgen.workspace.fields import find_field

COMPONENT = "components/hello/v1.0.0/component.yaml"
DEPLOYMENT = "Deployment/hello-manager"
CONTAINER = "/spec/template/spec/containers/0"
SPEC = """\
component: hello
version: v1.0.0
prefix: hello-
namespace: hello-system
images: {manager: "quay.io/example/hello:v1.0.0"}
serviceAccount: controller-manager
leaderElection: leader-election-role
deployment:
  name: manager
  containers:
    manager:
      image: manager
      health: 8081
      ports: {metrics: 8080}
      env: {API_TOKEN: swordfish, LEVEL: "{{ version }}"}
services:
  metrics: {ports: {metrics: 8080}}
webhooks:
  kinds:
  - example.com/v1/Greeting
config:
  values:
    maxHellos: 3
objects:
- apiVersion: v1
  kind: Secret
  metadata: {name: keys}
  stringData: {password: swordfish, user: me, file.yaml: "deep: swordfish"}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data:
    settings.json: '{"log": {"level": "info", "password": "swordfish"}}'
    b: two
labels: [{pairs: {app.kubernetes.io/name: hello}, selectors: true}]
kubernetes: "1.29"
"""
TYPE = """\
configMap: config
key: config.yaml
header: {apiVersion: config.example.com/v1, kind: HelloConfig}
fields:
  maxHellos: {type: integer}
"""


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = kits.make_kit(tmp_path)
    (root / COMPONENT).write_text(SPEC)
    (root / "components/hello/v1.0.0/config.yaml").write_text(TYPE)
    odh = root / "targets/odh.yaml"
    odh.write_text(odh.read_text().replace("    features: [params]\n", ""))
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("form", ["{{ NAME }}", "x-{{ NAME | upper }}"])
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("component", f"{COMPONENT}:1"),
        ("version", f"{COMPONENT}:2"),
        ("prefix", f"{COMPONENT}:3"),
        ("target", "targets/odh.yaml:1"),
        ("release", "targets/odh.yaml:3"),
    ],
)
def test_what_an_expression_reads_is_named(kit: Path, name: str, place: str, form: str) -> None:
    spec = kit / COMPONENT
    spec.write_text(spec.read_text().replace("{{ version }}", form.replace("NAME", name)))
    shown = run("why", "odh", DEPLOYMENT, "containers[name=manager].env[name=LEVEL].value")
    assert shown.code == 0
    want = f"{place} /{name}: {CONTAINER}/env/1/value: {name}, which the expression reads"
    assert want in shown.out.splitlines()


def test_a_release_that_is_not_pinned_is_read_from_its_own_spec(kit: Path) -> None:
    spec, pinned = kit / COMPONENT, kit / "releases/v1.0.0.yaml"
    spec.write_text(spec.read_text().replace("{{ version }}", "{{ release }}"))
    (kit / "releases/v2.0.0.yaml").write_text(
        pinned.read_text().replace("release: v1.0.0", "release: v2.0.0")
    )
    shown = run("why", "odh", DEPLOYMENT, "env[name=LEVEL].value", "--release", "v2.0.0")
    assert f'{CONTAINER}/env/1/value = "v2.0.0"' in shown.out
    assert "releases/v2.0.0.yaml:1 /release: " in shown.out


@pytest.mark.parametrize(
    ("name", "field", "first", "last"),
    [
        (
            DEPLOYMENT,
            'metadata.labels."app.kubernetes.io/name"',
            '/metadata/labels/app.kubernetes.io~1name = "hello"',
            f"{COMPONENT}:35 /labels/0/pairs/app.kubernetes.io~1name: "
            "/metadata/labels/app.kubernetes.io~1name: labels",
        ),
        (
            DEPLOYMENT,
            "metadata.namespace",
            '/metadata/namespace = "opendatahub"',
            "targets/odh.yaml:4 /namespace: /metadata/namespace: namespace",
        ),
        (
            DEPLOYMENT,
            "metadata.name",
            '/metadata/name = "hello-manager"',
            f"{COMPONENT}:3 /prefix: /metadata/name: prefix",
        ),
        (
            DEPLOYMENT,
            "containers[name=manager].env[name=LEVEL].value",
            f'{CONTAINER}/env/1/value = "v1.0.0"',
            f"{COMPONENT}:15 /deployment/containers/manager/env/LEVEL: {CONTAINER}/env/1: family deployment",
        ),
        (
            DEPLOYMENT,
            "spec.replicas",
            "/spec/replicas = 1",
            f"{COMPONENT}:8 /deployment: /spec/replicas: default of family deployment "
            "(one works, and others would wait for it to lose the lead)",
        ),
        (
            DEPLOYMENT,
            "terminationGracePeriodSeconds",
            "/spec/template/spec/terminationGracePeriodSeconds = 10",
            f"{COMPONENT}:8 /deployment: /spec/template/spec/terminationGracePeriodSeconds: default of "
            "family deployment (an operator ends quickly, since another one goes on where it stopped)",
        ),
        (
            DEPLOYMENT,
            "securityContext.runAsNonRoot",
            "/spec/template/spec/securityContext/runAsNonRoot = true",
            f"{COMPONENT}:8 /deployment: /spec/template/spec/securityContext: default of family deployment "
            "(an operator needs no root)",
        ),
        (
            DEPLOYMENT,
            "livenessProbe.httpGet.path",
            f'{CONTAINER}/livenessProbe/httpGet/path = "/healthz"',
            f"{COMPONENT}:13 /deployment/containers/manager/health: {CONTAINER}/livenessProbe/httpGet/path: "
            "default of family deployment (managers that are made with controller-runtime answer here)",
        ),
        (
            DEPLOYMENT,
            "ports[0].protocol",
            f'{CONTAINER}/ports/0/protocol = "TCP"',
            f"{COMPONENT}:14 /deployment/containers/manager/ports: {CONTAINER}/ports/0/protocol: "
            "default of family deployment (a port that is given by its number is TCP)",
        ),
        (
            "Service/hello-metrics",
            "spec.ports[name=metrics].port",
            "/spec/ports/0/port = 8080",
            f"{COMPONENT}:17 /services/metrics/ports/metrics: /spec/ports/0: family services",
        ),
        (
            "ValidatingWebhookConfiguration/hello-validating-webhook-configuration",
            "webhooks[0].failurePolicy",
            '/webhooks/0/failurePolicy = "Fail"',
            f"{COMPONENT}:20 /webhooks/kinds/0: /webhooks/0/failurePolicy: default of family webhooks "
            "(an object that was not looked at must not pass)",
        ),
        (
            "Role/hello-leader-election-role",
            "rules[1].verbs",
            '/rules/1/verbs = ["get", "list", "watch", "create", "update", "patch", "delete"]',
            f"{COMPONENT}:7 /leaderElection: /rules: default of family leaderElection "
            "(client-go keeps the lease, tells of it in events, and older versions use a ConfigMap)",
        ),
        (
            "ConfigMap/hello-config",
            'data."config.yaml".maxHellos',
            "/data/config.yaml/maxHellos = 3",
            f"{COMPONENT}:23 /config/values/maxHellos: /data/config.yaml/maxHellos: family config",
        ),
        (
            "ConfigMap/hello-config",
            "data.config.yaml.kind",
            '/data/config.yaml/kind = "HelloConfig"',
            "components/hello/v1.0.0/config.yaml:3 /header/kind: /data/config.yaml/kind: "
            "default of family config (every configuration of this type opens with it)",
        ),
        (
            "ConfigMap/settings",
            "data.settings.json.log.level",
            '/data/settings.json/log/level = "info"',
            f"{COMPONENT}:33 /objects/1/data/settings.json: objects",
        ),
        (
            "ConfigMap/settings",
            "log.level",
            '/data/settings.json/log/level = "info"',
            f"{COMPONENT}:33 /objects/1/data/settings.json: objects",
        ),
        (
            "ConfigMap/hello-config",
            "maxHellos",
            "/data/config.yaml/maxHellos = 3",
            f"{COMPONENT}:23 /config/values/maxHellos: /data/config.yaml/maxHellos: family config",
        ),
        (
            "DataScienceCluster/default-dsc",
            "managementState",
            '/spec/components/kueue/managementState = "Managed"',
            "targets/odh.yaml:9 /components/hello: /spec/components/kueue/managementState: default of "
            "dataScienceCluster (what a target renders is managed unless it says otherwise)",
        ),
        (
            "CustomResourceDefinition/greetings.example.com",
            "spec.names.kind",
            '/spec/names/kind = "Greeting"',
            "components/hello/v1.0.0/crds/greetings.yaml:2 /names/kind: /spec/names: crd declaration",
        ),
    ],
)
def test_a_field_its_value_and_its_place(kit: Path, name: str, field: str, first: str, last: str) -> None:
    result = run("why", "odh", name, field)
    assert result.code == 0
    lines = result.out.splitlines()
    assert (lines[0], lines[-1]) == (first, last)


def test_an_expression_still_leads_to_what_it_reads(kit: Path) -> None:
    out = run("why", "odh", DEPLOYMENT, "env[name=LEVEL].value").out
    assert f"{COMPONENT}:2 /version: {CONTAINER}/env/1/value: version, which the expression reads" in out


def test_a_bundled_crd_has_a_trail(kit: Path) -> None:
    rhoai = kit / "targets/rhoai.yaml"
    rhoai.write_text("target: rhoai\nrelease: v1.0.0\ncomponents:\n  hello: {crds: bundle}\n")
    result = run("why", "rhoai", "CustomResourceDefinition/greetings.example.com", "spec.group")
    assert (result.code, result.out.splitlines()[0]) == (0, '/spec/group = "example.com"')
    assert result.out.splitlines()[-1].endswith("/group: /spec/group: crd declaration")


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("Secret/keys", "stringData.password"),
        ("Secret/keys", "stringData"),
        ("Secret/keys", "stringData.file.yaml.deep"),
        ("Secret/keys", "stringData.user"),
        (DEPLOYMENT, "env[name=API_TOKEN].value"),
        (DEPLOYMENT, "containers[0]"),
        (DEPLOYMENT, "containers[0].env"),
        ("ConfigMap/settings", "data.settings.json.log"),
        ("ConfigMap/settings", "data.settings.json.log.password"),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_is_shown(kit: Path, name: str, field: str, form: str) -> None:
    result = run("why", "odh", name, field, "-o", form)
    assert (result.code, "swordfish" in result.out, "me" in result.out.split('"')) == (0, False, False)
    assert "(hidden)" in result.out or "…" in result.out


def test_json_has_the_value(kit: Path) -> None:
    told = json.loads(run("why", "odh", DEPLOYMENT, "spec.replicas", "-o", "json").out)
    assert (told["field"], told["value"]) == ("/spec/replicas", 1)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("spec.replica", "has no field 'spec.replica' (hint: did you mean 'replicas'?)"),
        ("replica", "has no field 'replica' (hint: did you mean 'replicas'?)"),
        ("containers[0].imagee", "has no field 'containers[0].imagee' (hint: did you mean 'image'?)"),
        ("containers[name=manger]", "has no field 'containers[name=manger]'"),
        (
            "httpGet.path",
            f"has more than one field 'httpGet.path' (hint: write more of it: {CONTAINER}/livenessProbe/"
            f"httpGet/path or {CONTAINER}/readinessProbe/httpGet/path)",
        ),
        ("/replicas", "has no field '/replicas'"),
    ],
)
def test_near_misses(kit: Path, field: str, told: str) -> None:
    result = run("why", "odh", DEPLOYMENT, field)
    assert (result.code, result.out, result.err) == (2, "", f"error: {DEPLOYMENT} of odh {told}\n")


@pytest.mark.parametrize("field", ['spec."x', "[", "a..b", ".", "a[", "[]", "a]["])
def test_a_field_that_cannot_be_read(field: str) -> None:
    with pytest.raises(UsageError):
        find_field({"a": {"b": 1}}, field, "it")


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("a.b.c", ("a.b", "c")),
        ("'a.b'.c", ("a.b", "c")),
        ("['a.b'].c", ("a.b", "c")),
        (r"a\.b.c", ("a.b", "c")),
        ("list[0].x", ("list", 0, "x")),
        ("list.[x=1].x", ("list", 0, "x")),
        ("list.1", ("list", 1)),
        ('numbers."1"', ("numbers", "1")),
        ("numbers.1", ("numbers", "1")),
        ("/a.b/c", ("a.b", "c")),
    ],
)
def test_ways_to_write_a_field(field: str, path: tuple[str | int, ...]) -> None:
    body = {"a.b": {"c": 1}, "list": [{"x": 1}, 2], "numbers": {"1": "one"}}
    assert find_field(body, field, "it") == path
