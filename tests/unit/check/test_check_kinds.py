"""The kinds of other projects: an object of each is held to the declaration that kitgen ships."""

from __future__ import annotations

import pytest
from checking import CRD, bodies, checked, told

from kitgen.crd.definition import group_by_kind
from kitgen.findings import Severity
from kitgen.kit.apis import find_shipped_crd
from kitgen.kube import foreign_kinds

GOOD = {
    "SecurityContextConstraints": """
        apiVersion: security.openshift.io/v1
        kind: SecurityContextConstraints
        metadata: {name: run-as-user}
        allowPrivilegeEscalation: false
        runAsUser: {type: MustRunAs, uid: 1000}
        seLinuxContext: {type: MustRunAs}
        supplementalGroups: {type: RunAsAny}
        requiredDropCapabilities: [ALL]
        priority: null
        users: ['system:serviceaccount:apps:web']
        volumes: [configMap, secret]
        """,
    "PodMonitor": """
        apiVersion: monitoring.coreos.com/v1
        kind: PodMonitor
        metadata: {name: web, namespace: apps}
        spec:
          selector: {matchLabels: {app: web}}
          podMetricsEndpoints:
          - {port: metrics, interval: 1m30s, scheme: https, tlsConfig: {insecureSkipVerify: true}}
        """,
    "ServiceMonitor": """
        apiVersion: monitoring.coreos.com/v1
        kind: ServiceMonitor
        metadata: {name: web, namespace: apps}
        spec:
          selector: {matchExpressions: [{key: app, operator: Exists}]}
          endpoints: [{targetPort: 8080, bearerTokenFile: /token, relabelings: [{action: drop, regex: a}]}]
        """,
    "PrometheusRule": """
        apiVersion: monitoring.coreos.com/v1
        kind: PrometheusRule
        metadata: {name: web, namespace: apps}
        spec:
          groups:
          - name: web
            partial_response_strategy: WARN
            rules:
            - {alert: Down, expr: up == 0, for: 5m, labels: {severity: critical}}
            - {record: one, expr: 1}
        """,
    "ClusterServiceVersion": """
        apiVersion: operators.coreos.com/v1alpha1
        kind: ClusterServiceVersion
        metadata: {name: web.v1.0.0, namespace: apps, annotations: {capabilities: Basic Install}}
        spec:
          displayName: Web
          version: 1.0.0
          minKubeVersion: 1.27.0
          maturity: alpha
          provider: {name: Example}
          installModes: [{type: AllNamespaces, supported: true}]
          customresourcedefinitions:
            owned: [{kind: Farm, name: farms.example.com, version: v1, displayName: Farm}]
          install:
            strategy: deployment
            spec:
              clusterPermissions:
              - serviceAccountName: web
                rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
              deployments:
              - name: web
                spec:
                  replicas: 1
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec:
                      containers: [{name: web, image: 'example.com/web:v1.0.0', ports: [{containerPort: 80}]}]
          webhookdefinitions:
          - type: ValidatingAdmissionWebhook
            generateName: farms.example.com
            admissionReviewVersions: [v1]
            sideEffects: None
            containerPort: 443
            targetPort: 9443
            rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [farms]}]
        """,
    "Subscription": """
        apiVersion: operators.coreos.com/v1alpha1
        kind: Subscription
        metadata: {name: web, namespace: apps}
        spec:
          channel: stable
          name: web
          source: catalog
          sourceNamespace: openshift-marketplace
          installPlanApproval: Manual
          config: {env: [{name: A, value: b}], resources: {limits: {cpu: 500m, memory: 64Mi}}}
        """,
    "OperatorGroup": """
        apiVersion: operators.coreos.com/v1
        kind: OperatorGroup
        metadata: {name: web, namespace: apps}
        spec: {targetNamespaces: [apps], upgradeStrategy: Default}
        """,
    "CatalogSource": """
        apiVersion: operators.coreos.com/v1alpha1
        kind: CatalogSource
        metadata: {name: catalog, namespace: openshift-marketplace}
        spec:
          sourceType: grpc
          image: example.com/catalog:v1.0.0
          updateStrategy: {registryPoll: {interval: 30m}}
          grpcPodConfig: {securityContextConfig: restricted, memoryTarget: 30Mi}
        """,
    "InstallPlan": """
        apiVersion: operators.coreos.com/v1alpha1
        kind: InstallPlan
        metadata: {name: install-abcde, namespace: apps}
        spec: {approval: Manual, approved: true, clusterServiceVersionNames: [web.v1.0.0]}
        """,
    "Application": """
        apiVersion: argoproj.io/v1alpha1
        kind: Application
        metadata: {name: web, namespace: argocd}
        spec:
          project: default
          source: {repoURL: 'https://example.com/web.git', path: deploy, targetRevision: v1.0.0}
          destination: {server: 'https://kubernetes.default.svc', namespace: apps}
          syncPolicy:
            automated: {prune: true, selfHeal: true}
            syncOptions: [ServerSideApply=true]
            retry: {limit: 3, backoff: {duration: 5s, factor: 2}}
        """,
    "ApplicationSet": """
        apiVersion: argoproj.io/v1alpha1
        kind: ApplicationSet
        metadata: {name: web, namespace: argocd}
        spec:
          goTemplate: true
          generators:
          - list: {elements: [{name: one, server: 'https://one.example.com'}]}
          - matrix:
              generators:
              - clusters: {selector: {matchLabels: {env: prod}}}
              - git:
                  repoURL: https://example.com/web.git
                  revision: main
                  directories: [{path: apps/*}]
          template:
            metadata: {name: 'web-{{.name}}'}
            spec:
              project: default
              source: {repoURL: 'https://example.com/web.git', path: deploy}
              destination: {server: '{{.server}}', namespace: apps}
        """,
    "AppProject": """
        apiVersion: argoproj.io/v1alpha1
        kind: AppProject
        metadata: {name: web, namespace: argocd}
        spec:
          sourceRepos: ['*']
          destinations: [{server: 'https://kubernetes.default.svc', namespace: apps}]
          clusterResourceWhitelist: [{group: '', kind: Namespace}]
          roles: [{name: read, policies: ['p, proj:web:read, applications, get, web/*, allow']}]
          syncWindows: [{kind: allow, schedule: 0 22 * * *, duration: 1h, applications: ['*']}]
        """,
    "DataScienceCluster": """
        apiVersion: datasciencecluster.opendatahub.io/v1
        kind: DataScienceCluster
        metadata: {name: default-dsc}
        spec:
          components:
            codeflare: {managementState: Managed}
            ray: {managementState: Managed}
            kueue: {managementState: Removed}
        """,
    "DSCInitialization": """
        apiVersion: dscinitialization.opendatahub.io/v1
        kind: DSCInitialization
        metadata: {name: default-dsci}
        spec:
          applicationsNamespace: opendatahub
          monitoring: {managementState: Managed, namespace: opendatahub}
          trustedCABundle: {managementState: Managed, customCABundle: ''}
        """,
    "ImageContentSourcePolicy": """
        apiVersion: operator.openshift.io/v1alpha1
        kind: ImageContentSourcePolicy
        metadata: {name: web}
        spec:
          repositoryDigestMirrors: [{source: quay.io/web, mirrors: [mirror.example.com/web]}]
        """,
    "ImageDigestMirrorSet": """
        apiVersion: config.openshift.io/v1
        kind: ImageDigestMirrorSet
        metadata: {name: web}
        spec:
          imageDigestMirrors:
          - source: '*.example.com'
            mirrors: ['mirror.example.com:5000/web']
            mirrorSourcePolicy: NeverContactSource
        """,
    "ImageTagMirrorSet": """
        apiVersion: config.openshift.io/v1
        kind: ImageTagMirrorSet
        metadata: {name: web}
        spec:
          imageTagMirrors: [{source: quay.io/web, mirrors: [mirror.example.com/web]}]
        """,
    "OperatorHub": """
        apiVersion: config.openshift.io/v1
        kind: OperatorHub
        metadata: {name: cluster}
        spec: {disableAllDefaultSources: true, sources: [{name: community-operators, disabled: false}]}
        """,
}

