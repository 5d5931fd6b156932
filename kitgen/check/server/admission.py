"""Webhooks of admission, and policies with their bindings."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from kitgen.check.server import admission_policies, formats
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_LIMIT, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm, is_qualified
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT", "*")
SCOPES = ("Cluster", "Namespaced", "*")
REVIEWS = ("v1", "v1beta1")
POLICIES = ("Fail", "Ignore")
MATCHES = ("Exact", "Equivalent")
ACTIONS = ("Deny", "Warn", "Audit")
MOST_CONDITIONS = 64


def _webhooks(body: JsonObject) -> Iterator[Problem]:
    yield from formats.unique(body, "webhooks", lambda hook: hook.get("name"), "name", below=("name",))


def _webhook(hook: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(hook, "name", "admissionReviewVersions")
    name = formats.text(hook, "name")
    if name and (not NameForm.SUBDOMAIN.fits(name) or name.count(".") < 2):
        expected = f"{NameForm.SUBDOMAIN}, of at least three parts"
        yield SERVER_INVALID(f"found the name {cut(name)}, expected {expected}", ("name",))
    yield from formats.worded(hook, "failurePolicy", POLICIES, strict=True)
    yield from formats.worded(hook, "matchPolicy", MATCHES, strict=True)
    yield from formats.worded(hook, "sideEffects", ("None", "NoneOnDryRun"), strict=True)
    yield from formats.worded(hook, "reinvocationPolicy", ("Never", "IfNeeded"), strict=True)
    yield from formats.within(hook, "timeoutSeconds", 1, 30)
    yield from review_versions(hook, "admissionReviewVersions")
    yield from _conditions(hook)


def review_versions(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is wrong with the versions of reviews that a webhook understands."""
    found = formats.items(value.get(field))
    for index, each in enumerate(found):
        if isinstance(each, str) and not NameForm.WORD.fits(each):
            yield SERVER_INVALID(f"found {shown(each)}, expected a version such as v1", (field, index))
    if found and not any(each in REVIEWS for each in found):
        yield SERVER_INVALID(f"found no version that is known, expected {choice(REVIEWS)}", (field, 0))
    yield from formats.unlike(value, field)


def _conditions(value: JsonObject) -> Iterator[Problem]:
    conditions = formats.items(value.get("matchConditions"))
    if len(conditions) > MOST_CONDITIONS:
        yield SERVER_LIMIT(f"found more than {MOST_CONDITIONS} conditions", ("matchConditions",))
    yield from formats.unique(
        value, "matchConditions", lambda each: each.get("name"), "name", below=("name",)
    )


