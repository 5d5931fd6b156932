"""Volumes of pods: what each kind of source needs."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import containers, storage, values
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_REQUIRED, SERVER_WARNING
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem, near
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

MODES = (0, 0o777)
HOST_TYPES = (
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
)
MEDIA, HUGE_MEDIUM = ("Memory", "HugePages"), "HugePages-"
SHORTEST, LONGEST = 600, 2**32
"""The seconds that a token may live."""


def _volume(value: JsonObject) -> Iterator[Problem]:
    """Yield the lack of a source, which makes it an emptyDir; of two, another rule tells."""
    yield from values.not_empty(value, "name")
    yield from values.named(value, NameForm.LABEL, "name")
    if "emptyDir" not in value and all(source is None for key, source in value.items() if key != "name"):
        message = "found a volume without a source, which is an empty directory, expected one"
        yield SERVER_WARNING(message, hint="say emptyDir: {} if that is meant")


def _empty(value: JsonObject) -> Iterator[Problem]:
    yield from values.negative(value, "sizeLimit")
    medium = values.text(value.get("medium"))
    if medium and medium not in MEDIA and not medium.startswith(HUGE_MEDIUM):
        message = f"found {cut(medium)}, expected Memory, HugePages or HugePages-SIZE"
        yield SERVER_WARNING(message, ("medium",), near(medium, list(MEDIA)))


def _host(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "path")
    yield from values.no_way_up(value, "path")
    yield from values.one_of(value, "type", HOST_TYPES)


def _secret(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "secretName")
    yield from values.between(value, *MODES, "defaultMode")


def _config(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "name")
    yield from values.between(value, *MODES, "defaultMode")


def _modes(value: JsonObject) -> Iterator[Problem]:
    yield from values.between(value, *MODES, "defaultMode")


def _item(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "key")
    yield from _file(value)


def _file(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "path")
    yield from values.relative_path(value, "path", reserved=True)
    yield from values.between(value, *MODES, "mode")


def _downward(value: JsonObject) -> Iterator[Problem]:
    yield from _file(value)
    field, resource = value.get("fieldRef"), value.get("resourceFieldRef")
    if field is None and resource is None:
        yield SERVER_REQUIRED("found no source, expected fieldRef or resourceFieldRef")
    elif field is not None and resource is not None:
        message = "found fieldRef and resourceFieldRef, expected one of them"
        yield SERVER_FORBIDDEN(message, ("resourceFieldRef",))
    if isinstance(field, dict):
        found = containers.field_of_pod(field, containers.FILE_FIELDS)
        yield from values.below_path(found, "fieldRef")
    elif isinstance(resource, dict):
        found_here = (
            *values.required(resource, "containerName"),
            *containers.resource_of_container(resource),
        )
        yield from values.below_path(found_here, "resourceFieldRef")


def _projected(value: JsonObject) -> Iterator[Problem]:
    """Yield two files at one path, and sources that are two things."""
    yield from _modes(value)
    seen: set[str] = set()
    for index, source in entries_at(value, "sources"):
        given = [key for key, found in source.items() if found is not None]
        if len(given) > 1:
            message = f"found {choice(given, last='and')}, expected one of them"
            yield SERVER_FORBIDDEN(message, ("sources", index, given[-1]))
        for key in ("secret", "configMap", "downwardAPI"):
            for place, item in entries_at(source, key, "items"):
                path = values.text(item.get("path"))
                if path and path in seen:
                    message = f"found {cut(path)} again, expected one file at a path"
                    yield SERVER_DUPLICATE(message, ("sources", index, key, "items", place, "path"))
                seen.add(path)


def _named_projection(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "name")


def _token(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "path")
    yield from values.relative_path(value, "path", reserved=True)
    yield from values.between(value, SHORTEST, LONGEST, "expirationSeconds")


def _bundle(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "path")
    yield from values.relative_path(value, "path", reserved=True)
    name, signer = value.get("name"), value.get("signerName")
    if name is None and signer is None:
        yield SERVER_REQUIRED("found no bundle, expected name or signerName")
    elif name is not None:
        yield from values.not_empty(value, "name")
        for field in ("signerName", "labelSelector"):
            if value.get(field) is not None:
                yield SERVER_FORBIDDEN(f"found {field} beside name, expected one of them", (field,))


def _driver(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "driver")
    yield from values.at_most(value, 63, "driver")
    expected = "a DNS subdomain, in any case"
    yield from values.fitting(value, "driver", lambda found: NameForm.SUBDOMAIN.fits(found.lower()), expected)
    secret = value.get("nodePublishSecretRef")
    if isinstance(secret, dict):
        yield from values.below_path(values.required(secret, "name"), "nodePublishSecretRef")


def _ephemeral(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "volumeClaimTemplate")


def _claim_template(value: JsonObject) -> Iterator[Problem]:
    metadata = values.mapping(value.get("metadata"))
    fields = tuple(key for key in metadata if key not in ("labels", "annotations", "creationTimestamp"))
    why = "in the template of a claim"
    yield from values.below_path(values.forbidden(metadata, why, *fields), "metadata")
    yield from values.below_path(storage.claim_spec(values.mapping(value.get("spec"))), "spec")


def _image(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "pullPolicy", ("Always", "IfNotPresent", "Never"))


def _claim(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "claimName")


VALIDATORS: Validators = {
    "core/v1.CSIVolumeSource": _driver,
    "core/v1.ClusterTrustBundleProjection": _bundle,
    "core/v1.ConfigMapProjection": _named_projection,
    "core/v1.ConfigMapVolumeSource": _config,
    "core/v1.DownwardAPIVolumeFile": _downward,
    "core/v1.DownwardAPIVolumeSource": _modes,
    "core/v1.EmptyDirVolumeSource": _empty,
    "core/v1.EphemeralVolumeSource": _ephemeral,
    "core/v1.HostPathVolumeSource": _host,
    "core/v1.ImageVolumeSource": _image,
    "core/v1.KeyToPath": _item,
    "core/v1.PersistentVolumeClaimTemplate": _claim_template,
    "core/v1.PersistentVolumeClaimVolumeSource": _claim,
    "core/v1.ProjectedVolumeSource": _projected,
    "core/v1.SecretProjection": _named_projection,
    "core/v1.SecretVolumeSource": _secret,
    "core/v1.ServiceAccountTokenProjection": _token,
    "core/v1.Volume": _volume,
}
