"""Every place that speaks of an old kind is found, and nothing else is."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from old_kinds import ACROSS, DROPPED, KINDS, NEW, OLD, bodies, key
from some import rows

from kitgen.findings import Severity, format_pointer
from kitgen.migrate.kinds import MovedKinds
from kitgen.migrate.rules.kind_references import MentionPlace
from kitgen.migrate.rules.mentions import KindMention, find_mentions
from kitgen.text.yaml import Json, JsonObject

CASES = {
    "an object": (f"{{apiVersion: {OLD}/v1, kind: Widget}}", "/apiVersion", MentionPlace.OBJECT),
    "a list": (f"{{apiVersion: {OLD}/v1, kind: WidgetList, items: []}}", "/apiVersion", MentionPlace.OBJECT),
    "another version": (f"{{apiVersion: {OLD}/v1beta1, kind: Widget}}", "/apiVersion", MentionPlace.OBJECT),
    "an object in an object": (
        "{apiVersion: a/v1, kind: A, spec: {items: [{template: "
        "{apiVersion: OLD/v1, kind: Widget, metadata: {}}}]}}",
        "/spec/items/0/template/apiVersion",
        MentionPlace.OBJECT,
    ),
    "an owner": (
        "{apiVersion: v1, kind: Pod, metadata: {ownerReferences: "
        "[{apiVersion: OLD/v1, kind: Widget, name: a}]}}",
        "/metadata/ownerReferences/0/apiVersion",
        MentionPlace.OWNER,
    ),
    "what is scaled": (
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: "
        "{apiVersion: OLD/v1, kind: Widget, name: a}}}",
        "/spec/scaleTargetRef/apiVersion",
        MentionPlace.REFERENCE,
    ),
    "a role": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: "
        "[{apiGroups: [NEW, OLD], resources: [widgets/status], verbs: [get]}]}",
        "/rules/0/apiGroups/1",
        MentionPlace.RULE,
    ),
    "all resources of the group": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: "
        "[{apiGroups: [OLD], resources: ['*'], verbs: [get]}]}",
        "/rules/0/apiGroups/0",
        MentionPlace.RULE,
    ),
    "a webhook": (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: "
        "[{rules: [{apiGroups: [OLD], apiVersions: [v1], resources: [widgets]}]}]}",
        "/webhooks/0/rules/0/apiGroups/0",
        MentionPlace.RULE,
    ),
    "a webhook of a version": (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: "
        "[{rules: [{apiGroups: [OLD], apiVersions: [v2, v1], resources: [gadgets]}]}]}",
        "/webhooks/0/rules/0/apiVersions/1",
        MentionPlace.RULE,
    ),
    "the path of a webhook": (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: "
        "[{clientConfig: {service: {path: /validate-old-example-com-v1-widget}}}]}",
        "/webhooks/0/clientConfig/service/path",
        MentionPlace.TEXT,
    ),
    "a policy": (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: "
        "{matchConstraints: {resourceRules: [{apiGroups: [OLD], resources: [widgets]}]}}}",
        "/spec/matchConstraints/resourceRules/0/apiGroups/0",
        MentionPlace.RULE,
    ),
    "Kyverno": (
        "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, spec: {rules: [{match: {any: "
        "[{resources: {kinds: ['OLD/*/Widget']}}]}}]}}",
        "/spec/rules/0/match/any/0/resources/kinds/0",
        MentionPlace.TEXT,
    ),
    "Gatekeeper": (
        "{apiVersion: constraints.gatekeeper.sh/v1beta1, kind: A, spec: {match: {kinds: "
        "[{apiGroups: [OLD], kinds: [Widget]}]}}}",
        "/spec/match/kinds/0/apiGroups/0",
        MentionPlace.RULE,
    ),
    "the CRD": (
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, "
        "metadata: {name: widgets.OLD}, spec: {group: OLD, names: {kind: Widget}}}",
        "/spec/group",
        MentionPlace.CRD,
    ),
    "a version of the CRD": (
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, "
        "metadata: {name: gadgets.OLD}, spec: {group: OLD, names: {kind: Gadget}, "
        "versions: [{name: v2}, {name: v1}]}}",
        "/spec/versions/1/name",
        MentionPlace.CRD,
    ),
    "a kind that a bundle owns": (
        "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, spec: "
        "{customresourcedefinitions: {owned: [{name: widgets.OLD, kind: Widget, version: v1}]}}}",
        "/spec/customresourcedefinitions/owned/0/name",
        MentionPlace.LISTED,
    ),
    "a version that a bundle needs": (
        "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, spec: "
        "{customresourcedefinitions: {required: [{name: gadgets.OLD, kind: Gadget, version: v1}]}}}",
        "/spec/customresourcedefinitions/required/0/version",
        MentionPlace.LISTED,
    ),
    "permissions of a bundle": (
        "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, spec: {install: {spec: "
        "{clusterPermissions: [{rules: [{apiGroups: [OLD], resources: [widgets]}]}]}}}}",
        "/spec/install/spec/clusterPermissions/0/rules/0/apiGroups/0",
        MentionPlace.RULE,
    ),
    "an example": (
        "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {annotations: "
        '{alm-examples: \'[{"apiVersion": "OLD/v1", "kind": "Widget", "metadata": {}}]\'}}}',
        "/metadata/annotations/alm-examples",
        MentionPlace.OBJECT,
    ),
    "a health check": (
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm}, data: "
        "{resource.customizations.health.OLD_Widget: return}}",
        "/data/resource.customizations.health.OLD_Widget",
        MentionPlace.CUSTOMIZED,
    ),
    "an Application": (
        "{apiVersion: argoproj.io/v1alpha1, kind: Application, spec: {ignoreDifferences: "
        "[{group: OLD, kind: Widget, jsonPointers: [/spec]}]}}",
        "/spec/ignoreDifferences/0/group",
        MentionPlace.REFERENCE,
    ),
    "an AppProject": (
        "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, spec: {namespaceResourceWhitelist: "
        "[{group: OLD, kind: Widget}]}}",
        "/spec/namespaceResourceWhitelist/0/group",
        MentionPlace.REFERENCE,
    ),
    "an argument": (
        "{apiVersion: v1, kind: Pod, spec: {containers: [{args: [get, widgets.v1.OLD]}]}}",
        "/spec/containers/0/args/1",
        MentionPlace.TEXT,
    ),
    "a script": (
        "{apiVersion: v1, kind: Pod, spec: {containers: [{command: [sh, -c, 'oc get widgets.OLD -A']}]}}",
        "/spec/containers/0/command/2",
        MentionPlace.TEXT,
    ),
    "a probe": (
        "{apiVersion: v1, kind: Pod, spec: {containers: "
        "[{livenessProbe: {exec: {command: [widgets.OLD]}}}]}}",
        "/spec/containers/0/livenessProbe/exec/command/0",
        MentionPlace.TEXT,
    ),
    "a step of a pipeline": (
        "{apiVersion: tekton.dev/v1, kind: Task, spec: {steps: "
        '[{script: "set -e\\nkubectl get widgets.OLD"}]}}',
        "/spec/steps/0/script",
        MentionPlace.TEXT,
    ),
    "a path of the API": (
        "{apiVersion: v1, kind: Pod, spec: {containers: [{env: "
        "[{name: URL, value: 'https://host/apis/OLD/v1/namespaces/a/widgets'}]}]}}",
        "/spec/containers/0/env/0/value",
        MentionPlace.TEXT,
    ),
    "an object that a container gets": (
        "{apiVersion: v1, kind: Pod, spec: {containers: [{args: "
        "['{\"apiVersion\": \"OLD/v1\", \"kind\": \"Widget\", \"metadata\": {}}']}]}}",
        "/spec/containers/0/args/0",
        MentionPlace.OBJECT,
    ),
    "a secret": (
        "{apiVersion: v1, kind: Secret, stringData: {a: 'kubectl get widgets.OLD'}}",
        "/stringData/a",
        MentionPlace.TEXT,
    ),
    "a secret with an object": (
        "{apiVersion: v1, kind: Secret, stringData: {a: '{apiVersion: OLD/v1, kind: Widget, metadata: {}}'}}",
        "/stringData/a",
        MentionPlace.OBJECT,
    ),
    "a role that OLM makes": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {name: widgets.OLD-v1-edit}}",
        "/roleRef/name",
        MentionPlace.TEXT,
    ),
}  # fmt: skip
FINE = {
    "the new kind": "{apiVersion: NEW/v1, kind: Widget}",
    "another kind of the group": "{apiVersion: OLD/v1, kind: Other}",
    "a new version": "{apiVersion: OLD/v2, kind: Gadget}",
    "a group below": "{apiVersion: sub.OLD/v1, kind: Widget, spec: {a: sub.OLD/v1/Widget}}",
    "a role without versions": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: "
        "[{apiGroups: [OLD], resources: [gadgets], verbs: [get]}]}"
    ),
    "a role for all groups": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: "
        "[{apiGroups: ['*'], resources: [widgets], verbs: [get]}]}"
    ),
    "a webhook of the new version": (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: "
        "[{rules: [{apiGroups: [OLD], apiVersions: [v2], resources: [gadgets]}]}]}"
    ),
    "a key of a label": (
        "{apiVersion: v1, kind: Service, metadata: {labels: {OLD/widget: a}, finalizers: [OLD/Widget]}, "
        "spec: {selector: {widgets.OLD: a}, matchExpressions: [{key: widgets.OLD}]}}"
    ),
    "a secret without it": "{apiVersion: v1, kind: Secret, data: {a: T0xE}, stringData: {b: widget}}",
    "a command for the new kind": (
        "{apiVersion: v1, kind: Pod, spec: {containers: [{args: [get, widgets.NEW], "
        "env: [{name: A, value: NEW/v1}, {name: B}, {name: C, value: gadgets.v2.OLD}]}]}}"
    ),
    "a group of other kinds": (
        "{apiVersion: v1, kind: Pod, spec: {containers: [{args: [--group=OLD, --version=OLD/v1]}]}}"
    ),
    "a schema": (
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b}, spec: "
        "{versions: [{schema: {openAPIV3Schema: {description: see widgets.OLD}}}]}}"
    ),
}
CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data:
  kueue.yaml: |
    integrations:
      frameworks:
      - batch/job
      - OLD/widget
      externalFrameworks:
      - Widget.v1.OLD
      - name: Gadget.v1.OLD
  resource.exclusions: |
    - apiGroups: [OLD]
      kinds: [Widget]
  objects.yaml: |
    apiVersion: v1
    kind: ConfigMap
    ---
    apiVersion: OLD/v1
    kind: Widget
  run.sh: |
    #!/bin/sh
    if [ : ]; then kubectl wait crd/widgets.OLD; fi
    cat <<END
    apiVersion: OLD/v1
    END
  plain: "OLD/widget"
"""


