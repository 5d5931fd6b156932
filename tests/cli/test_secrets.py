"""Values of what names, or the kind of an object, say is secret are shown nowhere."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from running import run
from some import first

from kitgen.text.secrets import is_redacted, is_secret_path, redact_value
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json

SPEC = """
objects:
- apiVersion: v1
  kind: Secret
  metadata: {name: keys}
  stringData: {user: swordfish}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data:
    settings.json: '{"log": {"level": "info", "password": "swordfish"}}'
    app_properties: |
      level = info
      db.password = swordfish
    app_yaml: |
      log: {level: info}
      login:
        credentials: [swordfish]
    apiKey: swordfish
    tls_key: swordfish
    basicAuth: swordfish
    url: https://me:swordfish@example.com/
"""
CONTAINER = """\
      args: [--auth-token=swordfish, --password, swordfish, --leader-elect]
      env: {API_TOKEN: swordfish, SSH_PASSPHRASE: swordfish, LEVEL: "{{ version }}"}
"""
COMPONENT = "components/hello/v1.0.0/component.yaml"
DEPLOYMENT = "Deployment/hello-manager"
SECRET_NUMBER = "31415926535"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where no kit is, unless a test asks for one: it would be read every time."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def kit(kit: Path) -> Path:
    text = (kit / COMPONENT).read_text()
    marker = "      command: [/manager]\n"
    (kit / COMPONENT).write_text(text.replace(marker, marker + CONTAINER) + SPEC)
    return kit


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("Secret/keys", "stringData"),
        ("Secret/keys", "stringData.user"),
        ("ConfigMap/settings", "data"),
        ("ConfigMap/settings", 'data."settings.json"'),
        ("ConfigMap/settings", "data.app_properties"),
        ("ConfigMap/settings", "data.app_yaml"),
        ("ConfigMap/settings", "data.apiKey"),
        ("ConfigMap/settings", "data.tls_key"),
        ("ConfigMap/settings", "data.basicAuth"),
        ("ConfigMap/settings", "data.url"),
        (DEPLOYMENT, "containers[0]"),
        (DEPLOYMENT, "containers[0].args"),
        (DEPLOYMENT, "containers[0].args[0]"),
        (DEPLOYMENT, "containers[0].args[2]"),
        (DEPLOYMENT, "env[name=SSH_PASSPHRASE]"),
    ],
)
def test_why_tells_no_secret(kit: Path, name: str, field: str) -> None:
    for form in ("text", "json"):
        result = run("why", "olm", name, field, "-o", form)
        assert (result.code, "swordfish" in result.out) == (0, False), result
    assert "(hidden)" in result.out


@pytest.mark.parametrize("field", ["env[value=x].name", "env[value=swordfis].name"])
def test_no_secret_is_a_hint(kit: Path, field: str) -> None:
    result = run("why", "olm", DEPLOYMENT, field)
    assert (result.code, "swordfish" in result.err, "has no field" in result.err) == (2, False, True)


def b64(text: str) -> str:
    return b64encode(text.encode()).decode()


CERTIFICATE = b64("-----BEGIN CERTIFICATE-----\nabcdefghijklmnop\n")
LABEL = "rbac.authorization.k8s.io/aggregate-to-view"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"key": "a", "name": "b"}, {"key": "a", "name": "b"}),
        ({"key": "a"}, {"key": "(hidden)"}),
        ({"secretName": "a", "tokenExpirationSeconds": 5}, {"secretName": "a", "tokenExpirationSeconds": 5}),
        ({LABEL: "x"}, {LABEL: "x"}),
        ({"topologyKey": "a", "author": "me"}, {"topologyKey": "a", "author": "me"}),
        ({"x-kubernetes-list-map-keys": ["a"]}, {"x-kubernetes-list-map-keys": ["a"]}),
        (["--private-key-file=/a", "--token-ttl", "5m"], ["--private-key-file=/a", "--token-ttl", "5m"]),
        (["--auth=true", "-p", "--pass=a"], ["--auth=true", "-p", "--pass=(hidden)"]),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc", "(hidden)"),
        ({"kind": "Secret", "data": "a"}, {"kind": "Secret", "data": "(hidden)"}),
        ({"passwords": ["a", {"name": "b"}]}, {"passwords": ["(hidden)", {"name": "b"}]}),
        ({"auth": {"raw": "a", "on": True}}, {"auth": {"raw": "(hidden)", "on": True}}),
        (
            {"secret": {"secretName": "a", "defaultMode": 4}},
            {"secret": {"secretName": "a", "defaultMode": 4}},
        ),
        ({"secretKeyRef": {"name": "a", "key": "b"}}, {"secretKeyRef": {"name": "a", "key": "b"}}),
        ("host=a password=b user=c", "host=a password=(hidden) user=c"),
        ({".dockerconfigjson": "a"}, {".dockerconfigjson": "(hidden)"}),
        (
            {"kind": "Secret", "metadata": {}, "type": "Opaque", "spec": {"user": "a"}, "user": "b"},
            {
                "kind": "Secret",
                "metadata": {},
                "type": "Opaque",
                "spec": {"user": "(hidden)"},
                "user": "(hidden)",
            },
        ),
        ({"kind": "Secret", "name": "a", "group": ""}, {"kind": "Secret", "name": "a", "group": ""}),
        (
            {"kind": "SealedSecret", "metadata": {}, "spec": {"template": {"data": {"a": "b"}, "type": "c"}}},
            {
                "kind": "SealedSecret",
                "metadata": {},
                "spec": {"template": {"data": {"a": "(hidden)"}, "type": "c"}},
            },
        ),
        (
            {"kind": "SecretList", "items": [{"data": {"a": "b"}}]},
            {"kind": "SecretList", "items": "(hidden)"},
        ),
        ("kind: Secret\ndata: {a: b\n", "(hidden)"),
        ('{"kind":"Secret","data":{"a":"b"}', "(hidden)"),
        ('{"a": {"password": "b c", "d": "e"', '{"a": {"password": "(hidden)", "d": "e"'),
        ("run -H 'X-Api-Key: a' --level b", "run -H 'X-Api-Key: (hidden)' --level b"),
        ("run --password='a, b' --level c", "run --password='(hidden)' --level c"),
        ("Authorization: Token a", "Authorization: (hidden)"),
        (
            "<db><password>a</password><user>b</user></db>",
            "<db><password>(hidden)</password><user>b</user></db>",
        ),
        ("machine a login b password c", "machine a login b password (hidden)"),
        ("env PASSWORD=a curl https://b.com/c", "env PASSWORD=(hidden) curl https://b.com/c"),
        ("postgres://a:b@c@d/e", "postgres://(hidden)@d/e"),
        (b64("-----BEGIN EC PRIVATE KEY-----\nabcdefghijklmnop\n"), "(hidden)"),
        (CERTIFICATE, CERTIFICATE),
        ("the key is not hidden in prose", "the key is not hidden in prose"),
        (
            {"dbPass": "a", "passive": "b", "PIN": 1},
            {"dbPass": "(hidden)", "passive": "b", "PIN": "(hidden)"},
        ),
    ],
)
def test_what_is_hidden(value: Json, shown: Json) -> None:
    assert redact_value(value) == shown


def test_a_long_text_is_cut_only_if_its_end_says_of_no_secret() -> None:
    secret = f"apiVersion: v1\ndata: {{a: swordfish, b: {'c' * 1_000}}}\nkind: "
    assert quote_text(f"{secret}Secret\n") == '"(hidden)"'
    assert "swordfish" in quote_text(f"{secret}ConfigMap\n")


NAMES = (
    "password",
    "apiToken",
    "API_KEY",
    "basic-auth",
    "passphrase",
    "dbCredentials",
    "clientSecret",
    "dbPass",
)
WRONG = (
    "swordfish",
    SECRET_NUMBER,
    "0o31415926535",
    "!swordfish",
    "*swordfish",
    "[swordfish]",
)


@pytest.mark.parametrize("name", first(NAMES))
def test_fields_of_the_configuration(kit: Path, name: str) -> None:
    declared = kit / "components/hello/v1.0.0/config.yaml"
    odh = kit / "targets/odh.yaml"
    config, target = declared.read_text(), odh.read_text()
    types = (
        "{type: string, pattern: ^a$}",
        "{type: integer, maximum: 3}",
        "{type: duration}",
        "{type: boolean}",
    )
    for kind in (*types, "{type: object, properties: {a: {type: string, pattern: ^a$}}}"):
        declared.write_text(config.replace("fields:\n", f"fields:\n  {name}: {kind}\n"))
        for value in (*WRONG, "{a: swordfish}"):
            odh.write_text(f"{target}    config: {{{name}: {value}}}\n")
            unseen("check", "odh")
        odh.write_text(target)
        for value in ("swordfish", SECRET_NUMBER):
            field = f"{kind[:-1]}, default: {value}}}"
            declared.write_text(config.replace("fields:\n", f"fields:\n  {name}: {field}\n"))
            unseen("check", "odh")


def unseen(*args: object, stdin: str = "") -> None:
    """Check that a command shows no secret, whatever it finds."""
    for form in ("text", "json"):
        result = run(*args, "-o", form, stdin=stdin)
        told = result.out + result.err
        assert result.code in (0, 1)
        assert "fault of kitgen" not in told
        assert "swordfish" not in told
        assert "314159" not in told


@pytest.mark.parametrize(
    "value", [SECRET_NUMBER, "03141592653", "true", "[swordfish]", "!swordfish", "*swordfish"]
)
def test_secrets_and_variables_of_manifests(value: str) -> None:
    meta = "metadata: {name: a}"
    for key in ("data", "stringData"):
        unseen("check", "-", stdin=f"{{apiVersion: v1, kind: Secret, {meta}, {key}: {{user: {value}}}}}")
        unseen("check", "-", stdin=f"{{apiVersion: v1, kind: Secret, {meta}, {key}: {value}}}")
    for name in NAMES:
        unseen("check", "-", stdin=f"{{apiVersion: v1, kind: ConfigMap, {meta}, data: {{{name}: {value}}}}}")
    image = "name: a, image: a:b"
    env = f"env: [{{name: DB_PASSWORD, value: {value}}}]"
    unseen(
        "check",
        "-",
        stdin=f"{{apiVersion: v1, kind: Pod, {meta}, spec: {{containers: [{{{image}, {env}}}]}}}}",
    )


@pytest.mark.parametrize("value", [SECRET_NUMBER, "03141592653", "!swordfish", "*swordfish", "swordfish"])
def test_secrets_of_specs(kit: Path, value: str) -> None:
    spec = (kit / COMPONENT).read_text()
    for old, new in (
        ("{user: swordfish}", f"{{user: {value}}}"),
        ("API_TOKEN: swordfish", f"API_TOKEN: {value}"),
        ("apiKey: swordfish", f"apiKey: {value}"),
        ("args: [--auth-token=swordfish,", f"args: {value}\n      command: ["),
    ):
        assert old in spec
        (kit / COMPONENT).write_text(spec.replace(old, new))
        unseen("check", "olm")


CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.a.com}
spec:
  group: a.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          NAME: {type: string, pattern: ^a$, maxLength: 3, enum: [a], anyOf: [{pattern: b}]}
          passwords: {type: array, x-kubernetes-list-type: set, items: {type: string}}
          env:
            type: array
            items:
              type: object
              properties: {name: {type: string}, value: {type: string, pattern: ^a$, allOf: [{pattern: b}]}}
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [SECRET_NUMBER, "swordfish", "[swordfish]"])
def test_fields_of_custom_resources(tmp_path: Path, name: str, value: str) -> None:
    crd = tmp_path / "crd.yaml"
    crd.write_text(CRD.replace("NAME", name))
    content = f"{name}: {value}, passwords: [{value}, {value}], env: [{{name: {name}, value: {value}}}]"
    widget = f"{{apiVersion: a.com/v1, kind: Widget, metadata: {{name: a}}, {content}}}"
    unseen("crd", "validate", "-", "--crds", crd, stdin=widget)


PUBLISHED = (
    "clientSecret: {type: string, default: swordfish}",
    "password: {type: string, default: swordfish, enum: [swordfish, swordfish2]}",
    "authenticationMethod: {type: string, enum: [swordfish]}",
    "login: {type: object, properties: {pin: {enum: [swordfish]}}}",
    "tokens: {type: array, items: {type: string, pattern: ^swordfish$}}",
)


@pytest.mark.parametrize("field", PUBLISHED)
def test_constants_of_schemas_are_shown_whatever_the_field_is_called(tmp_path: Path, field: str) -> None:
    start = "NAME: {type: string, pattern: ^a$, maxLength: 3, enum: [a], anyOf: [{pattern: b}]}"
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(CRD.replace(start, field))
    new.write_text(CRD.replace(start, field.replace("swordfish", "swordfish3")))
    commands = [("crd", "outline", new), ("diff", f"path:{old}", f"path:{new}", "-o", "unified")]
    commands += [
        (*command, old, new, "-o", form)
        for command in (("crd", "diff"), ("compare",))
        for form in ("text", "json")
    ]
    for command in commands:
        told = run(*command).out
        assert "swordfish3" in told, command
        assert "(hidden)" not in told, command


DEFAULTS = (
    "login: {type: object, default: {password: swordfish}, properties: {password: {type: string}}}",
    'url: {type: string, default: "https://bob:swordfish@h/"}',
    'args: {type: array, items: {type: string}, default: ["--password=swordfish", "--token", swordfish]}',
    "header: {type: string, default: \"curl -H 'X: Bearer swordfish' --token swordfish\"}",
)


@pytest.mark.parametrize("field", DEFAULTS)
def test_defaults_of_fields(tmp_path: Path, field: str) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    start = "NAME: {type: string, pattern: ^a$, maxLength: 3, enum: [a], anyOf: [{pattern: b}]}"
    assert start in CRD
    old.write_text(CRD.replace(start, field))
    new.write_text(CRD.replace(start, field.replace("swordfish", "swordfish2")))
    commands = [
        ("crd", "outline", old),
        *(("crd", "diff", old, new, "-o", form) for form in ("text", "json")),
    ]
    for command in commands:
        told = run(*command).out
        assert field.partition(":")[0] in told
        assert "swordfish" not in told
        assert "314159" not in told


@pytest.mark.parametrize(
    "field",
    [
        'command: "--token=swordfish"',
        'args: "sh -c login --password swordfish"',
        'imagePullPolicy: "curl -H Authorization:Bearer swordfish"',
        'ports: "https://bob:swordfish@host"',
    ],
)
def test_found_values_that_hold_a_secret(field: str) -> None:
    container = f"{{name: a, image: a:b, {field}}}"
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{containers: [{container}]}}}}"
    unseen("check", "-", stdin=pod)


@pytest.mark.parametrize("address", ["https://bob:swordfish@host/x", "git:https://bob:swordfish@host"])
def test_addresses_on_the_command_line(kit: Path, address: str) -> None:
    for command in (("check", address), ("build", address), (address,), ("list", "--root", address)):
        result = run(*command)
        assert result.code in (2, 3)
        assert "swordfish" not in result.err


def test_compared_numbers(kit: Path) -> None:
    declared, odh = kit / "components/hello/v1.0.0/config.yaml", kit / "targets/odh.yaml"
    fields = "fields:\n  pin: {type: integer}\n  keySize: {type: integer}\n"
    text = declared.read_text().replace("fields:\n", fields)
    declared.write_text(f"{text}- {{field: pin, atMost: keySize}}\n")
    odh.write_text(f"{odh.read_text()}    config: {{pin: {SECRET_NUMBER}, keySize: 3}}\n")
    unseen("check", "odh")
    assert "found pin, expected at most keySize" in run("check", "-o", "lines", "odh").out


@pytest.mark.parametrize(
    "value", ["{{ swordfish }}", "a{{b swordfish}}", "{{ 'a'|swordfish }}", "{% swordfish %}"]
)
def test_expressions_in_secrets(kit: Path, value: str) -> None:
    spec = (kit / COMPONENT).read_text()
    secret = '- {apiVersion: v1, kind: Secret, metadata: {name: other}, data: {user: "VALUE"}}\n'
    for old, new in (
        ("", secret),
        ("{user: swordfish}", '{user: "VALUE"}'),
        ("API_TOKEN: swordfish", 'API_TOKEN: "VALUE"'),
    ):
        text = spec.replace(old, new) if old else spec + new
        (kit / COMPONENT).write_text(text.replace("VALUE", value))
        unseen("check", "olm")
        assert "found an expression that cannot be computed" in run("check", "-o", "lines", "olm").out


def test_parameters(kit: Path) -> None:
    spec = (kit / COMPONENT).read_text()
    marker = "        hello-image: {image: manager}\n"
    field = "spec.template.spec.containers.[name=manager].env.[name=API_TOKEN].value"
    for key, path, own in (
        ("api-key", "metadata.name", "swordfish"),
        ("plain", field, "x"),
        ("other", "stringData.user", "x"),
    ):
        name = "Secret/keys" if path.startswith("stringData") else DEPLOYMENT
        fill = f'        {key}: {{value: {own}, fills: [{{object: {name}, field: "{path}"}}]}}\n'
        (kit / COMPONENT).write_text(spec.replace(marker, marker + fill))
        result = run("check", "-o", "lines", "odh")
        assert "param-field: found another value in the field" in result.out
        assert "swordfish" not in result.out + result.err


@pytest.mark.parametrize(
    "argument",
    [
        "bob:swordfish@host/path",
        "curl -u bob:swordfish https://host",
        "https://swordfish@host/path",
        "login --password 'swordfish'",
        "ghp_swordfishswordfishswordfish",
    ],
)
def test_logins_and_tokens_by_their_form(argument: str) -> None:
    amount = f'resources: {{limits: {{cpu: "{argument}"}}}}'
    container = f'{{name: a, image: "{argument}", {amount}, livenessProbe: {{exec: "{argument}"}}}}'
    meta = f'metadata: {{name: "{argument}"}}'
    pod = f"{{apiVersion: v1, kind: Pod, {meta}, spec: {{containers: [{container}]}}}}"
    for form in ("text", "lines", "json", "sarif", "junit", "github"):
        result = run("check", "-", "-o", form, stdin=pod)
        assert result.code == 1
        assert "swordfish" not in result.out + result.err


@pytest.mark.parametrize(
    "text",
    [
        "quay.io/a/b:v1@sha256:0123",
        "git:main:target:odh@v1.5.0",
        "component:kueue@v0.7.0",
        "mailto:bob@example.com",
        "ssh://git@example.com/a",
        "git@example.com:a/b",
        "system:serviceaccount:a:b",
    ],
)
def test_what_only_looks_like_a_login(text: str) -> None:
    assert redact_value(text) == text


BEHIND_A_FLAG = """
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: a
    image: a:b
    args:
    - --password
    - 31415926535
    - "--token"
    # a comment
    - {a: swordfish}
    command: [--pin,
      31415926535]
