"""How an API server shares its time among those who ask."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.yaml import JsonObject

SUBJECTS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
MOST_QUEUES = 10_000_000


def _schema(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.within(spec, "matchingPrecedence", 0, 10_000)


def _distinguisher(found: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(found, "type", ("ByNamespace", "ByUser"), strict=True)


def _level_name(found: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(found, "name")
    yield from formats.named(found, "name", NameForm.SUBDOMAIN)


def _rules(rules: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(rules, "subjects", expected="at least one")
    if not rules.get("resourceRules") and not rules.get("nonResourceRules"):
        yield formats.lacking(rules, "resourceRules", "some, or nonResourceRules")


def _subject(subject: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(subject, "kind", tuple(SUBJECTS), strict=True)
    wanted = SUBJECTS.get(formats.text(subject, "kind"))
    for field in SUBJECTS.values() if wanted else ():
        if field == wanted and subject.get(field) is None:
            yield formats.lacking(subject, field, f"it, for the kind is {subject['kind']}")
        if field != wanted and subject.get(field) is not None:
            yield SERVER_FORBIDDEN(f"found {field}, expected only {wanted}, as the kind says", (field,))


def _named(found: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(found, "name", "namespace")


def _resource_rule(rule: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(rule, "verbs", "apiGroups", "resources", expected="at least one")
    if not rule.get("clusterScope") and not rule.get("namespaces"):
        yield formats.lacking(rule, "namespaces", "some, or clusterScope: true")
    for field in ("verbs", "apiGroups", "resources", "namespaces"):
        yield from _star(rule, field)


def _other_rule(rule: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(rule, "verbs", "nonResourceURLs", expected="at least one")
    for field in ("verbs", "nonResourceURLs"):
        yield from _star(rule, field)


def _star(rule: JsonObject, field: str) -> Iterator[Problem]:
    found = formats.items(rule.get(field))
    if "*" in found and len(found) > 1:
        yield SERVER_INVALID(f"found * beside others, expected it alone in {field}", (field,))


def _level(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(spec, "type", ("Exempt", "Limited"), strict=True)
    kind = spec.get("type")
    if kind == "Limited" and spec.get("limited") is None:
        yield formats.lacking(spec, "limited", "it, for the type is Limited")
    for field, wanted in (("limited", "Limited"), ("exempt", "Exempt")):
        if spec.get(field) is not None and kind in ("Exempt", "Limited") and kind != wanted:
            yield SERVER_FORBIDDEN(f"found {field}, expected none, for the type is {kind}", (field,))


def _limited(limited: JsonObject) -> Iterator[Problem]:
    yield from formats.within(limited, "nominalConcurrencyShares", 0)
    yield from formats.within(limited, "lendablePercent", 0, 100)
    yield from formats.within(limited, "borrowingLimitPercent", 0)


def _response(response: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(response, "type", ("Queue", "Reject"), strict=True)
    if response.get("type") == "Reject" and response.get("queuing") is not None:
        yield SERVER_FORBIDDEN("found queuing, expected none, for the type is Reject", ("queuing",))
    if response.get("type") == "Queue" and response.get("queuing") is None:
        yield formats.lacking(response, "queuing", "it, for the type is Queue")


def _queues(found: JsonObject) -> Iterator[Problem]:
    yield from formats.within(found, "queues", 1, MOST_QUEUES)
    yield from formats.within(found, "handSize", 1)
    yield from formats.within(found, "queueLengthLimit", 1)
    hand, queues = formats.number(found.get("handSize")), formats.number(found.get("queues"))
    if hand and queues and hand > queues:
        yield SERVER_INVALID(f"found {hand}, expected at most {queues}, the number of queues", ("handSize",))


VALIDATORS: Validators = {
    "flowcontrol/v1.ExemptPriorityLevelConfiguration": _limited,
    "flowcontrol/v1.FlowDistinguisherMethod": _distinguisher,
    "flowcontrol/v1.FlowSchemaSpec": _schema,
    "flowcontrol/v1.GroupSubject": _named,
    "flowcontrol/v1.LimitResponse": _response,
    "flowcontrol/v1.LimitedPriorityLevelConfiguration": _limited,
    "flowcontrol/v1.NonResourcePolicyRule": _other_rule,
    "flowcontrol/v1.PolicyRulesWithSubjects": _rules,
    "flowcontrol/v1.PriorityLevelConfigurationReference": _level_name,
    "flowcontrol/v1.PriorityLevelConfigurationSpec": _level,
    "flowcontrol/v1.QueuingConfiguration": _queues,
    "flowcontrol/v1.ResourcePolicyRule": _resource_rule,
    "flowcontrol/v1.ServiceAccountSubject": _named,
    "flowcontrol/v1.Subject": _subject,
    "flowcontrol/v1.UserSubject": _named,
}