def found(text: str, kinds: MovedKinds = KINDS) -> list[KindMention]:
    return [each for body in bodies(text) for each in find_mentions(body, kinds)]


@rows("name", CASES)
def test_what_speaks_of_an_old_kind_is_found(name: str) -> None:
    text, path, where = CASES[name]
    one, *more = found(text)
    assert {each.path for each in more} <= {one.path}
    assert (format_pointer(one.path), one.where) == (path.replace("OLD", OLD), where)
    problem = one.problem
    assert (problem.rule.id, problem.rule.severity) == ("migration-old", Severity.WARNING)
    assert f"expected {one.old.after}" in problem.message


@rows("name", FINE)
def test_what_is_not_meant_is_left_alone(name: str) -> None:
    assert found(FINE[name]) == []


def test_texts_are_read_as_data_or_line_by_line() -> None:
    places = [(each.path[-1], each.line, each.where, each.spelled) for each in found(CONFIG)]
    assert places == [
        ("kueue.yaml", 4, MentionPlace.FRAMEWORK, f"{OLD}/widget"),
        ("kueue.yaml", 6, MentionPlace.FRAMEWORK, f"Widget.v1.{OLD}"),
        ("kueue.yaml", 7, MentionPlace.FRAMEWORK, f"Gadget.v1.{OLD}"),
        ("resource.exclusions", 1, MentionPlace.RULE, ""),
        ("objects.yaml", 4, MentionPlace.OBJECT, ""),
        ("run.sh", 2, MentionPlace.TEXT, f"widgets.{OLD}"),
        ("run.sh", 4, MentionPlace.TEXT, f"{OLD}/v1"),
    ]


