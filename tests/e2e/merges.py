"""Objects of many kinds and merge patches for them, to hold kitgen's merge against kustomize's."""

from __future__ import annotations

from kitgen.text.yaml import JsonObject, read_yaml

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {finalizers: [example.com/a, example.com/b]}
spec:
  replicas: 1
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}
  template:
    metadata: {annotations: {a: "1", b: "2"}}
    spec:
      serviceAccountName: manager
      imagePullSecrets: [{name: first}]
      tolerations: [{key: a, operator: Exists}]
      hostAliases: [{ip: 10.0.0.1, hostnames: [one]}]
      nodeSelector: {disk: ssd, zone: a}
      topologySpreadConstraints:
      - {topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}
      securityContext: {runAsNonRoot: true, supplementalGroups: [1, 2]}
      initContainers:
      - {name: wait, image: "wait:1", command: [wait]}
      containers:
      - name: manager
        image: manager:1
        command: [/manager]
        args: [--one, --two]
        env: [{name: A, value: a}, {name: B, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: x}}}]
        envFrom: [{configMapRef: {name: settings}}]
        ports:
        - {containerPort: 8080, name: metrics, protocol: TCP}
        - {containerPort: 53, name: dns, protocol: UDP}
        volumeMounts: [{mountPath: /a, name: a}, {mountPath: /b, name: b, readOnly: true}]
        livenessProbe: {httpGet: {path: /healthz, port: 8081}, periodSeconds: 20}
        resources: {limits: {cpu: 100m, memory: 64Mi}, requests: {cpu: 100m}}
        securityContext: {capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}
      - name: proxy
        image: proxy:1
        ports: [{containerPort: 8443}]
      volumes: [{name: a, emptyDir: {}}, {name: b, secret: {secretName: b}}]
"""
POD = "spec: {template: {spec: %s}}"
MANAGER = POD % "{containers: [{name: manager, %s}]}"
SERVICE = """
apiVersion: v1
kind: Service
spec:
  selector: {app: hello}
  ports:
  - {name: http, port: 80, protocol: TCP, targetPort: http}
  - {name: dns, port: 53, protocol: UDP}
