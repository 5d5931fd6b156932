"""Admission webhooks, and admission policies with their bindings."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from kitgen.cel.parse import CONSTANTS, RESERVED
from kitgen.check.server.constraints import (
    NAME,
    PORTS,
    QUALIFIED_AT_LENGTH,
    discriminated_union,
    each_of,
    exactly_one,
    filled,
    one_of,
    present,
    refused,
    report_missing,
    star_alone,
    text_fits,
    within,
)
from kitgen.check.server.list_constraints import distinct_by, distinct_texts, max_count
from kitgen.check.server.rule_tables import Fields, OfMissing, Rules, TypeRules, constraint, nested
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Problem, make_problem
from kitgen.kube.names import NameForm, is_qualified_name
from kitgen.text.patterns import compile_late
from kitgen.text.values import list_at, text_at, text_entries_at, texts_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import JsonObject

REVIEWS = ("v1", "v1beta1")
ACTIONS = ("Deny", "Warn", "Audit")
PATCHES = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
CEL_NAME = compile_late(r"[_a-zA-Z][_a-zA-Z0-9]*")
LONGEST = 5 * 1024
FAILURES = one_of("Fail", "Ignore", hint=False)
MATCHES = one_of("Exact", "Equivalent", hint=False)
REINVOCATIONS = one_of("Never", "IfNeeded", hint=False)
QUALIFIED_NAME = (filled(), text_fits(is_qualified_name, QUALIFIED_AT_LENGTH))


def check_review_versions(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report what is wrong with the versions of reviews that a webhook understands."""
    for index, each in text_entries_at(value, field):
        if not NameForm.WORD.matches(each):
            yield SERVER_INVALID(
                f"found {describe_value(each)}, expected a version such as v1", (field, index)
            )
    if (found := list_at(value, field)) and not any(each in REVIEWS for each in found):
        yield SERVER_INVALID(f"found no version that is known, expected {join_words(REVIEWS)}", (field, 0))
    yield from distinct_texts(value, field)


def check_url(config: JsonObject) -> Iterator[Problem]:
    """Report the address of a webhook that an API server does not call."""
    if (
        isinstance(url := config.get("url"), str)
        and config.get("service") is None
        and not _is_webhook_url(url)
    ):
        expected = "https:// with a host, and neither user, fragment nor query"
        yield SERVER_INVALID(f"found {quote_text(url)}, expected {expected}", ("url",))


def _is_webhook_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return (
        bool(host) and parts.scheme == "https" and not (parts.query or parts.fragment or "@" in parts.netloc)
    )


def _check_service_path(service: JsonObject, field: str) -> Iterator[Problem]:
    if (path := text_at(service, field)) and not path.startswith("/"):
        yield SERVER_INVALID(f"found {quote_text(path)}, expected a path from / on", (field,))
    elif len(path) > 1 and not all(map(NameForm.SUBDOMAIN.matches, path[1:].removesuffix("/").split("/"))):
        expected = "lower case letters, digits, dashes and dots between its /"
        yield SERVER_INVALID(f"found {quote_text(path)}, expected {expected}", (field,))


def _no_empty_texts(rule: JsonObject, field: str) -> Iterator[Problem]:
    for index, each in text_entries_at(rule, field):
        if not each:
            yield SERVER_REQUIRED("found an empty string, expected a name or *", (field, index))


def _check_resources(rule: JsonObject, field: str) -> Iterator[Problem]:
    """Report resources of a rule that others of them cover."""
    if len(names := [each for each in texts_at(rule, field) if each]) > 1 and "*/*" in names:
        yield SERVER_INVALID("found */* beside others, expected it alone", (field,))
    whole = [each for each in names if "/" not in each]
    if "*" in whole and whole[-1] != "*":
        yield SERVER_INVALID(
            "found * beside resources without a /, which it covers, expected it alone", (field,)
        )
    covered: set[str] = set()
    for index, each in text_entries_at(rule, field):
        name, slash, part = each.partition("/")
        if slash and (f"{name}/*" in covered or f"*/{part}" in covered):
            yield SERVER_INVALID(f"found {describe_value(each)}, which an item before covers", (field, index))
        if slash and "*" in (name, part):
            covered.add(each)


@OfMissing
def _check_constraints(spec: JsonObject, field: str) -> Iterator[Problem]:
    if spec.get(field) is None:
        yield report_missing(spec, field, "what the policy is about")
    elif isinstance(spec[field], dict) and not spec[field].get("resourceRules"):
        yield SERVER_REQUIRED("found no resourceRules, expected at least one", (field,))


def _check_expression(value: JsonObject, field: str) -> Iterator[Problem]:
    if isinstance(value.get(field), str) and not value[field].strip():
        yield report_missing(value, field, "one")


@constraint
def _not_blank(validation: JsonObject, field: str, expected: str) -> Iterator[Problem]:
    if (words := text_at(validation, field)) and not words.strip():
        yield SERVER_INVALID(f"found only blanks, expected {expected}", (field,))


def _check_size(annotation: JsonObject, field: str) -> Iterator[Problem]:
    if (size := len(text_at(annotation, field).strip().encode(errors="replace"))) > LONGEST:
        yield make_problem("server-limit", f"found {size:,} bytes, expected at most {LONGEST:,}", (field,))


