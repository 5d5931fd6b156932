"""Webhooks that come to stand in the way: requests fail where they are not reached, and did not before."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice, product
from typing import TypeAlias

from kitgen.compare.object_match import ObjectMatches
from kitgen.compare.upgrade.rules import UPGRADE_WEBHOOK
from kitgen.compare.upgrade.values import shorten_text
from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem
from kitgen.kit.model.component import find_existing_prefix
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL, format_resource
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import join_words
from kitgen.text.yaml import JsonObject

ADMISSION = "admissionregistration.k8s.io"
HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
LOOKED_AT = 5_000
"""Of how many requests of one webhook it is asked whether they were refused before."""
MOST = 4
HINT = "set failurePolicy: Ignore until it runs, or make sure that it runs before it is asked"

Request: TypeAlias = tuple[str, str, str]
"""Group, resource and operation."""


def check_failing_webhooks(matched: ObjectMatches) -> Iterator[tuple[Manifest, Problem]]:
    """Yield configurations that refuse what went through before, unless the kind is new as well."""
    fresh = {resource_of(each.body) for each in matched.added if is_crd(each.body)}
    for old, new in (
        *[(old.body, new) for old, new in matched.pairs],
        *(({}, each) for each in matched.added),
    ):
        ours = new.id.group == ADMISSION and new.id.kind in HOOKS and old != new.body
        if ours and (found := _check_configuration(old, new.body, fresh)):
            yield new, found


def _check_configuration(
    old: JsonObject, new: JsonObject, fresh: Collection[tuple[str, str]]
) -> Problem | None:
    """Return that requests depend on webhooks which did not before; `fresh` are the resources that came."""
    failing = _select_failing_hooks(old)
    before = {each for _, hook in failing for each in _list_requests(hook)}
    known = {shorten_text(hook.get("name")) for _, hook in failing}
    told: dict[str, dict[str, None]] = {}
    hooks: dict[str, Path] = {}
    for index, hook in _select_failing_hooks(new):
        if some := [
            each
            for each in _list_requests(hook)
            if each[:2] not in fresh and not is_covered_request(each, before)
        ]:
            name = shorten_text(hook.get("name"))
            hooks[name] = find_existing_prefix(
                new, ("webhooks", index, "rules" if name in known else "failurePolicy")
            )
        for group, resource, operation in some:
            told.setdefault(shorten_text(format_resource(group, resource)), {})[operation] = None
    if not hooks:
        return None
    names = join_words([*hooks], most=MOST)
    what = join_words([f"{each} ({' '.join(how)})" for each, how in told.items()], last="and", most=MOST)
    message = f"found requests for {what} that fail while {names} is not reached, which they did not before"
    return UPGRADE_WEBHOOK(message, next(iter(hooks.values())), HINT)


def _select_failing_hooks(body: JsonObject) -> list[tuple[int, JsonObject]]:
    return [
        (index, hook)
        for index, hook in entries_at(body, "webhooks")
        if hook.get("failurePolicy") in (None, "Fail")
    ]


def _list_requests(hook: JsonObject) -> list[Request]:
    """Return what a webhook is asked about; more than anybody writes is not looked at."""
    return list(
        islice(
            (
                request
                for _, rule in entries_at(hook, "rules")
                for request in product(
                    texts_at(rule, "apiGroups"), texts_at(rule, "resources"), texts_at(rule, "operations")
                )
            ),
            LOOKED_AT,
        )
    )


def is_covered_request(request: Request, before: Collection[Request]) -> bool:
    """Return whether a request is among those that rules name, by itself or by a wildcard."""
    return any(each in before for each in product(*list_rule_terms(request)))


def list_rule_terms(request: Request) -> tuple[Collection[str], Collection[str], Collection[str]]:
    """Return the words by which a rule may name the group, the resource and the operation of a request."""
    group, resource, operation = request
    plain, slash, inner = resource.partition("/")
    wide = {resource, f"{plain}/{ALL}", f"{ALL}/{ALL}", *((f"{ALL}/{inner}",) if slash else (ALL,))}
    return (group, ALL), wide, (operation, ALL)


def resource_of(crd: JsonObject) -> tuple[str, str]:
    """Return the group and the plural that a CRD declares."""
    return str(value_at(crd, "spec", "group")), str(value_at(crd, "spec", "names", "plural"))
