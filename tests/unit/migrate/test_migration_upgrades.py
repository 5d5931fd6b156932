"""What a step to another release does to kinds that move is told; what the move brings and takes is not."""

from __future__ import annotations

from old_kinds import KINDS, NEW, OLD, ORIGIN, manifests, moving
from some import rows

from kitgen.migrate.rules.schema_changes import Upgrade, check_upgrade
from kitgen.migrate.rules.schemas import check_conversions

BOUND = """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: all}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager}
subjects: [{kind: ServiceAccount, name: manager, namespace: system}]
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: manager, namespace: system}}
"""


def role(name: str, *rules: str) -> str:
    listed = ", ".join(f"{{apiGroups: [{each}}}" for each in rules)
    start = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n"
    return f"{start}metadata: {{name: {name}}}\nrules: [{listed}]\n"


def hook(group: str, resource: str) -> str:
    return (
        "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n"
        f"metadata: {{name: hooks}}\nwebhooks: [{{name: a.b.c, rules: [{{apiGroups: [{group}], "
        f"apiVersions: [v2], operations: [CREATE], resources: [{resource}]}}]}}]\n"
    )


def told(before: str, now: str) -> list[tuple[str, str]]:
    held = Upgrade(moved=KINDS, before=manifests(before), now=manifests(now))
    return [(problem.rule.id, problem.message) for _, problem in check_upgrade(held)]


ALL = "verbs: [get, list, update]"
MANAGER = role("manager", f"OLD], resources: [widgets], {ALL}") + BOUND


@rows(
    ("before", "now"),
    [
        (MANAGER, role("manager", f"NEW], resources: [widgets], {ALL}") + BOUND),
        (MANAGER, role("manager", f"NEW, OLD], resources: [widgets], {ALL}") + BOUND),
        (
            role("manager", f"OLD], resources: [gadgets, doodads], {ALL}") + BOUND,
            role("manager", "OLD], resources: [gadgets], verbs: [get]") + BOUND,
        ),
        (
            role("a", f"other.org], resources: [things], {ALL}"),
            role("b", "''], resources: [pods], verbs: [get]"),
        ),
        (role("a", f"OLD], resources: [doodads], {ALL}"), role("b", "''], resources: [pods], verbs: [get]")),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", hook("other.org", "things")),
    ],
)
def test_what_is_meant_or_of_other_kinds_is_not_told(before: str, now: str) -> None:
    assert told(before, now) == []


@rows(
    ("before", "now", "rule", "message"),
    [
        (
            MANAGER,
            role("manager", "NEW], resources: [widgets], verbs: [get, list]") + BOUND,
            "upgrade-permission-lost",
            f"{OLD}/widgets (update)",
        ),
        (
            MANAGER,
            role("manager", "''], resources: [pods], verbs: [get]") + BOUND,
            "upgrade-permission-lost",
            f"{OLD}/widgets (get list update)",
        ),
        (
            MANAGER,
            role("manager", "NEW], resources: [widgets], verbs: [get, list, update, delete]") + BOUND,
            "upgrade-permission-gained",
            f"{NEW}/widgets (delete)",
        ),
        (
            role("viewers", "OLD], resources: [gadgets], verbs: [get]"),
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
            "upgrade-gone",
            "ClusterRole/viewers was there before and is gone",
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: widgets.v1.OLD}}",
            "{apiVersion: v1, kind: Service, metadata: {name: a}}",
            "upgrade-gone",
            "ConfigMap/a was there before and is gone",
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
            hook("OLD", "gadgets"),
            "upgrade-webhook",
            f"found requests for {OLD}/gadgets (CREATE)",
        ),
    ],
)
def test_what_people_notice_of_moved_kinds_is_told(before: str, now: str, rule: str, message: str) -> None:
    ((found, said),) = told(before, now)
    assert (found, message in said) == (rule, True), said


def test_an_old_crd_that_a_server_converts_is_told() -> None:
    assert [*check_conversions(KINDS.moving_kinds)] == []
    one = moving(f"{OLD}/v1/Widget", f"{NEW}/v1/Widget")
    one.old.crd.body["spec"]["conversion"] = {"strategy": "None"}
    assert [*check_conversions([one])] == []
    one.old.crd.body["spec"]["conversion"] = {"strategy": "Webhook"}
    (found,) = check_conversions([one])
    assert (found.rule.id, found.origin) == ("migration-conversion", ORIGIN.at("from"))
    assert "such as v1" in found.hint
