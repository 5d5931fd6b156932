"""Lists of clusters, kits and trees in which a secret stands, each in one place."""

from __future__ import annotations

import json

from canary import ANNOTATION, APPLIED, KUBECONFIG, SECRET

CLUSTER = """\
apiVersion: v1
kind: Secret
metadata: {name: lab, labels: {argocd.argoproj.io/secret-type: cluster, vendor: OpenShift}}
"""
ACCESS = json.dumps(
    {"bearerToken": "CANARY", "tlsClientConfig": {"keyData": "ENCODED"}, "password": "CANARY"}
)
NAMED = "name: lab, server: 'https://lab'"
CLUSTER_LISTS: dict[str, str] = {
    "stringData": f"{CLUSTER}stringData: {{{NAMED}, config: {json.dumps(ACCESS)}}}\n",
    "data": f"{CLUSTER}data: {{name: bGFi, server: aHR0cHM6Ly9sYWI=, config: ENCODED}}\n",
    "data that is not encoded": f"{CLUSTER}data: {{{NAMED}, config: CANARY}}\n",
    "a config of a wrong type": f"{CLUSTER}stringData: {{{NAMED}, config: {{bearerToken: CANARY}}}}\n",
    "a config beside": f"{CLUSTER}config: {{bearerToken: CANARY}}\n",
    "a server with a login": f"{CLUSTER}stringData: {{name: lab, server: 'https://me:CANARY@lab'}}\n",
    "a server with a token": "- {name: lab, server: 'https://CANARY@lab', labels: {vendor: OpenShift}}\n",
    "servers with a login": (
        "- {name: a, server: 'https://me:CANARY@lab'}\n- {name: b, server: 'https://me:CANARY@lab'}\n"
    ),
    "a name in its place": f"{CLUSTER}stringData: {{name: [CANARY], server: {{a: CANARY}}}}\n",
    "a key twice": f"{CLUSTER}stringData:\n  config: CANARY\n  config: CANARY\n",
    "an open quote": f'{CLUSTER}stringData: {{{NAMED}, config: "CANARY}}\n',
    "an unknown alias": f"{CLUSTER}stringData: {{{NAMED}, config: *CANARY}}\n",
    "an unknown tag": f"{CLUSTER}stringData: {{{NAMED}, config: !CANARY a}}\n",
    "the same twice": (
        f"{CLUSTER}stringData: {{{NAMED}, config: CANARY}}\n---\n"
        f"{CLUSTER}stringData: {{{NAMED}, config: CANARY}}\n"
    ),
    "a list of Argo CD": (
        f"- {{{NAMED}, labels: {{vendor: OpenShift}}, config: {{bearerToken: CANARY}}, info: {{}}}}\n"
    ),
    "a list with wrong labels": f"- {{{NAMED}, labels: [CANARY], config: {{bearerToken: CANARY}}}}\n",
    "an unknown key": f"- {{{NAMED}, token: CANARY, password: [CANARY]}}\n",
    "a kubeconfig": KUBECONFIG,
    "a kubeconfig without a kind": KUBECONFIG.replace("kind: Config\n", ""),
    "a kubeconfig, broken": KUBECONFIG.replace("}\n", "\n"),
    "an annotation": CLUSTER.replace(
        "metadata: {", f"metadata: {{annotations: {{{ANNOTATION}: {json.dumps(APPLIED)}}}, "
    )
    + f"stringData: {{{NAMED}}}\n",
    "broken JSON": '[{"name": "lab", "config": {"bearerToken": "CANARY",}]',
    "nothing but a token": "CANARY\n",
    "nothing but tokens": "- CANARY\n- [CANARY]\n",
}
"""Lists of clusters by where the secret stands in them."""


