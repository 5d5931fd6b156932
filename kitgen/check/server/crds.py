"""CustomResourceDefinitions: names, versions, conversion, columns, scale and selectable fields."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from kitgen.check.server import admission
from kitgen.check.server.constraints import (
    discriminated_union,
    each_fits,
    filled,
    one_of,
    path_of,
    refused,
    report_missing,
    text_fits,
    valid_name,
)
from kitgen.check.server.list_constraints import distinct_by, max_count
from kitgen.check.server.rule_tables import Constraint, Fields, Rules
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.crd.columns import find_json_path_fault
from kitgen.crd.structural import KEEPS
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.names import NameForm
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import redact_value
from kitgen.text.values import entries_at, list_at, map_at, number_at, text_at, text_entries_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

APPROVED = "api-approved.kubernetes.io"
PROTECTED = compile_late(r"(.*\.)?(k8s|kubernetes)\.io")
LONGEST_WARNING = 256
SCALED = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
EVERYWHERE = ("apiVersion", "kind", "metadata")
"""Fields that every object has, whether a schema says so or not."""
BOUNDS = tuple((f"min{what}", f"max{what}") for what in ("imum", "Length", "Items", "Properties"))
OPEN = ("additionalProperties", KEEPS, "$ref")


def _check_definition(body: JsonObject) -> Iterator[Problem]:
    group, name = text_at(body, "spec", "group"), text_at(body, "metadata", "name")
    plural = text_at(body, "spec", "names", "plural")
    wanted = f"{plural}.{group}"
    if name and name != wanted and NameForm.SUBDOMAIN.matches(wanted) and "." in group:
        told = quote_text(f"{redact_value(plural)}.{redact_value(group)}")
        yield SERVER_INVALID(
            f"found the name {quote_text(name)}, expected {told}, the plural and the group",
            ("metadata", "name"),
        )
    if PROTECTED.fullmatch(group) and not _is_approval(text_at(body, "metadata", "annotations", APPROVED)):
        yield SERVER_REQUIRED(
            (
                f"found the group {quote_text(group)}, which is Kubernetes' own, without the annotation "
                f"{APPROVED}"
            ),
            ("spec", "group"),
            "use a group of your own, or name who approved it",
        )


def _is_approval(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return value.startswith("unapproved")
    return value.startswith("unapproved") or bool(parts.scheme and parts.netloc)


def _check_storage_version(spec: JsonObject) -> Iterator[Problem]:
    """Report that not one version is stored: at the second one, or at the only one that could be."""
    versions = list_at(spec, "versions")
    stored = [at for at, each in entries_at(spec, "versions") if each.get("storage") is True]
    if len(stored) == 1 or not versions:
        return
    at = stored[1] if stored else 0 if len(versions) == 1 else None
    path: Path = ("versions",) if at is None else ("versions", at)
    path += path_of(map_at(spec, *path), "storage")
    yield SERVER_INVALID(f"found {len(stored)} versions that are stored, expected one", path)


def _check_list_kind(names: JsonObject) -> Iterator[Problem]:
    if (kind := text_at(names, "kind")) and names.get("listKind") == kind:
        yield SERVER_INVALID(f"found {quote_text(kind)}, which kind is too, expected another", ("listKind",))


def _check_version(version: JsonObject) -> Iterator[Problem]:
    if not isinstance(value_at(version, "schema", "openAPIV3Schema"), dict):
        yield SERVER_REQUIRED("found no schema, expected one", path_of(version, "schema"))
    if (warning := version.get("deprecationWarning")) is not None and version.get("deprecated") is not True:
        yield make_problem(
            "server-forbidden",
            "found a warning of a version that is not deprecated, expected none",
            ("deprecationWarning",),
        )
    elif isinstance(warning, str) and not 0 < len(warning) <= LONGEST_WARNING:
        yield SERVER_INVALID(
            f"found {len(warning)} characters, expected 1 to {LONGEST_WARNING}", ("deprecationWarning",)
        )


def _path_from(*starts: str) -> Constraint:
    return text_fits(lambda path: path.startswith(starts), f"a path from {join_words(starts)} on")


def _check_webhook(conversion: JsonObject) -> Iterator[Problem]:
    webhook = conversion.get("webhook")
    if (
        conversion.get("strategy") == "Webhook"
        and isinstance(webhook, dict)
        and webhook.get("clientConfig") is None
    ):
        yield report_missing(webhook, "clientConfig", "the way to the webhook").prefix_path("webhook")


def check_paths(version: JsonObject, schema: JsonObject) -> Iterator[Problem]:
    """Report paths of a version that lead nowhere."""
    for field, rule in (("additionalPrinterColumns", SERVER_WARNING), ("selectableFields", SERVER_INVALID)):
        for index, each in entries_at(version, field):
            path = text_at(each, "jsonPath")
            if path.startswith(".") and (why := find_json_path_fault(schema, path)):
                yield rule(_describe_dead_end(path, why), (field, index, "jsonPath"))
    for field in SCALED:
        path = text_at(version, "subresources", "scale", field)
        if path.startswith((".spec.", ".status.")) and (why := find_json_path_fault(schema, path)):
            yield SERVER_WARNING(_describe_dead_end(path, why), ("subresources", "scale", field))


def _describe_dead_end(path: str, why: str) -> str:
    return f"found the path {quote_text(path)}, which leads nowhere: {why}"


def check_required_fields(node: JsonObject) -> Iterator[Problem]:
    """Report fields that a schema requires and does not have: as they are dropped, no object has them."""
    if not isinstance(fields := node.get("properties"), dict) or any(node.get(key) for key in OPEN):
        return
    for index, name in text_entries_at(node, "required"):
        if name not in fields and name not in EVERYWHERE:
            yield SERVER_WARNING(
                f"found the required field {quote_text(name)}, which the schema does not have",
                ("required", index),
                suggest_word(name, [str(each) for each in fields]),
            )


def check_bounds(node: JsonObject) -> Iterator[Problem]:
    """Report bounds of a schema that no value is within."""
    for least, most in BOUNDS:
        low, high = number_at(node, least), number_at(node, most)
        if low is not None and high is not None and low > high:
            yield SERVER_WARNING(
                f"found {least} {low} above {most}, which is {high}: no value fits", (least,)
            )


WORD = valid_name(NameForm.WORD)
WORDS = each_fits(NameForm.WORD.matches, str(NameForm.WORD))
KIND = text_fits(
    lambda name: NameForm.WORD.matches(name.lower()),
    "at most 63 letters, digits and dashes, a letter first and no dash last",
)
NAMES: Fields = {
    "plural": (filled(), WORD),
    "singular": WORD,
    "kind": (filled(), KIND),
    "listKind": KIND,
    "shortNames": WORDS,
    "categories": WORDS,
}
COLUMN: Fields = {
    "name": filled(),
    "type": one_of("integer", "number", "string", "boolean", "date", hint=False),
    "format": one_of(
        *("int32", "int64", "float", "double", "byte", "date", "date-time", "password"),
        empty=True,
        hint=False,
    ),
    "jsonPath": (filled(), _path_from(".")),
}
RULES: Rules = {
    "apiextensions/v1.CustomResourceColumnDefinition": COLUMN,
    "apiextensions/v1.CustomResourceConversion": (
        {"strategy": one_of("None", "Webhook", hint=False)},
        discriminated_union("strategy", {"Webhook": "webhook", "None": ""}),
        _check_webhook,
    ),
    "apiextensions/v1.CustomResourceDefinition": _check_definition,
    "apiextensions/v1.CustomResourceDefinitionNames": (NAMES, _check_list_kind),
    "apiextensions/v1.CustomResourceDefinitionSpec": (
        {
            "group": (
                filled(),
                text_fits(
                    lambda group: NameForm.SUBDOMAIN.matches(group) and "." in group,
                    f"{NameForm.SUBDOMAIN}, with a dot",
                ),
            ),
            "versions": (filled(), distinct_by("name", "version")),
            "scope": one_of("Cluster", "Namespaced", hint=False),
        },
        _check_storage_version,
        refused(
            SERVER_INVALID,
            "found true, expected false",
            "preserveUnknownFields",
            when=lambda spec: spec.get("preserveUnknownFields") is True,
            hint="use x-kubernetes-preserve-unknown-fields: true in the schema",
        ),
    ),
    "apiextensions/v1.CustomResourceDefinitionVersion": (
        {
            "name": (filled(), WORD),
            "selectableFields": (max_count(8, "fields"), distinct_by("jsonPath", "path", at_item=True)),
        },
        _check_version,
    ),
    "apiextensions/v1.CustomResourceSubresourceScale": {
        "specReplicasPath": (filled(), _path_from(".spec.")),
        "statusReplicasPath": (filled(), _path_from(".status.")),
        "labelSelectorPath": _path_from(".status.", ".spec."),
    },
    "apiextensions/v1.ServiceReference": admission.SERVICE_REFERENCE,
    "apiextensions/v1.WebhookClientConfig": admission.CLIENT_CONFIG,
    "apiextensions/v1.WebhookConversion": {
        "conversionReviewVersions": (filled("at least one"), admission.check_review_versions)
    },
}