PARAMETERS: TypeRules = (
    refused(
        SERVER_FORBIDDEN,
        "found name and selector, expected one of them",
        "selector",
        when=lambda ref: text_at(ref, "name") and ref.get("selector") is not None,
    ),
    refused(
        SERVER_REQUIRED,
        "found neither name nor selector, expected one of them",
        when=lambda ref: not text_at(ref, "name") and ref.get("selector") is None,
    ),
)
CONDITIONS = (max_count(64, "conditions"), distinct_by())
WEBHOOK: Fields = {
    "name": (
        filled(),
        text_fits(
            lambda name: NameForm.SUBDOMAIN.matches(name) and name.count(".") > 1,
            f"{NameForm.SUBDOMAIN}, of at least three parts",
            noun="the name ",
        ),
    ),
    "admissionReviewVersions": (filled(), check_review_versions),
    "failurePolicy": FAILURES,
    "matchPolicy": MATCHES,
    "sideEffects": one_of("None", "NoneOnDryRun", hint=False),
    "timeoutSeconds": within(1, 30),
    "matchConditions": CONDITIONS,
}
CLIENT_CONFIG = (exactly_one("way to the webhook", "service", "url"), check_url)
SERVICE_REFERENCE: Fields = {
    "name": filled(),
    "namespace": filled(),
    "port": within(*PORTS),
    "path": _check_service_path,
}
RULE: Fields = {
    "operations": (present(), star_alone, each_of("CREATE", "UPDATE", "DELETE", "CONNECT", "*")),
    "apiGroups": (present(), star_alone),
    "apiVersions": (present(), star_alone, _no_empty_texts),
    "resources": (present(), _no_empty_texts, _check_resources),
    "scope": one_of("Cluster", "Namespaced", "*", hint=False),
}
POLICY: Fields = {
    "failurePolicy": FAILURES,
    "matchConstraints": _check_constraints,
    "matchConditions": CONDITIONS,
    "variables": distinct_by(),
    "paramKind": nested(
        {
            "apiVersion": present("that of the parameters", text_at),
            "kind": present("that of the parameters", text_at),
        }
    ),
}
BINDING: Fields = {"policyName": (present("the policy to bind", text_at), NAME)}
POLICIES: Rules = {
    "AuditAnnotation": {"key": QUALIFIED_NAME, "valueExpression": (filled(), _check_size)},
    "MatchCondition": {"name": QUALIFIED_NAME, "expression": filled()},
    "MatchResources": {"matchPolicy": MATCHES},
    "MutatingAdmissionPolicyBindingSpec": BINDING,
    "MutatingAdmissionPolicySpec": {
        **POLICY,
        "mutations": present(),
        "reinvocationPolicy": REINVOCATIONS,
    },
    "Mutation": (
        {"patchType": (filled(), one_of(*PATCHES, empty=True, hint=False))},
        discriminated_union("patchType", PATCHES),
    ),
    "NamedRuleWithOperations": RULE,
    "ParamRef": (
        {
            "parameterNotFoundAction": (
                present("Allow or Deny", text_at),
                one_of("Allow", "Deny", empty=True, hint=False),
            )
        },
        *PARAMETERS,
    ),
    "ValidatingAdmissionPolicyBindingSpec": (
        {**BINDING, "validationActions": (present(join_words(ACTIONS)), each_of(*ACTIONS), distinct_texts)},
        refused(
            SERVER_INVALID,
            "found Deny and Warn, which say the same thing twice, expected one of them",
            "validationActions",
            when=lambda spec: {"Deny", "Warn"}.issubset(texts_at(spec, "validationActions")),
        ),
    ),
    "ValidatingAdmissionPolicySpec": (
        {**POLICY, "auditAnnotations": (distinct_by("key"), max_count(20, "annotations"))},
        refused(
            SERVER_REQUIRED,
            "found neither validations nor auditAnnotations, expected one of them",
            when=lambda spec: not spec.get("validations") and not spec.get("auditAnnotations"),
        ),
    ),
    "Validation": (
        {
            "expression": (filled(), _check_expression),
            "reason": one_of("Forbidden", "Invalid", "RequestEntityTooLarge", hint=False),
            "message": _not_blank("a message"),
            "messageExpression": _not_blank("an expression"),
        },
        refused(
            SERVER_INVALID,
            "found several lines, expected one",
            "message",
            when=lambda validation: "\n" in text_at(validation, "message").strip(),
        ),
    ),
    "Variable": {
        "name": (
            filled(),
            text_fits(
                lambda name: CEL_NAME.fullmatch(name) and name not in RESERVED and name not in CONSTANTS,
                "letters, digits and _, no digit first, and no word that CEL reserves",
            ),
        ),
        "expression": _check_expression,
    },
}
RULES: Rules = {
    "admissionregistration/v1.MutatingWebhook": {**WEBHOOK, "reinvocationPolicy": REINVOCATIONS},
    "admissionregistration/v1.MutatingWebhookConfiguration": {"webhooks": distinct_by()},
    "admissionregistration/v1.RuleWithOperations": RULE,
    "admissionregistration/v1.ServiceReference": SERVICE_REFERENCE,
    "admissionregistration/v1.ValidatingWebhook": WEBHOOK,
    "admissionregistration/v1.ValidatingWebhookConfiguration": {"webhooks": distinct_by()},
    "admissionregistration/v1.WebhookClientConfig": CLIENT_CONFIG,
    **{
        f"admissionregistration/{version}.{name}": rules
        for version in ("v1", "v1beta1", "v1alpha1")
        for name, rules in POLICIES.items()
    },
}