def test_texts_in_texts_are_read_but_not_forever() -> None:
    text: Json = [{"apiVersion": f"{OLD}/v1", "kind": "Widget", "metadata": {}}]
    for _ in range(3):
        text = {"inner": json.dumps(text)}
    (one,) = find_mentions({"apiVersion": "v1", "kind": "ConfigMap", "data": text}, KINDS)
    assert (one.path, one.line, one.where) == (("data", "inner"), 1, MentionPlace.OBJECT)
    for _ in range(9):
        text = {"inner": json.dumps(text)}
    assert find_mentions({"apiVersion": "v1", "kind": "ConfigMap", "data": text}, KINDS) == []


def test_a_kind_that_goes_is_told_with_the_reason() -> None:
    (one,) = found("{apiVersion: OLD/v1, kind: Doodad}")
    assert one.problem.message.endswith(
        f"found {OLD}/v1/Doodad as the kind of an object, which goes: nobody needs it"
    )


def test_keys_that_the_migration_decides_on_are_no_mention() -> None:
    decided = MovedKinds(old=KINDS.old, keys=(key(f"widgets.{OLD}"),))
    for args in ("[widgets.OLD]", "[get, pods, -l, widgets.OLD]", "['oc get pods -l widgets.OLD=a']"):
        text = f"{{apiVersion: v1, kind: Pod, spec: {{containers: [{{args: {args}}}]}}}}"
        assert len(found(text)) == 1
        assert found(text, decided) == []


