"""A secret that is looked for in all that commands say, and the texts in which it stands."""

from __future__ import annotations

import base64
import json

CANARY = "hunter2-CANARY-4711"
OTHER = "hunter3-KANARI-0815"
"""What takes its place on the other side of a comparison."""
PIECE = 6
"""So many characters of it are too many, wherever a text is cut."""


def encoded(text: str) -> str:
    """Return a text as a Secret holds it."""
    return base64.b64encode(text.encode()).decode()


def _pieces() -> tuple[str, ...]:
    whole = [CANARY, OTHER]
    whole += [encoded(each) for each in whole]
    whole += [encoded(f"{' ' * shift}{each}")[4:-4] for each in (CANARY, OTHER) for shift in (1, 2)]
    return tuple({text[at : at + PIECE] for text in whole for at in range(len(text) - PIECE + 1)})


PIECES = _pieces()


def shown(text: str) -> list[str]:
    """Return the lines of a text that show a piece of the secret."""
    if not any(piece in text for piece in PIECES):
        return []
    return [line for line in text.splitlines() if any(piece in line for piece in PIECES)]


META = "metadata: {name: a, namespace: b}"
SECRET = f"apiVersion: v1\nkind: Secret\n{META}\n"
SETTINGS = f"apiVersion: v1\nkind: ConfigMap\n{META}\n"
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://lab"}}]
contexts: [{name: lab, context: {cluster: lab, user: me}}]
users:
- name: me
  user: {token: CANARY, password: CANARY, client-key-data: ENCODED}