BAD = [
    ("SecurityContextConstraints", "runAsUser:", "runAsUsr:", "did you mean 'runAsUser'?"),
    ("SecurityContextConstraints", "MustRunAs, uid", "MustRun, uid", "did you mean 'MustRunAs'?"),
    ("SecurityContextConstraints", "uid: 1000", "uid: -1", "found -1, expected at least 0"),
    ("SecurityContextConstraints", "RunAsAny", "Any", 'expected one of "MustRunAs" or "RunAsAny"'),
    ("PodMonitor", "port: metrics", "port: 8080", "quote it"),
    ("PodMonitor", "1m30s", "90 seconds", "expected text that matches"),
    ("ServiceMonitor", "bearerTokenFile", "bearerTokenFil", "did you mean 'bearerTokenFile'?"),
    ("ServiceMonitor", "selector", "select", 'found no field "selector"'),
    ("PrometheusRule", "alert: Down, ", "", 'found none of "alert" or "record"'),
    ("PrometheusRule", "record: one", "record: one, alert: Two", 'only one of "alert" or "record"'),
    ("PrometheusRule", "WARN", "WARNING", "expected text that matches"),
    ("ClusterServiceVersion", "displayName: Web", "display: Web", "did you mean 'displayName'?"),
    ("ClusterServiceVersion", "replicas: 1", "replicas: one", "expected a whole number"),
    ("ClusterServiceVersion", "type: AllNamespaces", "types: AllNamespaces", "did you mean 'type'?"),
    ("ClusterServiceVersion", "targetPort: 9443", "targetPort: []", "expected a string or a whole number"),
    ("Subscription", "source: catalog", "sources: catalog", 'found no field "source"'),
    ("Subscription", "cpu: 500m", "cpu: half", "expected text that matches"),
    ("OperatorGroup", "[apps]", "apps", "expected a list"),
    ("OperatorGroup", "[apps]", "[apps, apps]", "expected"),
    ("OperatorGroup", "Strategy: Default", "Strategy: default", "did you mean 'Default'?"),
    ("CatalogSource", "sourceType: grpc", "type: grpc", 'found no field "sourceType"'),
    ("CatalogSource", "restricted", "strict", 'expected one of "legacy" or "restricted"'),
    ("InstallPlan", "approved: true", "approved: 'true'", "expected true or false"),
    ("InstallPlan", "approval: Manual, ", "", 'found no field "approval"'),
    ("Application", "project: default", "projct: default", "did you mean 'project'?"),
    ("Application", "limit: 3", "limit: three", "expected a whole number"),
    ("Application", "[ServerSideApply=true]", "{ServerSideApply: true}", "expected a list"),
    ("ApplicationSet", "goTemplate: true", "gotemplate: true", "did you mean 'goTemplate'?"),
    ("ApplicationSet", "repoURL: https", "url: https", 'found no field "repoURL"'),
    ("ApplicationSet", "server: '{{", "sever: '{{", "did you mean 'server'?"),
    ("AppProject", "sourceRepos: ['*']", "sourceRepos: '*'", "expected a list"),
    ("AppProject", "name: read", "named: read", 'found no field "name"'),
    ("DataScienceCluster", "kueue:", "queue:", "did you mean 'kueue'?"),
    ("DataScienceCluster", "Removed", "Unmanaged", 'expected one of "Managed" or "Removed"'),
    ("DSCInitialization", "applicationsNamespace: opendatahub", "applicationsNamespace: Open", "matches"),
    ("DSCInitialization", "Managed, namespace", "Yep, namespace", 'expected one of "Managed" or "Removed"'),
    ("ImageContentSourcePolicy", "source:", "src:", 'found no field "source"'),
    ("ImageContentSourcePolicy", "[mirror", "[1, mirror", "expected a string"),
    ("ImageDigestMirrorSet", "NeverContactSource", "Never", 'expected one of "NeverContactSource"'),
    ("ImageDigestMirrorSet", "mirror.example.com:5000/web", "https://mirror.example.com", "matches"),
    ("ImageTagMirrorSet", "imageTagMirrors", "imageDigestMirrors", "did you mean 'imageTagMirrors'?"),
    ("ImageTagMirrorSet", "quay.io/web", "quay.io/web:v1", "matches"),
    ("OperatorHub", "name: community-operators", "name: ''", "expected at least 1"),
    ("OperatorHub", "disabled: false", "disable: false", "did you mean 'disabled'?"),
]


