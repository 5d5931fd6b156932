"""Short ways to make manifests and to check them."""

from __future__ import annotations

from textwrap import dedent

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.findings import Finding, Origin
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import Dialect, JsonObject, read_yaml_documents

SPEC = Origin("components/web/v1.0.0/component.yaml", ("objects", 0))
RANGE = (27, 28, 29, 30, 31, 32)


def bodies(text: str) -> list[JsonObject]:
    return read_yaml_documents(dedent(text), dialect=Dialect.KUBECTL)


def manifest(body: JsonObject, *sources: FieldSource, origin: Origin = SPEC) -> Manifest:
    return Manifest(body=body, sources=(FieldSource(path=(), cause="object", origin=origin), *sources))


def manifests(text: str) -> list[Manifest]:
    return [manifest(body) for body in bodies(text)]


def checked(
    text: str, *, minors: tuple[int, ...] = RANGE, crds: tuple[JsonObject, ...] = ()
) -> list[Finding]:
    return run_checks(CheckContext(targets={"olm": manifests(text)}, minors=minors, crds=crds))


def told(findings: list[Finding]) -> list[str]:
    """Return findings as `rule subject: message (hint)`."""
    return [
        f"{each.rule} {each.subject}: {each.message}" + (f" ({each.hint})" if each.hint else "")
        for each in findings
    ]


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: apps, labels: {app.kubernetes.io/name: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: example.com/web:v1.0.0
        resources: {limits: {cpu: 1, memory: 64Mi}}
        ports: [{containerPort: 80}]
"""

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com}
spec:
  group: example.com
  names: {kind: Queue, plural: queues}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 0, exclusiveMinimum: true}
              port: {x-kubernetes-int-or-string: true}
              note: {type: string, nullable: true, pattern: '^(?i)[a-z]*$'}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, additionalProperties: {type: string}}
              pod: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}
              mode: {type: string, enum: [Fast, Slow]}
            oneOf:
            - required: [port]
            - required: [note]
  - name: v1beta1
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
"""

QUEUE = """
apiVersion: example.com/v1
kind: Queue
metadata: {name: main, namespace: apps}
spec: {size: 3, port: http, free: {a: {b: 1}}, labels: {x: z}, pod: {apiVersion: v1, kind: Pod}}
"""