def test_a_crd_that_is_called_like_a_key_is_still_found() -> None:
    decided = MovedKinds(old=KINDS.old, keys=(key(f"widgets.{OLD}"),))
    args = "['oc delete widgets.OLD -l a=b']"
    (one,) = found(f"{{apiVersion: v1, kind: Pod, spec: {{containers: [{{args: {args}}}]}}}}", decided)
    assert (one.where, one.spelled) == (MentionPlace.TEXT, f"widgets.{OLD}")


def test_texts_of_secrets_are_never_shown() -> None:
    script = f"export TOKEN=s3cret\nkubectl get widgets.{OLD} --token s3cret\n"
    config = json.dumps({"password": "s3cret", "frameworks": [f"{OLD}/widget"]})
    plain = f"s3cret@host/apis/{OLD}/v1/namespaces/s3cret/widgets"
    inner = {"kind": "Secret", "stringData": {"deep": f"s3cret widgets.v1.{OLD} s3cret"}}
    body: JsonObject = {
        "apiVersion": "v1",
        "kind": "Secret",
        "data": {"odd": "%%", "packed": "H4sIAAAA//8="},
        "stringData": {"run": script, "config": config, "plain": plain},
        "items": [inner],
    }
    some = find_mentions(body, KINDS)
    assert [(format_pointer(each.path), each.where, each.line, each.spelled) for each in some] == [
        ("/stringData/run", MentionPlace.TEXT, 2, f"widgets.{OLD}"),
        ("/stringData/config", MentionPlace.FRAMEWORK, 1, f"{OLD}/widget"),
        ("/stringData/plain", MentionPlace.TEXT, 0, f"{OLD}/v1"),
        ("/items/0/stringData/deep", MentionPlace.TEXT, 0, f"widgets.v1.{OLD}"),
    ]
    assert "s3cret" not in "".join(f"{each.problem.message} {each.problem.hint}" for each in some)


WORDS = st.sampled_from(
    [
        *("apiVersion", "kind", "group", "apiGroup", "apiGroups", "apiVersions", "resources", "name"),
        *("resource", "kinds", "labels", "finalizers", "matchExpressions", "key", "ownerReferences"),
        *("spec", "metadata"),
        *("frameworks", "data", "versions", "names", "annotations", "version", "served", "storage", "rules"),
        *(f"{OLD}/v1", f"widgets.{OLD}", OLD, NEW, "Widget", "Gadget", "v1", "widgets", f"{OLD}/widget"),
        *("apiextensions.k8s.io/v1", "CustomResourceDefinition", "a: [\n", f"{{a: {OLD}/v1/Widget}}", ""),
        *("Secret", "stringData", "command", "args", "env", "value", "script", "get", "-l"),
        *(f"oc get widgets.{OLD}\n", "d2lkZ2V0cw==", "%%", "\udc80", f"--group={OLD}"),
    ]
)  # fmt: skip
ANYTHING = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=25,
)


@given(st.dictionaries(WORDS, ANYTHING, max_size=6))
def test_bodies_of_any_shape_are_taken(body: dict[str, Json]) -> None:
    for each in find_mentions(body, KINDS):
        assert each.old in KINDS.old
        assert each.problem.message


def test_a_group_that_moves_as_a_whole_is_found_without_a_kind() -> None:
    gone = MovedKinds(old=(ACROSS, DROPPED))
    rule = "{apiGroups: [OLD], resources: [others, widgets], verbs: [get]}"
    role = f"{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: [{rule}]}}"
    service = "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, spec: {group: OLD, version: v1}}"
    pod = "{apiVersion: v1, kind: Pod, spec: {containers: [{args: [--group=OLD, --api=OLD/v1, OLD/user]}]}}"
    assert [format_pointer(each.path) for each in found(role, gone)] == ["/rules/0/apiGroups/0"]
    assert [format_pointer(each.path) for each in found(role.replace(", widgets", ""), gone)] == [
        "/rules/0/apiGroups/0"
    ]
    (told,) = found(service, gone)
    assert (format_pointer(told.path), told.where, told.spelled) == ("/spec/group", MentionPlace.TEXT, OLD)
    assert [format_pointer(each.path)[-1] for each in found(pod, gone)] == ["0", "1"]
    assert not found(service) + found(pod)  # another kind stays in the group
    assert not found(service.replace("OLD", "other.example.com"), gone)