SPEC = "components/hello/v1.0.0/component.yaml"
NEWER = "components/hello/v1.1.0/component.yaml"
COMMAND = "      command: [/manager]\n"
VARIABLES = "env: {DB_PASSWORD: CANARY, URL: 'postgres://me:CANARY@db'}"
PATCH = "    patches: [{name: a, why: because, object: Deployment/hello-manager, ops: [OPERATION]}]\n"
KITS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "objects": ((SPEC, "", "objects:\nOBJECTS\n"), (NEWER, "", "objects:\nOBJECTS\n")),
    "variables": (
        (SPEC, COMMAND, f"{COMMAND}      {VARIABLES}\n"),
        (NEWER, "", f"deployment: {{containers: {{manager: {{{VARIABLES}}}}}}}\n"),
    ),
    "a variable of a wrong type": ((SPEC, COMMAND, f"{COMMAND}      env: {{TOKEN: [CANARY]}}\n"),),
    "arguments": ((SPEC, COMMAND, f"{COMMAND}      args: [--token=CANARY, --password, CANARY]\n"),),
    "arguments of a wrong type": ((SPEC, COMMAND, f"{COMMAND}      args: {{--token: CANARY}}\n"),),
    "an expression": (
        (
            SPEC,
            COMMAND,
            f"{COMMAND}      env: {{TOKEN: '{{{{ CANARY }}}}', PASSWORD: '{{{{ \"CANARY\" + 1 }}}}'}}\n",
        ),
    ),
    "an expression that does not end": ((SPEC, COMMAND, f"{COMMAND}      env: {{TOKEN: '{{{{ CANARY'}}\n"),),
    "a secret with an expression": (
        (
            SPEC,
            "",
            (
                "objects:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}, "
                "stringData: {user: '{{ CANARY | CANARY }}'}}\n"
            ),
        ),
    ),
    "a secret that is wrong": (
        (
            SPEC,
            "",
            (
                "objects:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}, "
                "data: {a: [CANARY]}, user: CANARY}\n"
            ),
        ),
    ),
    "a secret in its broken place": (
        (
            SPEC,
            "",
            "objects:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {user: CANARY\n",
        ),
    ),
    "a key twice": (
        (
            SPEC,
            "",
            (
                "objects:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n"
                "  stringData: {a: CANARY, a: CANARY}\n"
            ),
        ),
    ),
    "a section that is none": ((SPEC, "", "secrets: {password: CANARY}\n"),),
    "an image": (
        (SPEC, "manager: quay.io/example/hello:v1.0.0", "manager: 'me:CANARY@quay.io/example/hello:v1.0.0'"),
    ),
    "an image with a scheme": (
        (
            SPEC,
            "manager: quay.io/example/hello:v1.0.0",
            "manager: 'https://me:CANARY@quay.io/example/hello:v1.0.0'",
        ),
    ),
    "a patch": (
        (
            "targets/olm.yaml",
            "  hello:\n",
            "  hello:\n"
            + PATCH.replace(
                "OPERATION",
                (
                    "{op: add, path: /spec/template/spec/containers/0/env, "
                    "value: [{name: TOKEN, value: CANARY}]}"
                ),
            ),
        ),
    ),
    "a patch that fails": (
        (
            "targets/olm.yaml",
            "  hello:\n",
            "  hello:\n" + PATCH.replace("OPERATION", "{op: test, path: /spec/token, value: CANARY}"),
        ),
    ),
    "a patch of a wrong form": (
        (
            "targets/olm.yaml",
            "  hello:\n",
            "  hello:\n"
            + PATCH.replace("OPERATION", "{op: put, path: /spec/token, value: {password: CANARY}}"),
        ),
    ),
    "a repository": (
        (
            "targets/olm.yaml",
            "repository: https://example.com/kit.git",
            "repository: 'https://me:CANARY@example.com/kit.git'",
        ),
    ),
    "a repository with a token": (
        (
            "targets/olm.yaml",
            "repository: https://example.com/kit.git",
            "repository: 'https://CANARY@example.com/kit.git'",
        ),
    ),
    "a repository of manifests": (
        (
            "targets/odh.yaml",
            "repository: example/hello",
            "repository: 'https://me:CANARY@example.com/hello'",
        ),
    ),
    "variables of a target": (
        ("targets/olm.yaml", "  hello:\n", "  hello:\n    env: {manager: {TOKEN: CANARY}}\n"),
    ),
    "configuration": (
        ("targets/olm.yaml", "  hello:\n", "  hello:\n    config: {password: CANARY, names: CANARY}\n"),
        (
            "components/hello/v1.0.0/config.yaml",
            "fields:\n",
            "fields:\n  password: {type: integer}\n  names: {type: string}\n",
        ),
    ),
    "about a migration": (
        (
            "migrations/new-group.yaml",
            "path: progressive",
            "path: progressive\nsteps: [{title: log in, why: b, commands: ['curl -u me:CANARY https://a']}]",
        ),
    ),
    "about a release": (
        (
            "releases/v1.1.0.yaml",
            "replaces: v1.0.0",
            "replaces: v1.0.0\nabout: 'log in by https://me:CANARY@example.com or --token CANARY'",
        ),
    ),
    "about a component": (
        (SPEC, "about: A small operator", "about: 'Log in by https://me:CANARY@example.com'"),
    ),
    "a branch": (
        ("kit.yaml", "fork: example/operators", "fork: 'https://me:CANARY@github.com/example/operators'"),
    ),
}
"""Changes of the kit by where the secret stands: a file, what is there, and what is put in its place."""


