"""Every rule that ranks a change of an object has a change that it ranks, which then comes first."""

from __future__ import annotations

from typing import Any

import pytest

from kitgen.compare.change import About, Change, load_change_rules
from kitgen.compare.review.change import ReviewedChange, join_changes
from kitgen.compare.review.review import review_scope
from kitgen.compare.review.scope import ReviewScope
from kitgen.findings import rules_by_id
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Dialect, JsonObject, read_yaml_documents

RBAC = "rbac.authorization.k8s.io"
HOOK = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: a.example.com
  failurePolicy: Fail
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  clientConfig: {service: {name: a, namespace: b}, caBundle: x}
- {name: b.example.com, failurePolicy: Ignore}
"""
POD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: a, labels: {team: x}, annotations: {note: x}}
spec:
  replicas: 1
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      serviceAccountName: manager
      securityContext: {runAsNonRoot: true}
      containers:
      - name: manager
        image: quay.io/example/manager:v1.0.0
        args: [--leader-elect, --zap]
        env: [{name: A, value: "1"}]
        resources: {limits: {cpu: 500m}}
"""
ROLE = f"""
apiVersion: {RBAC}/v1
kind: ClusterRole
metadata: {{name: manager}}
rules:
- {{apiGroups: [""], resources: [configmaps], verbs: [get, list]}}
"""
BINDING = f"""
apiVersion: {RBAC}/v1
kind: ClusterRoleBinding
metadata: {{name: manager}}
roleRef: {{apiGroup: {RBAC}, kind: ClusterRole, name: manager}}
subjects: [{{kind: ServiceAccount, name: manager, namespace: a}}]
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: metrics, namespace: a}
spec: {selector: {app: x}, ports: [{name: https, port: 8443}]}
"""
CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}, data: {k: 'a: 1'}}"
SECRET = "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}, stringData: {k: old}}"
ACCOUNT = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa, namespace: a}}"
SPACE = (
    "{apiVersion: v1, kind: Namespace, "
    "metadata: {name: a, labels: {pod-security.kubernetes.io/enforce: restricted}}}"
)
POLICY = (
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: n, namespace: a}, "
    "spec: {podSelector: {}, policyTypes: [Ingress]}}"
)
LIMITS = (
    "{apiVersion: security.openshift.io/v1, kind: SecurityContextConstraints, metadata: {name: scc}, "
    "allowPrivilegedContainer: false}"
)
CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, title: A, properties: {size: {type: integer}}}}
"""
TOKEN = "{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: t}}"
NOTED = "metadata: {name: metrics, namespace: a, annotations: {cert-manager.io/inject-ca-from: a/b}}"
INTO = f"metadata: {{name: manager, labels: {{{RBAC}/aggregate-to-edit: 'true'}}}}"

ROUTE = (
    "{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: r, namespace: a}, "
    "spec: {host: a.example.com, tls: {termination: reencrypt, insecureEdgeTerminationPolicy: None}}}"
)
BUDGET = (
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: p, namespace: a}, "
    "spec: {selector: {matchLabels: {tier: back}}}}"
)

MANY = ", ".join(f"x{number}" for number in range(40))
LARGE = ROLE + f"- {{apiGroups: [{MANY}], resources: [{MANY}], verbs: [{MANY}]}}\n---" + BINDING

CASES: dict[str, tuple[str, str, str, str]] = {
    # rule: what was, the text that changes in it, what it becomes, the risk
    "address-gone": (ROUTE, "host: a.example.com", "host: b.example.com", "breaking"),
    "selection-lost": (
        POD + "---" + SERVICE,
        "metadata: {labels: {app: x}}",
        "metadata: {labels: {app: y}}",
        "breaking",
    ),
    "selection-changed": (
        POD.replace("labels: {app: x}}", "labels: {app: x, tier: back}}") + "---\n" + BUDGET,
        "tier: back}}",
        "tier: front}}",
        "behaviour",
    ),
    "transport-weaker": (ROUTE, "Policy: None", "Policy: Allow", "security"),
    "webhook-elsewhere": (
        HOOK,
        "service: {name: a, namespace: b}",
        "url: 'https://example.org'",
        "security",
    ),
    "access-everybody": (
        ROLE + "---" + BINDING,
        "subjects: [",
        f"subjects: [{{kind: Group, name: 'system:unauthenticated', apiGroup: {RBAC}}}, ",
        "security",
    ),
    "permissions-unknown": (
        LARGE,
        "resources: [configmaps]",
        "resources: [configmaps, secrets]",
        "security",
    ),
    "role-aggregated": (ROLE, "metadata: {name: manager}", INTO, "security"),
    "webhook-gone": (HOOK, "- {name: b.example.com, failurePolicy: Ignore}\n", "", "security"),
    "webhook-weaker": (HOOK, "failurePolicy: Fail", "failurePolicy: Ignore", "security"),
    "policy-changed": (POLICY, "podSelector: {}", "podSelector: {matchLabels: {a: b}}", "security"),
    "constraints-changed": (LIMITS, "Container: false", "Container: true", "security"),
    "pod-weaker": (POD, "runAsNonRoot: true", "runAsNonRoot: false", "security"),
    "account-changed": (POD, "serviceAccountName: manager", "serviceAccountName: other", "security"),
    "token-made": (
        ACCOUNT.replace("kind: ServiceAccount", "kind: ServiceAccount, automountServiceAccountToken: false"),
        ", automountServiceAccountToken: false",
        "",
        "security",
    ),
    "service-exposed": (SERVICE, "spec: {", "spec: {type: NodePort, ", "security"),
    "image-source": (POD, "quay.io/example/manager", "quay.io/other/manager", "security"),
    "image-unpinned": (
        POD.replace(":v1.0.0", "@sha256:" + 64 * "a"),
        "@sha256:" + 64 * "a",
        ":v1.0.0",
        "security",
    ),
    "namespace-level": (SPACE, "restricted", "privileged", "security"),
    "image-changed": (POD, "v1.0.0", "v1.1.0", "behaviour"),
    "arguments-changed": (POD, "--zap", "--other", "behaviour"),
    "resources-changed": (POD, "500m", "600m", "behaviour"),
    "configuration-changed": (CONFIG, "a: 1", "a: 2", "behaviour"),
    "secret-changed": (SECRET, "k: old", "k: new", "behaviour"),
    "webhook-added": (
        HOOK.replace("- {name: b.example.com, failurePolicy: Ignore}\n", "# more\n"),
        "# more",
        "- {name: c.example.com}",
        "behaviour",
    ),
    "webhook-changed": (HOOK, "failurePolicy: Ignore", "failurePolicy: Fail", "behaviour"),
    "field-changed": (POD, "replicas: 1", "replicas: 2", "behaviour"),
    "annotation-acts": (SERVICE, "metadata: {name: metrics, namespace: a}", NOTED, "behaviour"),
    "object-added": (
        CONFIG + "\n---\n# more",
        "# more",
        CONFIG.replace("name: c", "name: entirely-different").replace("a: 1", "b: 7"),
        "behaviour",
    ),
    "label-changed": (POD, "team: x", "team: y", "cosmetic"),
    "annotation-changed": (POD, "note: x", "note: y", "cosmetic"),
    "certificate-changed": (HOOK, "caBundle: x", "caBundle: y", "cosmetic"),
    "order-changed": (
        ROLE + "---" + POD.replace("env: [", "env: [{name: B, value: '2'}, "),
        "{name: B, value: '2'}, {name: A, value: \"1\"}",
        "{name: A, value: \"1\"}, {name: B, value: '2'}",
        "cosmetic",
    ),
    "default-written": (SERVICE, "port: 8443}", "port: 8443, protocol: TCP}", "cosmetic"),
    "amount-rewritten": (POD, "cpu: 500m", "cpu: '0.5'", "cosmetic"),
    "permissions-kept": (
        ROLE + "- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}\n",
        "verbs: [get, list]",
        "verbs: [get]",
        "cosmetic",
    ),
    "schema-detail": (CRD, "title: A", "title: B", "cosmetic"),
    "object-unused": (
        ROLE + "---\n# more",
        "# more",
        ROLE.replace("name: manager", "name: lonely").replace("configmaps", "nodes"),
        "cosmetic",
    ),
    "upgrade-immutable": (
        POD,
        "selector: {matchLabels: {app: x}}",
        "selector: {matchLabels: {app: y}}",
        "breaking",
    ),
    "upgrade-namespace": (SERVICE, "namespace: a", "namespace: b", "breaking"),
    "upgrade-permission-lost": (ROLE + "---" + BINDING, "verbs: [get, list]", "verbs: [get]", "breaking"),
    "upgrade-permission-gained": (
        ROLE + "---" + BINDING,
        "resources: [configmaps]",
        "resources: [configmaps, secrets]",
        "security",
    ),
    "upgrade-port-gone": (SERVICE, "port: 8443", "port: 9443", "breaking"),
    "upgrade-version-back": (POD, "v1.0.0", "v0.9.0", "breaking"),
    "upgrade-webhook": (HOOK, "operations: [CREATE, UPDATE]", "operations: ['*']", "breaking"),
    "upgrade-gone": (SERVICE + "---\n" + CONFIG, "---\n" + CONFIG, "", "breaking"),
    "upgrade-renamed": (POD, "metadata: {name: manager,", "metadata: {name: controller-manager,", "breaking"),
    "upgrade-data": (CONFIG + "\n---\n" + SPACE, SPACE, "", "breaking"),
    "crd-removed": (CONFIG + "\n---" + CRD, CRD, "", "breaking"),
    "field-removed": (
        CRD,
        "properties: {size: {type: integer}}",
        "x-kubernetes-preserve-unknown-fields: false",
        "breaking",
    ),
}


def manifests(text: str) -> list[Manifest]:
    return [
        Manifest(body=each, sources=()) for each in read_yaml_documents(text, dialect=Dialect.KUBECTL) if each
    ]


def changes(old: str, new: str) -> tuple[ReviewedChange, ...]:
    return join_changes(review_scope(ReviewScope(before=manifests(old), after=manifests(new), minor=29)))


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_ranks_a_change_and_it_comes_first(rule: str) -> None:
    text, old, new, risk = CASES[rule]
    assert text.count(old) >= 1
    found = changes(text, text.replace(old, new, 1))
    assert (found[0].change.rule.id, found[0].risk.value) == (rule, risk), [
        each.change.rule.id for each in found
    ]


@pytest.mark.parametrize("rule", CASES)
def test_what_is_the_same_is_no_change(rule: str) -> None:
    text = CASES[rule][0]
    assert changes(text, text) == ()


def test_every_rule_has_a_case() -> None:
    own = {name for name, each in load_change_rules().items() if each.about is not About.CRD}
    assert own <= CASES.keys()
    assert {name for name in own if load_change_rules()[name].about is About.UPGRADE} <= rules_by_id().keys()


def test_a_token_and_a_route_are_dangers_as_new_objects() -> None:
    route = "{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: r}}"
    found = changes(CONFIG, "\n---\n".join((CONFIG, TOKEN, route)))
    assert [each.change.rule.id for each in found] == ["service-exposed", "token-made"]


WEAKER = {
    "one more capability": (
        "capabilities: {add: [NET_ADMIN]}",
        "capabilities: {add: [NET_ADMIN, SYS_ADMIN]}",
    ),
    "a capability that is kept": ("capabilities: {drop: [A, B]}", "capabilities: {drop: [A]}"),
    "files that may be written": ("readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
}


@pytest.mark.parametrize("what", WEAKER)
def test_what_the_standards_say_nothing_new_of_is_a_danger_too(what: str) -> None:
    old, new = (
        POD.replace("- name: manager\n", f"- name: manager\n        securityContext: {{{each}}}\n")
        for each in WEAKER[what]
    )
    (found,) = changes(old, new)
    assert found.change.rule.id == "pod-weaker"
    assert not any(each.risk.value == "security" for each in changes(new, old))


def test_another_host_path_is_a_danger() -> None:
    pod = POD + "      volumes: [{name: h, hostPath: {path: /var/log}}]\n"
    (found,) = changes(pod, pod.replace("/var/log", "/"))
    assert (found.change.rule.id, found.change.message) == ("pod-weaker", 'was "/var/log", now "/"')


def test_a_container_that_goes_or_has_another_name_makes_no_pod_weaker() -> None:
    two = POD + "      - {name: other, image: quay.io/example/other:v1}\n"
    for old, new in ((two, POD), (POD, POD.replace("- name: manager", "- name: renamed"))):
        assert {each.change.rule.id for each in changes(old, new)} == {"field-changed"}


def test_a_container_that_comes_is_told_beside_what_is_wrong_with_it() -> None:
    side = "      - {name: side, image: quay.io/example/side:v1, securityContext: {privileged: true}}\n"
    found = [(each.change.path, each.change.message) for each in changes(POD, POD + side)]
    place = "spec.template.spec.containers[side]"
    assert (place, "it is new") in found
    assert (f"{place}.securityContext.privileged", 'found privileged mode in the container "side"') in found


def test_a_pod_that_comes_with_rights_on_its_node_is_a_danger() -> None:
    found = changes(
        CONFIG,
        CONFIG + "\n---" + POD.replace("spec:\n      service", "spec:\n      hostPID: true\n      service"),
    )
    assert [(each.change.rule.id, each.change.message) for each in found] == [
        ("pod-weaker", "it is new, and has the host's processes")
    ]
    assert [each.change.rule.id for each in changes(CONFIG, CONFIG + "\n---" + POD)] == ["object-added"]


def test_the_pods_of_a_bundle_are_looked_at_too() -> None:
    head = (
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1.0.0}\n"
    )
    pod = (
        "{name: a, spec: {template: {spec: {hostNetwork: false, containers: [{name: c, image: q.io/a:v1}]}}}}"
    )
    old = head + f"spec: {{install: {{spec: {{deployments: [{pod}]}}}}}}\n"
    (found,) = changes(old, old.replace("hostNetwork: false", "hostNetwork: true"))
    assert (found.change.rule.id, found.change.message) == ("pod-weaker", "found the host's network")


def test_a_label_that_goes_along_with_its_selectors_is_no_danger() -> None:
    old = (
        POD.replace("labels: {app: x}}", "labels: {app: x, tier: a}}")
        + "---"
        + SERVICE.replace("app: x", "tier: a")
    )
    assert all(
        each.risk.value in ("behaviour", "cosmetic")
        for each in changes(old, old.replace("tier: a", "tier: b"))
    )


def test_a_selector_that_finds_nothing_any_more_is_told() -> None:
    old = POD + "---" + SERVICE
    (found,) = changes(old, old.replace("selector: {app: x}, ports", "selector: {app: z}, ports"))
    assert (found.change.rule.id, found.risk.value) == ("selection-lost", "breaking")
    assert found.change.message == 'was "x", now "z": it does not find Deployment/manager any more'


DEFAULTS = {
    "a pull policy": (POD, "args:", "imagePullPolicy: IfNotPresent\n        args:"),
    "how pods are replaced": (
        POD,
        "replicas: 1",
        "replicas: 1\n  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}",
    ),
    "one pod": (POD, "  replicas: 1\n", ""),
    "the port of a webhook": (HOOK, "namespace: b}", "namespace: b, port: 443}"),
    "a token": (ACCOUNT, "kind: ServiceAccount", "kind: ServiceAccount, automountServiceAccountToken: true"),
}


@pytest.mark.parametrize("what", DEFAULTS)
def test_a_default_that_is_written_out_changes_nothing(what: str) -> None:
    text, old, new = DEFAULTS[what]
    other = text.replace(old, new, 1)
    for states in ((text, other), (other, text)):
        assert [each.change.rule.id for each in changes(*states)] == ["default-written"]


def test_another_value_than_the_default_is_told() -> None:
    found = changes(POD, POD.replace("  replicas: 1\n", "  replicas: 3\n"))
    assert [each.change.rule.id for each in found] == ["field-changed"]
    found = changes(POD.replace("  replicas: 1\n", ""), POD.replace("replicas: 1", "replicas: 3"))
    assert [each.change.rule.id for each in found] == ["field-changed"]


def test_rights_in_a_cloud_are_a_danger() -> None:
    noted = ACCOUNT.replace("namespace: a", "namespace: a, annotations: {eks.amazonaws.com/role-arn: x}")
    assert [each.change.rule.id for each in changes(ACCOUNT, noted)] == ["account-changed"]
    assert [each.change.rule.id for each in changes(noted, ACCOUNT)] == ["annotation-changed"]


@pytest.mark.parametrize("kind", ["LimitRange", "ResourceQuota"])
def test_nothing_breaks_without_a_limit(kind: str) -> None:
    limit = f"{{apiVersion: v1, kind: {kind}, metadata: {{name: l, namespace: a}}}}"
    (found,) = changes(CONFIG + "\n---\n" + limit, CONFIG)
    assert (found.change.rule.id, found.risk.value) == ("upgrade-gone", "behaviour")


def test_certificates_that_are_not_looked_at_are_a_danger() -> None:
    text = "{apiVersion: x.y/v1, kind: A, metadata: {name: a}, spec: {tls: {insecureSkipVerify: false}}}"
    for new in (text.replace("false", "true"), text.replace("tls", "other").replace("false", "true")):
        assert changes(text, new)[0].change.rule.id == "transport-weaker"


def test_a_new_account_that_may_do_something_is_a_danger() -> None:
    account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: manager, namespace: a}}"
    found = changes(CONFIG, "\n---\n".join((CONFIG, account, ROLE, BINDING)))
    first: Change = found[0].change
    assert (first.rule.id, first.object) == ("upgrade-permission-gained", "ServiceAccount a/manager")
    assert first.message == "may get list core/configmaps everywhere"


@pytest.mark.parametrize(("old", "new"), [("manager", "manager"), ("manager", "b")])
def test_a_role_that_is_not_here_counts_too(old: str, new: str) -> None:
    bob = f"{{kind: User, name: bob, apiGroup: {RBAC}}}"
    alone = BINDING.replace("name: manager}\nrole", f"name: {old}}}\nrole")
    both = BINDING.replace("subjects: [", f"subjects: [{bob}, ").replace(
        "name: manager}\nrole", f"name: {new}}}\nrole"
    )
    what = "what ClusterRole/manager permits, which is not here, everywhere"
    for states, rule, message in (
        ((alone, both), "upgrade-permission-gained", f"may do {what}"),
        ((both, alone), "upgrade-permission-lost", f"may no longer do {what}"),
    ):
        told = changes(*states)
        found = next(each.change for each in told if each.change.rule.id == rule)
        assert (found.object, found.message) == ("User bob", message)
        assert not any(each.change.rule.id == "permissions-kept" for each in told)
    assert changes(both, both) == ()


def test_a_verb_that_goes_to_another_role_of_the_account_is_nobodys_loss() -> None:
    other = ROLE.replace("name: manager", "name: reader").replace("get, list", "list")
    bound = BINDING.replace("name: manager}\nrole", "name: reader}\nrole").replace(
        "ClusterRole, name: manager", "ClusterRole, name: reader"
    )
    new = "---".join((ROLE.replace("get, list", "get"), BINDING, other, bound))
    risks = {each.risk.value for each in changes(ROLE + "---" + BINDING, new)}
    assert risks <= {"behaviour", "cosmetic"}


@pytest.mark.parametrize("name", ["#12", "a\nb", "\x1b[31m", "| x | `y`", "::error::", "<b>", "[a](b)"])
def test_odd_names_are_told_and_steer_nothing(name: str) -> None:
    from kitgen.compare.report.review_markdown import as_markdown
    from kitgen.compare.report.review_text import as_text
    from kitgen.compare.report.review_view import View

    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": {name: "a"},
    }
    other: JsonObject = {**body, "data": {name: name}}
    sides = [[Manifest(body=each, sources=())] for each in (body, other)]
    found = join_changes(review_scope(ReviewScope(before=sides[0], after=sides[1], minor=29)))
    view = View(found, (), lambda _: None)
    text = as_text(view, whole=True)
    assert text.count("\n") == 3
    assert "\x1b" not in text
    assert not any(line.startswith("::") for line in text.splitlines())
    rows = [line for line in as_markdown(view, ("a", "b")).splitlines() if line.startswith("| `")]
    assert len(rows) == 1
    assert not any(mark in rows[0].split(" | ")[1] for mark in ("<", "`", " #", '"#', "]("))


def hooks(rules: str, more: str = "") -> str:
    head = HOOK.partition("webhooks:")[0]
    return f"{head}webhooks: [{{name: a.example.com, failurePolicy: Ignore{more}, rules: [{rules}]}}]"


def matched(versions: str, resources: str = "things", operations: str = "CREATE", more: str = "") -> str:
    return (
        f"{{apiGroups: [example.com], apiVersions: [{versions}], operations: [{operations}], "
        f"resources: [{resources}]{more}}}"
    )


OF_BOTH = CRD + "  - {name: v2, served: true, storage: false}\n"
MATCHING: dict[str, tuple[str, str, str, str]] = {
    # what changes: the rules before and after, what else the webhook says, the CRD; the rule that ranks it
    "another version, of a kind that is not known": (matched("v1"), matched("v2"), "", ""),
    "another version, and both are served": (matched("v1"), matched("v2"), "", OF_BOTH),
    "fewer versions": (matched("v1, v2"), matched("v2"), ", matchPolicy: Equivalent", OF_BOTH),
    "a version that is named instead of all": (matched("'*'"), matched("v1"), "", OF_BOTH),
    "of a subresource": (matched("v1", "things/status"), matched("v2", "things/status"), "", OF_BOTH),
    "one version only, of one that is no longer served": (
        matched("v0, v1"),
        matched("v1"),
        ", matchPolicy: Exact",
        CRD,
    ),
    "a rule that is split": (
        matched("v1", "things, others"),
        f"{matched('v1', 'others')}, {matched('v1')}",
        "",
        "",
    ),
    "one more rule": (matched("v1"), f"{matched('v1')}, {matched('v1', 'others')}", "", ""),
    "operations by a star": (
        matched("v1", "things", "CREATE, UPDATE"),
        matched("v1", "things", "'*'"),
        "",
        "",
    ),
    "a star that is written out": (
        matched("v1", "things", "'*'"),
        matched("v1", "things", "CREATE, UPDATE, DELETE, CONNECT"),
        "",
        "",
    ),
}
MISSING: dict[str, tuple[str, str, str, str]] = {
    "a version that is not served": (matched("v1"), matched("v2"), "", CRD),
    "a version that Kubernetes does not serve": (
        *(matched(each, "deployments").replace("example.com", "apps") for each in ("v1", "v1beta1")),
        "",
        "",
    ),
    "only this version": (matched("v1"), matched("v2"), ", matchPolicy: Exact", OF_BOTH),
    "only this version, of a kind that is not known": (
        matched("v1"),
        matched("v2"),
        ", matchPolicy: Exact",
        "",
    ),
    "one version instead of all": (matched("'*'"), matched("v1"), ", matchPolicy: Exact", OF_BOTH),
    "another resource": (matched("v1"), matched("v2", "others"), "", OF_BOTH),
    "another group": (matched("v1"), matched("v1").replace("example.com", "other.com"), "", OF_BOTH),
    "fewer operations": (matched("v1", "things", "CREATE, UPDATE"), matched("v1, v2"), "", OF_BOTH),
    "no subresources": (matched("v1", "things/*"), matched("v1", "things"), "", OF_BOTH),
    "one scope": (matched("v1"), matched("v1", more=", scope: Cluster"), "", OF_BOTH),
    "a rule that is gone": (f"{matched('v1')}, {matched('v1', 'others')}", matched("v1"), "", ""),
}


@pytest.mark.parametrize(("cases", "rule"), [(MATCHING, "webhook-changed"), (MISSING, "webhook-weaker")])
def test_a_webhook_is_weaker_where_its_rules_miss_requests(
    cases: dict[str, tuple[str, str, str, str]], rule: str
) -> None:
    for what, (old, new, more, crd) in cases.items():
        before, after = ("\n---\n".join((hooks(each, more), crd)) for each in (old, new))
        assert {each.change.rule.id for each in changes(before, after)} == {rule}, what


def test_a_webhook_that_takes_rules_literally_is_weaker() -> None:
    plain, exact = hooks(matched("v1")), hooks(matched("v1"), ", matchPolicy: Exact")
    assert [each.change.rule.id for each in changes(plain, exact)] == ["webhook-weaker"]
    assert [each.change.rule.id for each in changes(exact, plain)] == ["webhook-changed"]


NARROWED = "- {apiGroups: [''], resources: [secrets], verbs: [get, list]}\n"
BY_NAME = "- {apiGroups: [''], resources: [secrets], resourceNames: [cert], verbs: [get]}\n"
LOST = "may no longer get list core/secrets everywhere"


@pytest.mark.parametrize(
    ("others", "risk"),
    [
        (POD, "behaviour"),  # the program that has the permission comes with it
        (POD.replace("serviceAccountName: manager", "serviceAccountName: other"), "breaking"),
        ("\n" + ACCOUNT.replace("name: sa", "name: manager"), "breaking"),
    ],
)
def test_a_program_that_may_do_less_is_told_with_what_it_keeps(others: str, risk: str) -> None:
    same = "---".join((BINDING, others))
    (found,) = changes(ROLE + NARROWED + "---" + same, ROLE + BY_NAME + "---" + same)
    assert (found.change.rule.id, found.risk.value) == ("upgrade-permission-lost", risk)
    assert found.change.message == f"{LOST}; it keeps get core/secrets[cert] everywhere"


def test_people_who_may_do_less_lose_access() -> None:
    bound = BINDING.replace("kind: ServiceAccount, name: manager, namespace: a", "kind: Group, name: team")
    (found,) = changes("---".join((ROLE + NARROWED, bound, POD)), "---".join((ROLE, bound, POD)))
    assert (found.risk.value, found.change.message) == ("breaking", LOST)


def test_what_is_kept_in_one_namespace_is_told() -> None:
    meta = "metadata: {name: own, namespace: a}"
    role, bound = (
        each.replace("ClusterRole", "Role").replace("metadata: {name: manager}", meta)
        for each in (ROLE + NARROWED, BINDING.replace("Role, name: manager", "Role, name: own"))
    )
    old = "---".join((ROLE + NARROWED, BINDING, role, bound, POD))
    found = changes(old, old.replace(NARROWED, "", 1))
    assert found[0].change.message == f"{LOST}; it keeps get list core/secrets in a"
