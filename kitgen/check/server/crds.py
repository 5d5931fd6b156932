"""CustomResourceDefinitions: names, versions, conversion and what stands beside a schema.

What a CRD says of its own fields and is not there: columns, the scale, fields that must be set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from kitgen.check.server import admission, formats
from kitgen.check.server.rules import (
    SERVER_FORBIDDEN,
    SERVER_INVALID,
    SERVER_LIMIT,
    SERVER_REQUIRED,
    SERVER_WARNING,
)
from kitgen.check.server.walk import Validators
from kitgen.crd.columns import dead_end
from kitgen.crd.structural import KEEPS
from kitgen.findings import Path, Problem, near
from kitgen.kube.names import NameForm
from kitgen.text.secrets import redacted
from kitgen.text.values import value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import JsonObject

APPROVED = "api-approved.kubernetes.io"
PROTECTED = re.compile(r"(.*\.)?(k8s|kubernetes)\.io")
LONGEST_WARNING = 256
COLUMN_TYPES = ("integer", "number", "string", "boolean", "date")
COLUMN_FORMATS = ("int32", "int64", "float", "double", "byte", "date", "date-time", "password")
MOST_SELECTABLE = 8


def _definition(body: JsonObject) -> Iterator[Problem]:
    spec = formats.mapping(body.get("spec"))
    group, name = formats.text(spec, "group"), value_at(body, "metadata", "name")
    plural = formats.text(formats.mapping(spec.get("names")), "plural")
    wanted = f"{plural}.{group}"
    is_formed = NameForm.SUBDOMAIN.fits(wanted) and "." in group
    if isinstance(name, str) and name and name != wanted and is_formed:
        told = cut(f"{redacted(plural)}.{redacted(group)}")
        message = f"found the name {cut(name)}, expected {told}, the plural and the group"
        yield SERVER_INVALID(message, ("metadata", "name"))
    approved = value_at(body, "metadata", "annotations", APPROVED)
    if PROTECTED.fullmatch(group) and not _is_approval(approved):
        message = f"found the group {cut(group)}, which is Kubernetes' own, without the annotation {APPROVED}"
        yield SERVER_REQUIRED(message, ("spec", "group"), "use a group of your own, or name who approved it")


def _is_approval(value: object) -> bool:
    if not isinstance(value, str) or not value:
        return False
    if value.startswith("unapproved"):
        return True
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc)


def _spec(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(spec, "group", "versions")
    group = formats.text(spec, "group")
    if group and (not NameForm.SUBDOMAIN.fits(group) or "." not in group):
        message = f"found {cut(group)}, expected {NameForm.SUBDOMAIN}, with a dot"
        yield SERVER_INVALID(message, ("group",))
    yield from formats.worded(spec, "scope", ("Cluster", "Namespaced"), strict=True)
    if spec.get("preserveUnknownFields") is True:
        message = "found true, expected false"
        hint = "use x-kubernetes-preserve-unknown-fields: true in the schema"
        yield SERVER_INVALID(message, ("preserveUnknownFields",), hint)
    yield from formats.unique(spec, "versions", lambda each: each.get("name"), "version", below=("name",))
    yield from _storage(spec)


def _storage(spec: JsonObject) -> Iterator[Problem]:
    """Yield that not one version is stored: at the second one, or at the only one that could be."""
    versions = formats.items(spec.get("versions"))
    stored = [at for at, each in formats.mappings(spec, "versions") if each.get("storage") is True]
    if len(stored) == 1 or not versions:
        return
    at = stored[1] if stored else 0 if len(versions) == 1 else None
    path: Path = ("versions",) if at is None else ("versions", at)
    said = (*path, "storage") if at is not None and "storage" in formats.mapping(versions[at]) else path
    yield SERVER_INVALID(f"found {len(stored)} versions that are stored, expected one", said)


def _names(names: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(names, "plural", "kind")
    for field in ("plural", "singular"):
        yield from formats.named(names, field, NameForm.WORD)
    for field in ("kind", "listKind"):
        if (name := formats.text(names, field)) and not NameForm.WORD.fits(name.lower()):
            expected = "at most 63 letters, digits and dashes, a letter first and no dash last"
            yield SERVER_INVALID(f"found {cut(name)}, expected {expected}", (field,))
    kind = formats.text(names, "kind")
    if kind and names.get("listKind") == kind:
        yield SERVER_INVALID(f"found {cut(kind)}, which kind is too, expected another", ("listKind",))
    for field in ("shortNames", "categories"):
        for index, each in enumerate(formats.items(names.get(field))):
            if isinstance(each, str) and not NameForm.WORD.fits(each):
                yield SERVER_INVALID(f"found {shown(each)}, expected {NameForm.WORD}", (field, index))


def _version(version: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(version, "name")
    yield from formats.named(version, "name", NameForm.WORD)
    if not isinstance(value_at(version, "schema", "openAPIV3Schema"), dict):
        yield SERVER_REQUIRED("found no schema, expected one", formats.at(version, "schema"))
    if len(formats.items(version.get("selectableFields"))) > MOST_SELECTABLE:
        yield SERVER_LIMIT(f"found more than {MOST_SELECTABLE} fields", ("selectableFields",))
    yield from formats.unique(version, "selectableFields", lambda each: each.get("jsonPath"), "path")
    warning = version.get("deprecationWarning")
    if warning is not None and version.get("deprecated") is not True:
        message = "found a warning of a version that is not deprecated, expected none"
        yield SERVER_FORBIDDEN(message, ("deprecationWarning",))
    elif isinstance(warning, str) and not 0 < len(warning) <= LONGEST_WARNING:
        message = f"found {len(warning)} characters, expected 1 to {LONGEST_WARNING}"
        yield SERVER_INVALID(message, ("deprecationWarning",))


def _column(column: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(column, "name", "jsonPath")
    yield from formats.worded(column, "type", COLUMN_TYPES, strict=True)
    yield from formats.worded(column, "format", COLUMN_FORMATS)
    yield from _path(column, "jsonPath")


def _path(value: JsonObject, field: str, *starts: str) -> Iterator[Problem]:
    path = formats.text(value, field)
    expected = [f"{each}." for each in starts] or ["."]
    if path and not path.startswith(tuple(expected)):
        yield SERVER_INVALID(f"found {cut(path)}, expected a path from {choice(expected)} on", (field,))


def _scale(scale: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(scale, "specReplicasPath", "statusReplicasPath")
    yield from _path(scale, "specReplicasPath", ".spec")
    yield from _path(scale, "statusReplicasPath", ".status")
    yield from _path(scale, "labelSelectorPath", ".status", ".spec")


def _conversion(conversion: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(conversion, "strategy", ("None", "Webhook"), strict=True)
    webhook = conversion.get("webhook")
    if conversion.get("strategy") == "Webhook":
        if webhook is None:
            yield formats.lacking(conversion, "webhook", "it, for the strategy is Webhook")
        elif isinstance(webhook, dict) and webhook.get("clientConfig") is None:
            yield formats.lacking(webhook, "clientConfig", "the way to the webhook").below("webhook")
    elif conversion.get("strategy") == "None" and webhook is not None:
        yield SERVER_FORBIDDEN("found webhook, expected none, for the strategy is None", ("webhook",))


def _webhook(webhook: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(webhook, "conversionReviewVersions", expected="at least one")
    yield from admission.review_versions(webhook, "conversionReviewVersions")


VALIDATORS: Validators = {
    "apiextensions/v1.CustomResourceColumnDefinition": _column,
    "apiextensions/v1.CustomResourceConversion": _conversion,
    "apiextensions/v1.CustomResourceDefinition": _definition,
    "apiextensions/v1.CustomResourceDefinitionNames": _names,
    "apiextensions/v1.CustomResourceDefinitionSpec": _spec,
    "apiextensions/v1.CustomResourceDefinitionVersion": _version,
    "apiextensions/v1.CustomResourceSubresourceScale": _scale,
    "apiextensions/v1.ServiceReference": admission.service_reference,
    "apiextensions/v1.WebhookClientConfig": admission.client_config,
    "apiextensions/v1.WebhookConversion": _webhook,
}

SCALED = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
EVERYWHERE = ("apiVersion", "kind", "metadata")
"""Fields that every object has, whether a schema says so or not."""
BOUNDS = tuple((f"min{what}", f"max{what}") for what in ("imum", "Length", "Items", "Properties"))
OPEN = ("additionalProperties", KEEPS, "$ref")


def paths(version: JsonObject, schema: JsonObject) -> Iterator[Problem]:
    """Yield paths of a version that lead nowhere."""
    for field, rule in (("additionalPrinterColumns", SERVER_WARNING), ("selectableFields", SERVER_INVALID)):
        for index, each in formats.mappings(version, field):
            path = formats.text(each, "jsonPath")
            if path.startswith(".") and (why := dead_end(schema, path)):
                yield rule(_said(path, why), (field, index, "jsonPath"))
    scale = formats.mapping(value_at(version, "subresources", "scale"))
    for field in SCALED:
        path = formats.text(scale, field)
        if path.startswith((".spec.", ".status.")) and (why := dead_end(schema, path)):
            yield SERVER_WARNING(_said(path, why), ("subresources", "scale", field))


def _said(path: str, why: str) -> str:
    return f"found the path {cut(path)}, which leads nowhere: {why}"


def required(node: JsonObject) -> Iterator[Problem]:
    """Yield fields that a schema requires and does not have: dropped as they are, every object lacks them."""
    fields = node.get("properties")
    if not isinstance(fields, dict) or any(node.get(key) for key in OPEN):
        return
    for index, name in enumerate(formats.items(node.get("required"))):
        if isinstance(name, str) and name not in fields and name not in EVERYWHERE:
            message = f"found the required field {cut(name)}, which the schema does not have"
            yield SERVER_WARNING(message, ("required", index), near(name, [str(each) for each in fields]))


def bounds(node: JsonObject) -> Iterator[Problem]:
    """Yield bounds of a schema that no value is within."""
    for least, most in BOUNDS:
        low, high = (formats.number(node.get(key)) for key in (least, most))
        if low is not None and high is not None and low > high:
            message = f"found {least} {low} above {most}, which is {high}: no value fits"
            yield SERVER_WARNING(message, (least,))