"""


@pytest.mark.parametrize("form", ["text", "lines", "json", "sarif", "junit", "github"])
def test_values_behind_flags(form: str) -> None:
    result = run("check", "-", "-o", form, stdin=BEHIND_A_FLAG)
    assert "expected a string" in result.out
    assert "swordfish" not in result.out
    assert "314159" not in result.out


FORMS = ("text", "json", "markdown")
SCHEMA_VALUES = (
    'dsn: {type: string, default: "bob:swordfish@host", enum: ["bob:swordfish2@host"]}',
    "login: {type: object, default: {password: swordfish}, properties: {password: {type: string}}}",
)


@pytest.mark.parametrize("field", SCHEMA_VALUES)
def test_defaults_examples_and_choices(tmp_path: Path, field: str) -> None:
    start = "NAME: {type: string, pattern: ^a$, maxLength: 3, enum: [a], anyOf: [{pattern: b}]}"
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(CRD.replace(start, field))
    new.write_text(CRD.replace(start, field.replace("swordfish2", "swordfish3").replace("536", "537")))
    widget = "{apiVersion: a.com/v1, kind: Widget, metadata: {name: a}, password: b, pin: 1, dsn: c}"
    commands = [
        ("crd", "validate", "-", "--crds", old),
        ("crd", "outline", old),
        *(("check", old, "--baseline", new, "-o", form) for form in ("text", "json", "sarif", "junit")),
        *((*command, old, new, "-o", form) for command in (("crd", "diff"), ("compare",)) for form in FORMS),
    ]
    for command in commands:
        result = run(*command, stdin=widget)
        assert "fault of kitgen" not in result.err
        assert "swordfish" not in result.out + result.err
        assert "314159" not in result.out + result.err


PASSWORD = {"password": "swordfish"}


@pytest.mark.parametrize(
    ("schema", "path", "hidden"),
    [
        (
            {"properties": {"password": {"default": "swordfish"}}},
            ("properties", "password", "default"),
            False,
        ),
        (
            {"items": {"properties": {"key": {"enum": ["a"]}}}},
            ("items", "properties", "key", "enum", 0),
            False,
        ),
        ({"default": PASSWORD}, ("default", "password"), True),
        ({"default": {"properties": PASSWORD}}, ("default", "properties", "password"), True),
        (PASSWORD, ("password",), True),  # no keyword of a schema
        ({"spec": {"properties": PASSWORD}}, ("spec", "properties", "password"), True),
    ],
)
def test_only_names_of_fields_in_schemas_are_public(
    schema: dict[str, Json], path: tuple[str | int, ...], hidden: bool
) -> None:
    body: dict[str, Json] = {"openAPIV3Schema": schema}
    whole = ("openAPIV3Schema", *path)
    assert is_secret_path(whole) is is_secret_path(whole, body) is is_redacted(whole, body) is hidden
    assert (redact_value(body) != body) is hidden