@pytest.mark.parametrize("kind", GOOD)
def test_what_is_right_is_accepted(kind: str) -> None:
    assert checked(GOOD[kind]) == []


@pytest.mark.parametrize(("kind", "old", "new", "words"), BAD)
def test_what_is_wrong_is_explained(kind: str, old: str, new: str, words: str) -> None:
    assert old in GOOD[kind]
    found = checked(GOOD[kind].replace(old, new, 1))
    assert words in " ".join(told(found))
    assert any(each.is_blocking for each in found)


def test_every_kind_is_tried() -> None:
    shipped = {kind for group in foreign_kinds.list_groups() for kind in foreign_kinds.plurals_by_kind(group)}
    assert shipped == set(GOOD) == {kind for kind, *_ in BAD}


@pytest.mark.parametrize("kind", GOOD)
def test_a_namespace_stands_only_where_the_scope_has_one(kind: str) -> None:
    (body,) = bodies(GOOD[kind])
    crd = find_shipped_crd(body["apiVersion"].partition("/")[0], kind)
    assert crd is not None
    assert ("namespace" in body["metadata"]) is (crd["spec"]["scope"] == "Namespaced")
    other = GOOD[kind].replace("metadata: {", "metadata: {namespace: other, ", 1)
    if crd["spec"]["scope"] == "Cluster":
        assert [each.rule.id for each in checked(other)] == ["namespace-dropped"]