"""
PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY-----\n"
APPLIED = json.dumps(
    {"apiVersion": "v1", "kind": "Secret", "stringData": {"user": "CANARY"}, "data": {"a": "ENCODED"}}
)
LOGIN = json.dumps({"auths": {"quay.io": {"auth": "ENCODED", "username": "me", "password": "CANARY"}}})
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def pod(container: str, kind: str = "Pod") -> str:
    """Return an object that runs a container."""
    spec = f'containers: [{{name: a, image: "quay.io/a/b:v1", {container}}}]'
    if kind == "Pod":
        return f"apiVersion: v1\nkind: Pod\n{META}\nspec: {{{spec}}}\n"
    template = f"template: {{metadata: {{labels: {{a: b}}}}, spec: {{{spec}}}}}"
    selector = "selector: {matchLabels: {a: b}}"
    return f"apiVersion: apps/v1\nkind: {kind}\n{META}\nspec: {{{selector}, {template}}}\n"


def settings(value: str, key: str = "a.txt") -> str:
    """Return a ConfigMap with a text."""
    return f"{SETTINGS}data: {{{json.dumps(key)}: {json.dumps(value)}}}\n"


def annotated(value: str, head: str = SETTINGS) -> str:
    """Return an object with what kubectl applied last."""
    with_it = f"metadata: {{name: a, namespace: b, annotations: {{{ANNOTATION}: {json.dumps(value)}}}}}"
    return head.replace(META, with_it)


MANIFESTS: dict[str, str] = {
    "data": f"{SECRET}data: {{a: ENCODED}}\n",
    "data that is not encoded": f"{SECRET}data: {{a: CANARY}}\n",
    "stringData": f"{SECRET}stringData: {{user: CANARY}}\n",
    "stringData in blocks": f"{SECRET}stringData:\n  user: |\n    CANARY\n    CANARY\n",
    "data of a type": f"{SECRET}type: kubernetes.io/tls\ndata: {{tls.crt: CANARY, tls.key: CANARY}}\n",
    "a pull secret": (
        f"{SECRET}type: kubernetes.io/dockerconfigjson\n"
        f"stringData: {{.dockerconfigjson: {json.dumps(LOGIN)}}}\n"
    ),
    "data as a list": f"{SECRET}data: [CANARY]\n",
    "data as a text": f"{SECRET}data: CANARY\n",
    "data within data": f"{SECRET}data: {{a: {{b: CANARY}}}}\n",
    "a key twice": f"{SECRET}stringData:\n  a: CANARY\n  a: CANARY\n",
    "a field that is none": f"{SECRET}stringdata: {{user: CANARY}}\n",
    "a wrong place": f"{SECRET}spec: {{user: CANARY}}\n",
    "a wrong kind": f"{SECRET.replace('kind: Secret', 'kind: [Secret]')}data: {{a: CANARY}}\n",
    "no name": "apiVersion: v1\nkind: Secret\nmetadata: {}\nstringData: {user: CANARY}\n",
    "a wrong version": f"apiVersion: v9\nkind: Secret\n{META}\nstringData: {{user: CANARY}}\n",
    "an open quote": f'{SECRET}stringData: {{user: "CANARY}}\n',
    "an open brace": f"{SECRET}stringData: {{user: CANARY\n",
    "a tab": f"{SECRET}stringData:\n\tuser: CANARY\n",
    "an unknown tag": f"{SECRET}stringData: {{user: !CANARY x}}\n",
    "an unknown alias": f"{SECRET}stringData: {{user: *CANARY}}\n",
    "an anchor": f"{SECRET}stringData: {{user: &a CANARY, other: *a}}\n",
    "a control character": f"{SECRET}stringData: {{user: CANARY\x01}}\n",
    "a list": (
        f"apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Secret, "
        f"{META}, stringData: {{user: CANARY}}}}\n"
    ),
    "a list of secrets": (
        f"apiVersion: v1\nkind: SecretList\nitems:\n- {{{META}, stringData: {{user: CANARY}}}}\n"
    ),
    "the same twice": f"{SECRET}stringData: {{user: CANARY}}\n---\n{SECRET}stringData: {{user: CANARY}}\n",
    "JSON": json.dumps(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"user": "CANARY"}}
    ),
    "broken JSON": (
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"user": "CANARY",}'
    ),
    "the last applied": annotated(APPLIED),
    "the last applied of a Secret": annotated(APPLIED, SECRET),
    "the last applied, cut": annotated(APPLIED[:-1]),
    "the last applied of a Deployment": annotated(APPLIED, pod("command: [a]", "Deployment")),
    "a sealed secret": (
        f"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n{META}\n"
        f"spec: {{template: {{data: {{a: CANARY}}}}}}\n"
    ),
    "a kustomization": (
        "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n"
        "secretGenerator: [{name: a, literals: [user=CANARY]}]\n"
    ),
    "a kubeconfig": KUBECONFIG,
    "a kubeconfig in a ConfigMap": settings(KUBECONFIG, "kubeconfig"),
    "a variable": pod("env: [{name: DB_PASSWORD, value: CANARY}, {name: API_KEY, value: CANARY}]"),
    "a variable of a Deployment": pod("env: [{name: TOKEN, value: CANARY}]", "Deployment"),
    "a variable twice": pod("env: [{name: TOKEN, value: CANARY}, {name: TOKEN, value: CANARY}]"),
    "a variable as a list": pod("env: [{name: TOKEN, value: [CANARY]}]"),
    "a variable as a mapping": pod("env: {TOKEN: CANARY}"),
    "a variable with a reference": pod(
        "env: [{name: TOKEN, value: CANARY, valueFrom: {secretKeyRef: {name: a, key: b}}}]"
    ),
    "arguments": pod("args: [--password=CANARY, --token, CANARY, '--header=Authorization: Bearer CANARY']"),
    "a header": pod("command: [curl, -H, 'X-Api-Key: CANARY']"),
    "another header": pod("command: [curl, -H, 'Authorization: Token CANARY']"),
    "headers of a probe": pod(
        "livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: Authorization, value: CANARY}]}}"
    ),
    "a probe of a wrong type": pod(
        "livenessProbe: {httpGet: {port: [80], httpHeaders: {Authorization: CANARY}}}"
    ),
    "an address": pod("env: [{name: URL, value: 'postgres://me:CANARY@db/a'}]"),
    "an address with two signs": pod("env: [{name: URL, value: 'postgres://me:p@CANARY@db/a'}]"),
    "an address with a query": pod(
        "env: [{name: URL, value: 'jdbc:postgresql://db/a?user=me&password=CANARY'}]"
    ),
    "an image with a login": pod("env: []").replace("quay.io/a/b:v1", "me:CANARY@quay.io/a/b:v1"),
    "an image with a login and a scheme": pod("env: []").replace(
        "quay.io/a/b:v1", "https://me:CANARY@quay.io/a/b:v1"
    ),
    "a private key": settings(PRIVATE_KEY),
    "an encoded private key": settings("PEM"),
    "a dockerconfigjson in a ConfigMap": settings(LOGIN, "config.json"),
    "a properties file": settings("level=info\ndb.password = CANARY\napi.key: CANARY\n"),
    "a dotenv file": settings("export TOKEN='CANARY'\nPASSWORD=\"CANARY\"\n"),
    "a YAML file": settings("db:\n  password: CANARY\n  user: me\n"),
    "a YAML file, broken": settings("db:\n  password: CANARY\n user: [\n"),
    "a JSON file": settings('{"db": {"password": "CANARY"}}'),
    "a JSON file, broken": settings('{"db": {"password": "CANARY",}'),
    "a Secret in a ConfigMap": settings(f"{SECRET}stringData: {{user: CANARY}}\n"),
    "a Secret in a ConfigMap, broken": settings(f"{SECRET}stringData: {{user: CANARY\n"),
    "Secrets in a ConfigMap": settings(
        f"{SECRET}stringData: {{user: CANARY}}\n---\n{SECRET}data: {{a: ENCODED}}\n"
    ),
    "an ini file": settings("[db]\nuser = me\npassword = CANARY\n"),
    "a toml file": settings('[auth]\ntoken = "CANARY"\n'),
    "a netrc file": settings("machine a login me password CANARY\n", ".netrc"),
    "an XML file": settings("<db><password>CANARY</password></db>\n"),
    "a list of secrets in full": (
        f"apiVersion: v1\nkind: SecretList\nitems:\n- {{{META}, data: {{a: ENCODED}}}}\n"
    ),
    "a secret of small letters": f"{SECRET.replace('kind: Secret', 'kind: secret')}data: {{a: ENCODED}}\n",
    "an address behind it": pod("command: [sh, -c, 'PASSWORD=CANARY curl https://a.com/b']"),
    "an address below it": settings("password: CANARY\nurl: https://a.com/b\n"),
    "words in quotes": pod('command: [sh, -c, "run --password=\'a, CANARY\' --token \\\\"b CANARY\\\\""]'),
    "headers in a script": pod(
        "command: [sh, -c, \"curl -H 'X-Api-Key: CANARY' -H 'Authorization: Token CANARY' b\"]"
    ),
    "a long Secret in a ConfigMap": settings(
        f"apiVersion: v1\ndata:\n  a: ENCODED\n  b: {'x' * 900}\nkind: Secret\nx: [\n"
    ),
    "a template in a ConfigMap": settings(
        f"{{{{ if .a }}}}\n{SECRET}stringData: {{user: CANARY}}\n{{{{ end }}}}\n"
    ),
    "an annotation": SETTINGS.replace(
        META, "metadata: {name: a, namespace: b, annotations: {a.com/token: CANARY}}"
    ),
    "a label of a wrong form": SETTINGS.replace(
        META, "metadata: {name: a, namespace: b, labels: {token: 'CANARY !'}}"
    ),
    "a custom resource": (
        f"apiVersion: a.com/v1\nkind: Widget\n{META}\nspec: {{password: CANARY, auth: {{raw: CANARY}}}}\n"
    ),
    "a webhook": (
        "apiVersion: admissionregistration.k8s.io/v1\n"
        "kind: ValidatingWebhookConfiguration\nmetadata: {name: a}\n"
        "webhooks: [{name: a.b.c, "
        "clientConfig: {url: 'https://me:CANARY@h/'}}]\n"
    ),
}
"""Manifests by where the secret stands in them."""


def planted(text: str, secret: str = CANARY) -> str:
    """Put a secret into a text."""
    key = PRIVATE_KEY.replace("CANARY", secret)
    return text.replace("PEM", encoded(key)).replace("ENCODED", encoded(secret)).replace("CANARY", secret)