"""
WEBHOOKS = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
webhooks:
- name: a.kb.io
  failurePolicy: Fail
  clientConfig: {service: {name: hooks, path: /a}}
  admissionReviewVersions: [v1]
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
- name: b.kb.io
  failurePolicy: Fail
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
- {apiGroups: [""], resources: [secrets], verbs: [get]}
"""
BINDING = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: viewer}
subjects: [{kind: ServiceAccount, name: a, namespace: b}]
"""
CONFIG = """
apiVersion: v1
kind: ConfigMap
data: {one: "1", two: "2", text: "a: b\\nc: d\\n"}
"""
CRON = """
apiVersion: batch/v1
kind: CronJob
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: a, image: "a:1", env: [{name: A, value: a}]}, {name: b, image: "b:1"}]
"""
POLICY = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
spec:
  podSelector: {matchLabels: {app: hello}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchLabels: {a: b}}}], ports: [{port: 80, protocol: TCP}]}]
"""
CUSTOM = """
apiVersion: example.com/v1
kind: Greeting
metadata: {finalizers: [a]}
spec:
  containers: [{name: a, image: "a:1"}, {name: b, image: "b:1"}]
  words: {hello: world, list: [1, 2]}
  pod:
    apiVersion: v1
    kind: Pod
    spec: {containers: [{name: a, image: "a:1"}]}
"""
ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
secrets: [{name: a}, {name: b}]
imagePullSecrets: [{name: a}]
"""
STATEFUL = """
apiVersion: apps/v1
kind: StatefulSet
spec:
  template: {spec: {containers: [{name: a, image: "a:1"}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]
"""
BUDGET = """
apiVersion: policy/v1
kind: PodDisruptionBudget
spec: {minAvailable: 1, selector: {matchLabels: {app: hello}}}
"""
INGRESS = """
apiVersion: networking.k8s.io/v1
kind: Ingress
spec: {rules: [{host: a.example.com}], tls: [{hosts: [a.example.com], secretName: a}]}
"""
STORED = """
apiVersion: v1
kind: Secret
stringData: {one: "1"}
"""

TABLE: dict[str, tuple[str, str]] = {
    "env-added": (DEPLOYMENT, MANAGER % "env: [{name: NEW, value: new}]"),
    "env-changed-and-added": (DEPLOYMENT, MANAGER % "env: [{name: M, value: m}, {name: B, value: bb}]"),
    "env-other-kind-of-value": (
        DEPLOYMENT,
        MANAGER % "env: [{name: A, value: null, valueFrom: {fieldRef: {fieldPath: z}}}]",
    ),
    "env-deleted": (DEPLOYMENT, MANAGER % "env: [{name: B, $patch: delete}]"),
    "env-deleted-and-added": (DEPLOYMENT, MANAGER % "env: [{name: A, $patch: delete}, {name: Z, value: z}]"),
    "env-replaced": (DEPLOYMENT, MANAGER % "env: [{$patch: replace}, {name: Z, value: z}]"),
    "env-emptied": (DEPLOYMENT, MANAGER % "env: [{$patch: replace}]"),
    "env-removed": (DEPLOYMENT, MANAGER % "env: null"),
    "env-removed-by-directive": (DEPLOYMENT, MANAGER % "env: [{$patch: delete}]"),
    "env-in-words": (DEPLOYMENT, MANAGER % "env: [{name: A, $patch: merge, value: aa}]"),
    "env-from-replaced": (DEPLOYMENT, MANAGER % "envFrom: [{secretRef: {name: more}}]"),
    "args-replaced": (DEPLOYMENT, MANAGER % "args: [--three]"),
    "port-changed": (DEPLOYMENT, MANAGER % "ports: [{containerPort: 8080, protocol: TCP, name: web}]"),
    "port-of-another-protocol": (DEPLOYMENT, MANAGER % "ports: [{containerPort: 53, protocol: TCP}]"),
    "port-added-without-protocol": (DEPLOYMENT, MANAGER % "ports: [{containerPort: 9443, name: hooks}]"),
    "port-deleted": (DEPLOYMENT, MANAGER % "ports: [{containerPort: 53, protocol: UDP, $patch: delete}]"),
    "port-alike-without-protocol": (
        DEPLOYMENT,
        POD % "{containers: [{name: proxy, ports: [{containerPort: 8443, name: https}]}]}",
    ),
    "ports-with-protocols-keep-their-order": (
        DEPLOYMENT,
        MANAGER % "ports: [{containerPort: 53, protocol: UDP, name: a}, {containerPort: 1, protocol: TCP}]",
    ),
    "ports-without-protocols-come-first": (
        DEPLOYMENT.replace(", protocol: TCP", "").replace(", protocol: UDP", ""),
        MANAGER % "ports: [{containerPort: 53, name: a}, {containerPort: 1}]",
    ),
    "mounts": (
        DEPLOYMENT,
        MANAGER % "volumeMounts: [{mountPath: /c, name: a}, {mountPath: /b, readOnly: null}]",
    ),
    "probe-of-another-kind": (
        DEPLOYMENT,
        MANAGER % "livenessProbe: {httpGet: null, exec: {command: [check]}}",
    ),
    "resources-replaced": (DEPLOYMENT, MANAGER % "resources: {$patch: replace, limits: {cpu: 1}}"),
    "resources-deleted": (DEPLOYMENT, MANAGER % "resources: {$patch: delete}"),
    "capabilities": (DEPLOYMENT, MANAGER % "securityContext: {capabilities: {add: [SYS_TIME]}}"),
    "containers-in-another-order": (
        DEPLOYMENT,
        POD
        % "{containers: [{name: proxy, args: [a]}, {name: log, image: 'l:1'}, {name: manager, tty: true}]}",
    ),
    "container-deleted": (DEPLOYMENT, POD % "{containers: [{name: proxy, $patch: delete}]}"),
    "init-container": (DEPLOYMENT, POD % "{initContainers: [{name: first, image: 'first:1'}]}"),
    "volumes": (
        DEPLOYMENT,
        POD % "{volumes: [{name: c, emptyDir: {}}, {name: b, secret: {optional: true}}]}",
    ),
    "volume-deleted": (DEPLOYMENT, POD % "{volumes: [{name: a, $patch: delete}]}"),
    "pull-secrets": (DEPLOYMENT, POD % "{imagePullSecrets: [{name: second}]}"),
    "tolerations-replaced": (DEPLOYMENT, POD % "{tolerations: [{key: b, operator: Exists}]}"),
    "host-aliases": (
        DEPLOYMENT,
        POD % "{hostAliases: [{ip: 10.0.0.2, hostnames: [two]}, {ip: 10.0.0.1, hostnames: [three]}]}",
    ),
    "spread-changed": (
        DEPLOYMENT,
        POD
        % "{topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 3}]}",
    ),
    "spread-added": (
        DEPLOYMENT,
        POD
        % "{topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, maxSkew: 3}]}",
    ),
    "groups-replaced": (DEPLOYMENT, POD % "{securityContext: {supplementalGroups: [3]}}"),
    "selector-replaced": (DEPLOYMENT, POD % "{nodeSelector: {$patch: replace, arch: arm}}"),
    "annotations": (
        DEPLOYMENT,
        "spec: {template: {metadata: {annotations: {a: null, c: '3', gone: null}}}}",
    ),
    "new-maps-without-nulls": (DEPLOYMENT, POD % "{affinity: {nodeAffinity: {a: null, b: {c: null}}}}"),
    "finalizers": (DEPLOYMENT, "metadata: {finalizers: [example.com/c, example.com/a]}"),
    "strategy": (DEPLOYMENT, "spec: {strategy: {type: Recreate, rollingUpdate: null}}"),
    "several-at-once": (
        DEPLOYMENT,
        """
spec:
  replicas: 2
  template:
    spec:
      serviceAccountName: null
      containers:
      - {name: proxy, $patch: delete}
      - name: manager
        env: [{name: C, $patch: delete}, {name: D, value: d}]
        volumeMounts: [{$patch: replace}, {mountPath: /z, name: z}]
      volumes: [{name: z, emptyDir: {}}]
""",
    ),
    "service-port-changed": (SERVICE, "spec: {ports: [{port: 53, protocol: UDP, targetPort: 5353}]}"),
    "service-port-added": (SERVICE, "spec: {ports: [{port: 443, protocol: TCP, name: https}]}"),
    "service-ports-replaced": (SERVICE, "spec: {ports: [{$patch: replace}, {port: 1}], selector: {b: c}}"),
    "webhook-changed": (WEBHOOKS, "webhooks: [{name: b.kb.io, failurePolicy: Ignore}]"),
    "webhook-added": (WEBHOOKS, "webhooks: [{name: c.kb.io, sideEffects: None}]"),
    "webhook-rules-replaced": (
        WEBHOOKS,
        "webhooks: [{name: a.kb.io, rules: [{apiGroups: [apps]}], admissionReviewVersions: [v2]}]",
    ),
    "webhook-deleted": (WEBHOOKS, "webhooks: [{name: a.kb.io, $patch: delete}]"),
    "rules-replaced": (ROLE, "rules: [{apiGroups: [apps], resources: [deployments], verbs: [get]}]"),
    "subjects-replaced": (BINDING, "subjects: [{kind: Group, name: all}]"),
    "data": (CONFIG, "data: {one: null, two: '22', three: '3'}"),
    "data-replaced": (CONFIG, "data: {$patch: replace, three: '3'}"),
    "cron-job": (
        CRON,
        "spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: b, env: [{name: B, value: b}]}, "
        "{name: a, env: [{name: C, value: c}]}]}}}}}",
    ),
    "network-policy": (POLICY, "spec: {policyTypes: [Egress], ingress: [{}]}"),
    "custom-lists-replaced": (CUSTOM, "spec: {containers: [{name: b}], words: {list: [3]}}"),
    "custom-finalizers-replaced": (CUSTOM, "metadata: {finalizers: [b]}"),
    "custom-maps": (CUSTOM, "spec: {words: {$patch: replace, bye: world}}"),
    "custom-with-a-pod": (CUSTOM, "spec: {pod: {spec: {containers: [{name: b, image: 'b:1'}]}}}"),
    "account": (ACCOUNT, "{secrets: [{name: c}], imagePullSecrets: [{name: b}]}"),
    "claims-replaced": (STATEFUL, "spec: {volumeClaimTemplates: [{metadata: {name: more}}]}"),
    "budget": (BUDGET, "spec: {minAvailable: null, maxUnavailable: 1, selector: {matchLabels: {b: c}}}"),
    "ingress": (INGRESS, "spec: {rules: [{host: b.example.com}], tls: [{hosts: [b.example.com]}]}"),
    "secret": (STORED, "stringData: {two: '2'}"),
}
"""Name → an object and a patch."""


def named(name: str, text: str) -> JsonObject:
    """Return an object with a name of its own, so that one build can hold all of them."""
    body: JsonObject = read_yaml(text)
    return {**body, "metadata": {**body.get("metadata", {}), "name": name}}


def patch(name: str) -> JsonObject:
    """Return a patch as kustomize wants it, which says what it is for."""
    body, change = named(name, TABLE[name][0]), read_yaml(TABLE[name][1])
    return {
        "apiVersion": body["apiVersion"],
        "kind": body["kind"],
        **change,
        "metadata": {**change.get("metadata", {}), "name": name},
    }