def _condition(condition: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(condition, "name", "expression")
    if formats.text(condition, "name"):
        yield from formats.qualified(condition, "name")


def client_config(config: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the way to a webhook."""
    yield from formats.exactly_one(config, ("service", "url"), "way to the webhook")
    url = config.get("url")
    if isinstance(url, str) and config.get("service") is None and not _is_plain_url(url):
        expected = "https:// with a host, and neither user, fragment nor query"
        yield SERVER_INVALID(f"found {cut(url)}, expected {expected}", ("url",))


def _is_plain_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return (
        bool(host) and parts.scheme == "https" and not (parts.query or parts.fragment or "@" in parts.netloc)
    )


def service_reference(service: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a service behind a webhook."""
    yield from formats.needed(service, "name", "namespace")
    yield from formats.within(service, "port", *formats.PORTS)
    path = formats.text(service, "path")
    if path in ("", "/"):
        return
    if not path.startswith("/"):
        yield SERVER_INVALID(f"found {cut(path)}, expected a path from / on", ("path",))
        return
    if not all(NameForm.SUBDOMAIN.fits(step) for step in path[1:].removesuffix("/").split("/")):
        message = f"found {cut(path)}, expected lower case letters, digits, dashes and dots between its /"
        yield SERVER_INVALID(message, ("path",))


def _rule(rule: JsonObject) -> Iterator[Problem]:
    for field in ("operations", "apiGroups", "apiVersions", "resources"):
        found = formats.items(rule.get(field))
        if not found:
            yield formats.lacking(rule, field, "at least one")
        elif len(found) > 1 and "*" in found and field != "resources":
            yield SERVER_INVALID(f"found * beside others, expected it alone in {field}", (field,))
    yield from formats.listed(rule, "operations", OPERATIONS)
    yield from formats.worded(rule, "scope", SCOPES, strict=True)
    for field in ("apiVersions", "resources"):
        for index, each in enumerate(formats.items(rule.get(field))):
            if each == "":
                yield SERVER_REQUIRED("found an empty string, expected a name or *", (field, index))
    yield from _resources(formats.items(rule.get("resources")))


def _resources(found: list[Json]) -> Iterator[Problem]:
    names = [each for each in found if isinstance(each, str) and each]
    if len(names) > 1 and "*/*" in names:
        yield SERVER_INVALID("found */* beside others, expected it alone", ("resources",))
    whole = [each for each in names if "/" not in each]
    if "*" in whole and whole[-1] != "*":
        message = "found * beside resources without a /, which it covers, expected it alone"
        yield SERVER_INVALID(message, ("resources",))
    covered: set[str] = set()
    for index, each in enumerate(found):
        name, slash, part = str(each).partition("/")
        if slash and (f"{name}/*" in covered or f"*/{part}" in covered):
            yield SERVER_INVALID(f"found {shown(each)}, which an item before covers", ("resources", index))
        if slash and "*" in (name, part):
            covered.add(f"{name}/{part}")


def _policy(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(spec, "failurePolicy", POLICIES, strict=True)
    if spec.get("matchConstraints") is None:
        yield formats.lacking(spec, "matchConstraints", "what the policy is about")
    elif isinstance(spec["matchConstraints"], dict) and not spec["matchConstraints"].get("resourceRules"):
        yield SERVER_REQUIRED("found no resourceRules, expected at least one", ("matchConstraints",))
    yield from _conditions(spec)
    yield from formats.unique(spec, "variables", lambda each: each.get("name"), "name", below=("name",))
    yield from formats.unique(spec, "auditAnnotations", lambda each: each.get("key"), "key", below=("key",))
    kind = spec.get("paramKind")
    if isinstance(kind, dict):
        for field in ("apiVersion", "kind"):
            if not formats.text(kind, field):
                yield formats.lacking(kind, field, "that of the parameters").below("paramKind")


def _validating(spec: JsonObject) -> Iterator[Problem]:
    yield from _policy(spec)
    yield from admission_policies.audits(spec)
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        yield SERVER_REQUIRED("found neither validations nor auditAnnotations, expected one of them")


def _mutating(spec: JsonObject) -> Iterator[Problem]:
    yield from _policy(spec)
    yield from admission_policies.mutating(spec)


def _match_resources(found: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(found, "matchPolicy", MATCHES, strict=True)


def _validation(validation: JsonObject) -> Iterator[Problem]:
    yield from admission_policies.validation(validation)
    yield from formats.needed(validation, "expression")
    if isinstance(validation.get("expression"), str) and not validation["expression"].strip():
        yield formats.lacking(validation, "expression", "one")
    yield from formats.worded(validation, "reason", REASONS, strict=True)
    message = validation.get("message")
    if isinstance(message, str) and message and not message.strip():
        yield SERVER_INVALID("found only blanks, expected a message", ("message",))
    elif isinstance(message, str) and "\n" in message.strip():
        yield SERVER_INVALID("found several lines, expected one", ("message",))


def _annotation(annotation: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(annotation, "key", "valueExpression")
    if (key := formats.text(annotation, "key")) and not is_qualified(key):
        yield from formats.qualified(annotation, "key")


def _validating_binding(spec: JsonObject) -> Iterator[Problem]:
    yield from _binding(spec)
    actions = formats.items(spec.get("validationActions"))
    if not actions:
        yield formats.lacking(spec, "validationActions", choice(ACTIONS))
    yield from formats.listed(spec, "validationActions", ACTIONS)
    yield from formats.unlike(spec, "validationActions")
    if "Deny" in actions and "Warn" in actions:
        message = "found Deny and Warn, which say the same thing twice, expected one of them"
        yield SERVER_INVALID(message, ("validationActions",))


def _binding(spec: JsonObject) -> Iterator[Problem]:
    if not formats.text(spec, "policyName"):
        yield formats.lacking(spec, "policyName", "the policy to bind")
    yield from formats.named(spec, "policyName", NameForm.SUBDOMAIN)
    ref = spec.get("paramRef")
    if not isinstance(ref, dict):
        return
    name, selector = formats.text(ref, "name"), ref.get("selector")
    if name and selector is not None:
        yield SERVER_FORBIDDEN("found name and selector, expected one of them", ("paramRef", "selector"))
    elif not name and selector is None:
        yield SERVER_REQUIRED("found neither name nor selector, expected one of them", ("paramRef",))
    if not formats.text(ref, "parameterNotFoundAction"):
        yield formats.lacking(ref, "parameterNotFoundAction", "Allow or Deny").below("paramRef")
    yield from formats.worded(ref, "parameterNotFoundAction", ("Allow", "Deny"), path=("paramRef",))


REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
VERSIONS = ("v1", "v1beta1", "v1alpha1")
VALIDATORS: Validators = {
    "admissionregistration/v1.MutatingWebhook": _webhook,
    "admissionregistration/v1.MutatingWebhookConfiguration": _webhooks,
    "admissionregistration/v1.RuleWithOperations": _rule,
    "admissionregistration/v1.ServiceReference": service_reference,
    "admissionregistration/v1.ValidatingWebhook": _webhook,
    "admissionregistration/v1.ValidatingWebhookConfiguration": _webhooks,
    "admissionregistration/v1.WebhookClientConfig": client_config,
    **{
        f"admissionregistration/{version}.{name}": validator
        for version in VERSIONS
        for name, validator in (
            ("AuditAnnotation", _annotation),
            ("MatchCondition", _condition),
            ("MatchResources", _match_resources),
            ("MutatingAdmissionPolicyBindingSpec", _binding),
            ("MutatingAdmissionPolicySpec", _mutating),
            ("NamedRuleWithOperations", _rule),
            ("ValidatingAdmissionPolicyBindingSpec", _validating_binding),
            ("ValidatingAdmissionPolicySpec", _validating),
            ("Validation", _validation),
        )
    },
}