def tree(generator: str, **files: str) -> dict[str, str]:
    """Return the files of a tree that kustomize builds."""
    return {"kustomization.yaml": generator, **{name.replace("_", "."): text for name, text in files.items()}}


OPEN_SECRET = f"{SECRET}stringData: {{user: CANARY}}\n"
ENCODED_PATCH = json.dumps(f"{SECRET}stringData:\n  user: CANARY\n")
BROKEN_PATCH = json.dumps(f"{SECRET}stringData:\n  user: [CANARY\n   CANARY: {{\n")
RESOURCES = "resources: [secret.yaml]\n"
TREES: dict[str, dict[str, str]] = {
    "literals": tree("secretGenerator: [{name: a, literals: [user=CANARY]}]\n"),
    "a literal without a key": tree("secretGenerator: [{name: a, literals: [CANARY]}]\n"),
    "a literal twice": tree("secretGenerator: [{name: a, literals: [user=CANARY, user=CANARY]}]\n"),
    "a literal with an open quote": tree(
        'secretGenerator: [{name: a, literals: ["user=\'CANARY", "=CANARY"]}]\n'
    ),
    "a wrong key": tree("secretGenerator: [{name: a, literals: ['u s e r=CANARY']}]\n"),
    "literals as a text": tree("secretGenerator: [{name: a, literals: user=CANARY}]\n"),
    "a generator as a text": tree("secretGenerator: CANARY\n"),
    "a file of variables": tree("secretGenerator: [{name: a, envs: [a.env]}]\n", a_env="TOKEN=CANARY\n"),
    "a broken file of variables": tree("secretGenerator: [{name: a, envs: [a.env]}]\n", a_env="=CANARY\n"),
    "a resource": tree(RESOURCES, secret_yaml=OPEN_SECRET),
    "a broken resource": tree(RESOURCES, secret_yaml=f"{SECRET}stringData: {{user: CANARY\n"),
    "a resource twice": tree(RESOURCES, secret_yaml=f"{OPEN_SECRET}---\n{OPEN_SECRET}"),
    "a resource without a name": tree(RESOURCES, secret_yaml=OPEN_SECRET.replace("name: a, ", "")),
    "a key twice": tree(RESOURCES, secret_yaml=f"{SECRET}stringData: {{a: CANARY, a: CANARY}}\n"),
    "a patch": tree(f"{RESOURCES}patches: [{{patch: {ENCODED_PATCH}}}]\n", secret_yaml=OPEN_SECRET),
    "a patch of nothing": tree(f"patches: [{{patch: {ENCODED_PATCH}}}]\n"),
    "a broken patch": tree(f"{RESOURCES}patches: [{{patch: {BROKEN_PATCH}}}]\n", secret_yaml=OPEN_SECRET),
    "a broken old patch": tree(
        f"{RESOURCES}patchesStrategicMerge: [{BROKEN_PATCH}]\n", secret_yaml=OPEN_SECRET
    ),
    "a broken JSON patch": tree(
        (
            f"{RESOURCES}patches: [{{target: {{kind: Secret}}, "
            f'patch: \'[{{"op": "test", "path": "/stringData/user", '
            f'"value": "CANARY-"}}]\'}}]\n'
        ),
        secret_yaml=OPEN_SECRET,
    ),
    "an address": tree("resources: ['https://me:CANARY@example.com/a.yaml']\n"),
    "a path that is none": tree("resources: ['me:CANARY@example.com/a.yaml']\n"),
    "a merge of variables": tree(
        "secretGenerator: [{name: a, behavior: merge, literals: [user=CANARY]}]\n",
    ),
}
"""Trees that kustomize builds by where the secret stands in them."""
