"""HorizontalPodAutoscalers, PodDisruptionBudgets, PriorityClasses, Leases, APIServices, FlowSchemas."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import (
    NAME,
    PORTS,
    UP_TO_ALL,
    at_most_one,
    discriminated_union,
    filled,
    find_given_fields,
    minimum,
    number_fits,
    one_of,
    path_of,
    positive_quantity,
    present,
    present_unless,
    refused,
    report_missing,
    star_alone,
    text_matches,
    valid_name,
    within,
)
from kitgen.check.server.rule_tables import Fields, Rules, prefix_paths, validator
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Problem, make_problem
from kitgen.kube.names import NameForm
from kitgen.text.values import map_at, number_at, text_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

METRIC_SOURCES = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
SUBJECTS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
HIGHEST_PRIORITY = 1_000_000_000
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def _check_replicas(spec: JsonObject) -> Iterator[Problem]:
    low, high = number_at(spec, "minReplicas"), number_at(spec, "maxReplicas")
    if low is not None and high is not None and 1 <= high < low:
        yield SERVER_INVALID(f"found {high}, expected {low} or more, which minReplicas is", ("maxReplicas",))


@validator
def _check_target(source: JsonObject, *fields: str, alone: bool = False) -> Iterator[Problem]:
    """Refuse a source of metrics whose target has none of some fields, or not one alone."""
    target = map_at(source, "target")
    if "target" in source and not find_given_fields(target, fields):
        yield SERVER_REQUIRED(f"found no {' and no '.join(fields)}, expected one", ("target",))
    if alone:
        yield from prefix_paths(at_most_one(*fields)(target), "target")


def _check_policies(rules: JsonObject, field: str) -> Iterator[Problem]:
    if rules.get(field) == []:
        yield report_missing(rules, field, "at least one, or no field")


def _check_priority(body: JsonObject) -> Iterator[Problem]:
    name, value = value_at(body, "metadata", "name"), number_at(body, "value")
    if isinstance(name, str) and name.startswith("system-"):
        if (wanted := SYSTEM_PRIORITIES.get(name)) is None:
            known = join_words(list(SYSTEM_PRIORITIES), last="and")
            yield make_problem(
                "server-forbidden",
                f"found the prefix system-, expected it only of {known}",
                ("metadata", "name"),
            )
        elif (value or 0) != wanted:
            yield SERVER_INVALID(f"found {value or 0}, expected {wanted}", path_of(body, "value"))
    elif value is not None and HIGHEST_PRIORITY < value < 2**31:
        yield make_problem(
            "server-forbidden", f"found {value}, expected at most {HIGHEST_PRIORITY}", ("value",)
        )


def _check_hand_size(queuing: JsonObject) -> Iterator[Problem]:
    hand, queues = number_at(queuing, "handSize"), number_at(queuing, "queues")
    if hand and queues and hand > queues:
        yield SERVER_INVALID(f"found {hand}, expected at most {queues}, the number of queues", ("handSize",))


def _check_api_service_name(body: JsonObject) -> Iterator[Problem]:
    spec, name = map_at(body, "spec"), value_at(body, "metadata", "name")
    wanted = f"{text_at(spec, 'version')}.{text_at(spec, 'group')}"
    if isinstance(name, str) and name and name != wanted and spec:
        yield SERVER_INVALID(
            f"found the name {quote_text(name)}, expected {quote_text(wanted)}, the version and the group",
            ("metadata", "name"),
        )


def _skips_tls_verify(spec: JsonObject) -> bool:
    return spec.get("insecureSkipTLSVerify") is True


TRUST = (
    refused(
        SERVER_FORBIDDEN,
        "found insecureSkipTLSVerify without a service, expected none",
        "insecureSkipTLSVerify",
        when=lambda spec: spec.get("service") is None and _skips_tls_verify(spec),
    ),
    refused(
        SERVER_FORBIDDEN,
        "found caBundle without a service, expected none",
        "caBundle",
        when=lambda spec: spec.get("service") is None and spec.get("caBundle"),
    ),
    refused(
        SERVER_FORBIDDEN,
        "found caBundle beside insecureSkipTLSVerify, expected one of them",
        "insecureSkipTLSVerify",
        when=lambda spec: (
            spec.get("service") is not None and _skips_tls_verify(spec) and spec.get("caBundle")
        ),
    ),
)
SEGMENT = (filled(), valid_name(NameForm.SEGMENT))
REFERENCE: Fields = {"kind": SEGMENT, "name": SEGMENT}
AUTOSCALER: Fields = {"minReplicas": minimum(1), "maxReplicas": minimum(1)}
RESOURCE_TARGET = _check_target("averageUtilization", "averageValue", alone=True)
PART_EXPECTED = "a number from 0 on or a percentage up to 100%"
PART = (
    number_fits((0).__le__, PART_EXPECTED),
    text_matches(UP_TO_ALL, PART_EXPECTED, empty=True),
)
NAMED: Fields = {"name": filled()}
EXEMPT: Fields = {"nominalConcurrencyShares": minimum(0), "lendablePercent": within(0, 100)}
LISTED = (filled("at least one"), star_alone)
RULES: Rules = {
    "apiregistration/v1.APIService": _check_api_service_name,
    "apiregistration/v1.APIServiceSpec": (
        {
            "group": NAME,
            "version": (present("one such as v1", text_at), valid_name(NameForm.WORD)),
            "groupPriorityMinimum": within(1, 20_000),
            "versionPriority": within(1, 1000),
        },
        *TRUST,
    ),
    "apiregistration/v1.ServiceReference": {
        "name": present("that of the service", text_at),
        "namespace": present("that of the service", text_at),
        "port": within(*PORTS),
    },
    "autoscaling/v1.CrossVersionObjectReference": REFERENCE,
    "autoscaling/v1.HorizontalPodAutoscalerSpec": (
        {**AUTOSCALER, "targetCPUUtilizationPercentage": minimum(1)},
        _check_replicas,
    ),
    "autoscaling/v2.ContainerResourceMetricSource": (
        {"name": filled(), "container": filled()},
        RESOURCE_TARGET,
    ),
    "autoscaling/v2.CrossVersionObjectReference": REFERENCE,
    "autoscaling/v2.ExternalMetricSource": _check_target("value", "averageValue", alone=True),
    "autoscaling/v2.HPAScalingPolicy": {
        "type": one_of("Pods", "Percent", hint=False),
        "value": minimum(1),
        "periodSeconds": within(1, 1800),
    },
    "autoscaling/v2.HPAScalingRules": {
        "stabilizationWindowSeconds": within(0, 3600),
        "selectPolicy": one_of("Max", "Min", "Disabled", hint=False),
        "policies": _check_policies,
    },
    "autoscaling/v2.HorizontalPodAutoscalerSpec": (AUTOSCALER, _check_replicas),
    "autoscaling/v2.MetricIdentifier": {"name": SEGMENT},
    "autoscaling/v2.MetricSpec": (
        {"type": one_of(*METRIC_SOURCES, hint=False)},
        discriminated_union("type", METRIC_SOURCES, "only {}, as the type says"),
    ),
    "autoscaling/v2.MetricTarget": {
        "type": one_of("Utilization", "Value", "AverageValue", hint=False),
        "averageUtilization": minimum(1),
        "value": positive_quantity,
        "averageValue": positive_quantity,
    },
    "autoscaling/v2.ObjectMetricSource": _check_target("value", "averageValue"),
    "autoscaling/v2.PodsMetricSource": _check_target("averageValue"),
    "autoscaling/v2.ResourceMetricSource": (NAMED, RESOURCE_TARGET),
    "coordination/v1.LeaseSpec": (
        {"leaseDurationSeconds": minimum(1), "leaseTransitions": minimum(0)},
        refused(
            SERVER_FORBIDDEN,
            "found preferredHolder without strategy",
            "preferredHolder",
            when=lambda spec: spec.get("preferredHolder") and not spec.get("strategy"),
        ),
    ),
    "flowcontrol/v1.ExemptPriorityLevelConfiguration": EXEMPT,
    "flowcontrol/v1.FlowDistinguisherMethod": {"type": one_of("ByNamespace", "ByUser", hint=False)},
    "flowcontrol/v1.FlowSchemaSpec": {"matchingPrecedence": within(0, 10_000)},
    "flowcontrol/v1.GroupSubject": NAMED,
    "flowcontrol/v1.LimitResponse": (
        {"type": one_of("Queue", "Reject", hint=False)},
        discriminated_union("type", {"Queue": "queuing", "Reject": ""}),
    ),
    "flowcontrol/v1.LimitedPriorityLevelConfiguration": {**EXEMPT, "borrowingLimitPercent": minimum(0)},
    "flowcontrol/v1.NonResourcePolicyRule": {"verbs": LISTED, "nonResourceURLs": LISTED},
    "flowcontrol/v1.PolicyRulesWithSubjects": {
        "subjects": filled("at least one"),
        "resourceRules": present_unless("nonResourceRules", "some, or nonResourceRules"),
    },
    "flowcontrol/v1.PriorityLevelConfigurationReference": {"name": (filled(), NAME)},
    "flowcontrol/v1.PriorityLevelConfigurationSpec": (
        {"type": one_of("Exempt", "Limited", hint=False)},
        discriminated_union("type", {"Limited": "limited", "Exempt": "exempt"}, optional="exempt"),
    ),
    "flowcontrol/v1.QueuingConfiguration": (
        {"queues": within(1, 10_000_000), "handSize": minimum(1), "queueLengthLimit": minimum(1)},
        _check_hand_size,
    ),
    "flowcontrol/v1.ResourcePolicyRule": {
        "verbs": LISTED,
        "apiGroups": LISTED,
        "resources": LISTED,
        "namespaces": (present_unless("clusterScope", "some, or clusterScope: true"), star_alone),
    },
    "flowcontrol/v1.ServiceAccountSubject": {**NAMED, "namespace": filled()},
    "flowcontrol/v1.Subject": (
        {"kind": one_of(*SUBJECTS, hint=False)},
        discriminated_union("kind", SUBJECTS, "only {}, as the kind says"),
    ),
    "flowcontrol/v1.UserSubject": NAMED,
    "policy/v1.PodDisruptionBudgetSpec": (
        {
            "minAvailable": PART,
            "maxUnavailable": PART,
            "unhealthyPodEvictionPolicy": one_of("IfHealthyBudget", "AlwaysAllow", hint=False),
        },
        at_most_one("minAvailable", "maxUnavailable"),
    ),
    "scheduling/v1.PriorityClass": (
        {"preemptionPolicy": one_of("PreemptLowerPriority", "Never", hint=False)},
        _check_priority,
    ),
}
