"""CustomResourceDefinitions: names, versions, conversion and what stands beside a schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from kitgen.check.index import below
from kitgen.check.server import admission, forms
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_LIMIT, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Path, Problem
from kitgen.objects import NameForm
from kitgen.schema.secrets import redacted
from kitgen.schema.wording import choice, cut, shown
from kitgen.yamlio import JsonObject

APPROVED = "api-approved.kubernetes.io"
PROTECTED = re.compile(r"(.*\.)?(k8s|kubernetes)\.io")
LONGEST_WARNING = 256
COLUMN_TYPES = ("integer", "number", "string", "boolean", "date")
COLUMN_FORMATS = ("int32", "int64", "float", "double", "byte", "date", "date-time", "password")
MOST_SELECTABLE = 8


def _definition(body: JsonObject) -> Iterator[Problem]:
    spec = forms.mapping(body.get("spec"))
    group, name = forms.text(spec, "group"), below(body, "metadata", "name")
    plural = forms.text(forms.mapping(spec.get("names")), "plural")
    wanted = f"{plural}.{group}"
    is_formed = NameForm.SUBDOMAIN.fits(wanted) and "." in group
    if isinstance(name, str) and name and name != wanted and is_formed:
        told = cut(f"{redacted(plural)}.{redacted(group)}")
        message = f"found the name {cut(name)}, expected {told}, the plural and the group"
        yield SERVER_INVALID(message, ("metadata", "name"))
    approved = below(body, "metadata", "annotations", APPROVED)
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
    yield from forms.needed(spec, "group", "versions")
    group = forms.text(spec, "group")
    if group and (not NameForm.SUBDOMAIN.fits(group) or "." not in group):
        message = f"found {cut(group)}, expected {NameForm.SUBDOMAIN}, with a dot"
        yield SERVER_INVALID(message, ("group",))
    yield from forms.worded(spec, "scope", ("Cluster", "Namespaced"), strict=True)
    if spec.get("preserveUnknownFields") is True:
        message = "found true, expected false"
        hint = "use x-kubernetes-preserve-unknown-fields: true in the schema"
        yield SERVER_INVALID(message, ("preserveUnknownFields",), hint)
    yield from forms.unique(spec, "versions", lambda each: each.get("name"), "version", below=("name",))
    yield from _storage(spec)


def _storage(spec: JsonObject) -> Iterator[Problem]:
    """Yield that not one version is stored: at the second one, or at the only one that could be."""
    versions = forms.items(spec.get("versions"))
    stored = [at for at, each in forms.mappings(spec, "versions") if each.get("storage") is True]
    if len(stored) == 1 or not versions:
        return
    at = stored[1] if stored else 0 if len(versions) == 1 else None
    path: Path = ("versions",) if at is None else ("versions", at)
    said = (*path, "storage") if at is not None and "storage" in forms.mapping(versions[at]) else path
    yield SERVER_INVALID(f"found {len(stored)} versions that are stored, expected one", said)


def _names(names: JsonObject) -> Iterator[Problem]:
    yield from forms.needed(names, "plural", "kind")
    for field in ("plural", "singular"):
        yield from forms.named(names, field, NameForm.WORD)
    for field in ("kind", "listKind"):
        if (name := forms.text(names, field)) and not NameForm.WORD.fits(name.lower()):
            expected = "at most 63 letters, digits and dashes, a letter first and no dash last"
            yield SERVER_INVALID(f"found {cut(name)}, expected {expected}", (field,))
    kind = forms.text(names, "kind")
    if kind and names.get("listKind") == kind:
        yield SERVER_INVALID(f"found {cut(kind)}, which kind is too, expected another", ("listKind",))
    for field in ("shortNames", "categories"):
        for index, each in enumerate(forms.items(names.get(field))):
            if isinstance(each, str) and not NameForm.WORD.fits(each):
                yield SERVER_INVALID(f"found {shown(each)}, expected {NameForm.WORD}", (field, index))


def _version(version: JsonObject) -> Iterator[Problem]:
    yield from forms.needed(version, "name")
    yield from forms.named(version, "name", NameForm.WORD)
    if not isinstance(below(version, "schema", "openAPIV3Schema"), dict):
        yield SERVER_REQUIRED("found no schema, expected one", forms.at(version, "schema"))
    if len(forms.items(version.get("selectableFields"))) > MOST_SELECTABLE:
        yield SERVER_LIMIT(f"found more than {MOST_SELECTABLE} fields", ("selectableFields",))
    yield from forms.unique(version, "selectableFields", lambda each: each.get("jsonPath"), "path")
    warning = version.get("deprecationWarning")
    if warning is not None and version.get("deprecated") is not True:
        message = "found a warning of a version that is not deprecated, expected none"
        yield SERVER_FORBIDDEN(message, ("deprecationWarning",))
    elif isinstance(warning, str) and not 0 < len(warning) <= LONGEST_WARNING:
        message = f"found {len(warning)} characters, expected 1 to {LONGEST_WARNING}"
        yield SERVER_INVALID(message, ("deprecationWarning",))


def _column(column: JsonObject) -> Iterator[Problem]:
    yield from forms.needed(column, "name", "jsonPath")
    yield from forms.worded(column, "type", COLUMN_TYPES, strict=True)
    yield from forms.worded(column, "format", COLUMN_FORMATS)
    yield from _path(column, "jsonPath")


def _path(value: JsonObject, field: str, *starts: str) -> Iterator[Problem]:
    path = forms.text(value, field)
    expected = [f"{each}." for each in starts] or ["."]
    if path and not path.startswith(tuple(expected)):
        yield SERVER_INVALID(f"found {cut(path)}, expected a path from {choice(expected)} on", (field,))


def _scale(scale: JsonObject) -> Iterator[Problem]:
    yield from forms.needed(scale, "specReplicasPath", "statusReplicasPath")
    yield from _path(scale, "specReplicasPath", ".spec")
    yield from _path(scale, "statusReplicasPath", ".status")
    yield from _path(scale, "labelSelectorPath", ".status", ".spec")


def _conversion(conversion: JsonObject) -> Iterator[Problem]:
    yield from forms.worded(conversion, "strategy", ("None", "Webhook"), strict=True)
    webhook = conversion.get("webhook")
    if conversion.get("strategy") == "Webhook":
        if webhook is None:
            yield forms.lacking(conversion, "webhook", "it, for the strategy is Webhook")
        elif isinstance(webhook, dict) and webhook.get("clientConfig") is None:
            yield forms.lacking(webhook, "clientConfig", "the way to the webhook").below("webhook")
    elif conversion.get("strategy") == "None" and webhook is not None:
        yield SERVER_FORBIDDEN("found webhook, expected none, for the strategy is None", ("webhook",))


def _webhook(webhook: JsonObject) -> Iterator[Problem]:
    yield from forms.needed(webhook, "conversionReviewVersions", expected="at least one")
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