def test_a_version_that_is_not_declared_is_told_with_those_that_are() -> None:
    text = GOOD["DataScienceCluster"].replace("opendatahub.io/v1", "opendatahub.io/v2")
    (finding,) = checked(text)
    assert (finding.rule.id, finding.severity) == ("kind-unknown", Severity.WARNING)
    assert told([finding]) == [
        "kind-unknown DataScienceCluster/default-dsc /apiVersion: there is no schema for "
        "datasciencecluster.opendatahub.io/v2 DataScienceCluster, so its fields are not checked "
        "(v1 is known, of ODH operator 2.25.0; or declare its CRD in the kit)"
    ]
    other = checked(text.replace("{name: default-dsc}", "{name: default-dsc, labls: {}}"))
    assert sorted(each.rule.id for each in other) == ["field-unknown", "kind-unknown"]


def test_a_kind_that_looks_like_a_shipped_one_is_misspelt() -> None:
    assert told(checked(GOOD["PodMonitor"].replace("kind: PodMonitor", "kind: PodMonitors"))) == [
        'kind-misspelt PodMonitors/web /kind: found the kind "PodMonitors", which monitoring.coreos.com does '
        "not declare (did you mean 'PodMonitor'?)"
    ]


def test_another_kind_of_the_group_is_unknown() -> None:
    text = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: web, namespace: apps}}"
    assert [each.rule.id for each in checked(text)] == ["kind-unknown"]


OWN = CRD.replace("example.com", "monitoring.coreos.com").replace("Queue", "PodMonitor")
OWN = OWN.replace("queues", "podmonitors")


def test_a_crd_of_the_kit_or_the_target_counts_before_the_shipped_one() -> None:
    assert ("monitoring.coreos.com", "PodMonitor") in group_by_kind(bodies(OWN))
    for found in (
        checked(GOOD["PodMonitor"], crds=tuple(bodies(OWN))),
        checked(f"{OWN}---{GOOD['PodMonitor']}"),
    ):
        assert 'found no field "size"' in " ".join(told(found))


def test_a_broken_crd_is_not_replaced_by_the_shipped_one() -> None:
    found = checked(f"{OWN.replace('required: [size]', 'required: size')}---{GOOD['PodMonitor']}")
    assert "the CRD of monitoring.coreos.com/v1 PodMonitor is broken" in " ".join(told(found))


@pytest.mark.parametrize(("new", "rule"), [("null", "csv-unfinished"), ("[]", None), ("3", "field-type")])
def test_a_base_that_operator_sdk_fills_in_is_only_looked_at(new: str, rule: str | None) -> None:
    head, _, rest = GOOD["ClusterServiceVersion"].partition("              deployments:\n")
    text = f"{head}              deployments: {new}\n          webhook{rest.partition('webhook')[2]}"
    assert [each.rule.id for each in checked(text)] == ([rule] if rule else [])
