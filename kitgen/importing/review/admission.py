"""Review admission: webhooks and admission policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from kitgen.compare.objects.permissions import grants
from kitgen.importing.review.sides import Line, Rights, Told, TreeSide, in_lines, maps, surplus
from kitgen.kube.identity import ObjectId
from kitgen.render.kustomize.field_paths import places
from kitgen.text.yaml import JsonObject

GROUP = "admissionregistration.k8s.io"
WEBHOOKS, POLICY, BINDING = "WebhookConfiguration", "AdmissionPolicy", "AdmissionPolicyBinding"
SELECTORS = ("namespaceSelector", "objectSelector", "matchConditions")
CHANGED = "webhooks and admission policies that changed"
SELECTED = "only where its selectors fit"


class Judge(Struct, frozen=True, kw_only=True):
    """A webhook or a policy."""

    name: str
    manner: tuple[str, ...]
    """Whether it stands in the way if it fails, and what it does with what it does not like."""
    acts: Rights
    """Resource → operations."""


Judges: TypeAlias = dict[tuple[str, str, str], Judge]


def judges_of(side: TreeSide) -> Judges:
    """Return all webhooks and policies of a tree, in order."""
    named = [(found, body) for body in side.bodies if (found := ObjectId.of(body)).group == GROUP]
    bindings = [
        (each.kind.removesuffix("Binding"), spec)
        for each, body in named
        if each.kind.endswith(BINDING)
        for spec in maps(body, "spec")
    ]
    made: Judges = {}
    for each, body in named:
        kind = each.kind.removesuffix(WEBHOOKS).removesuffix(POLICY).lower()
        if each.kind.endswith(WEBHOOKS):
            for webhook in maps(body, "webhooks[]"):
                name = str(webhook.get("name"))
                judge = _judge(f"{kind} webhook {name}", webhook, webhook, ())
                made[kind, side.short(each.name), name] = judge
        elif each.kind.endswith(POLICY):
            bound = [spec for of, spec in bindings if (of, spec.get("policyName")) == (each.kind, each.name)]
            for spec in maps(body, "spec"):
                judge = _policy(f"{kind} policy {side.short(each.name)}", spec, bound)
                made[kind, side.short(each.name), ""] = judge
    return dict(sorted(made.items()))


def _policy(name: str, spec: JsonObject, bound: list[JsonObject]) -> Judge:
    actions = {str(each) for binding in bound for _, each in places(binding, "validationActions[]")}
    matched = (maps(spec, "matchConstraints") or [{}])[0]
    more = sorted(actions) if bound else ["not bound here"]
    return _judge(name, spec, {**matched, "rules": matched.get("resourceRules")}, more)


def _judge(name: str, body: JsonObject, matched: JsonObject, more: Iterable[str]) -> Judge:
    fails = "fails open" if body.get("failurePolicy") == "Ignore" else "fails closed"
    selected = [SELECTED] if any(body.get(key) or matched.get(key) for key in SELECTORS) else []
    rules = [{**rule, "verbs": rule.get("operations")} for rule in maps(matched, "rules[]")]
    return Judge(name=name, manner=(fails, *more, *selected), acts=grants(rules))


def differences(old: TreeSide, new: TreeSide) -> Told:
    """Report webhooks and policies that are added, removed or changed, with what they act on."""
    before, now = judges_of(old), judges_of(new)
    return {
        "new webhooks and admission policies": _only(now, before),
        CHANGED: [line for key in now if key in before for line in _changed(before[key], now[key])],
        "webhooks and admission policies that went away": _only(before, now),
    }


def _only(judges: Judges, others: Judges) -> list[Line]:
    return [
        (", ".join((judge.name, *judge.manner)), line)
        for key, judge in judges.items()
        if key not in others
        for line in in_lines(judge.acts) or ["acts on nothing"]
    ]


def _changed(before: Judge, now: Judge) -> Iterator[Line]:
    """Yield what is different, and whose it is: the same is often so for many."""
    yield from ((f"now {each}", now.name) for each in _beyond(now, before))
    yield from ((f"no longer {each}", now.name) for each in _beyond(before, now))


def _beyond(judge: Judge, other: Judge) -> list[str]:
    manner = [each for each in judge.manner if each not in other.manner]
    return [*manner, *in_lines(surplus(judge.acts, other.acts))]
