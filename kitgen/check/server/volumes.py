"""Volumes of pods by the type of their source, and PersistentVolumeClaims."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import (
    FILE_PATH,
    LABEL,
    NAME,
    NO_WAY_UP,
    any_of,
    at_most_one,
    between,
    each_of,
    filled,
    forbidden,
    not_empty,
    one_of,
    path_of,
    positive_quantity,
    refused,
    report_missing,
    required,
    text_fits,
)
from kitgen.check.server.containers import (
    FILE_FIELDS,
    PULL_POLICY,
    check_container_resource,
    check_pod_field,
)
from kitgen.check.server.list_constraints import distinct_texts, find_duplicates, max_length
from kitgen.check.server.resources import check_quantity_units, not_negative
from kitgen.check.server.rule_tables import (
    Fields,
    OfMissing,
    Rules,
    TypeRules,
    check_value,
    nested,
    prefix_paths,
)
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, list_at, map_at, text_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import JsonObject

MEDIA, HUGE_MEDIUM = ("Memory", "HugePages"), "HugePages-"
KEPT = ("labels", "annotations", "creationTimestamp")
"""What the template of a claim may say in its metadata."""


def _check_medium(value: JsonObject, field: str) -> Iterator[Problem]:
    if (medium := text_at(value, field)) and medium not in MEDIA and not medium.startswith(HUGE_MEDIUM):
        yield SERVER_WARNING(
            f"found {quote_text(medium)}, expected Memory, HugePages or HugePages-SIZE",
            (field,),
            suggest_word(medium, list(MEDIA)),
        )


def _check_projections(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report two files at one path, and sources that are two things."""
    for index, source in entries_at(value, field):
        if len(given := [key for key, found in source.items() if found is not None]) > 1:
            yield make_problem(
                "server-forbidden",
                f"found {join_words(given, last='and')}, expected one of them",
                (field, index, given[-1]),
            )
    files: Iterator[tuple[Path, str]] = (
        ((field, index, key, "items", place, "path"), text_at(item, "path"))
        for index, source in entries_at(value, field)
        for key in ("secret", "configMap", "downwardAPI")
        for place, item in entries_at(source, key, "items")
    )
    for path, file, _ in find_duplicates(files):
        yield make_problem(
            "server-duplicate", f"found {quote_text(file)} again, expected one file at a path", path
        )


def _check_claim_metadata(template: JsonObject) -> Iterator[Problem]:
    metadata = map_at(template, "metadata")
    for field in metadata:
        if field not in KEPT:
            yield from prefix_paths(forbidden("in the template of a claim")(metadata, field), "metadata")


def check_claim(template: JsonObject) -> Iterator[Problem]:
    """Report what the template of a claim lacks that has no spec; others are reported by their type."""
    if not isinstance(template.get("spec"), dict):
        yield from prefix_paths(check_value(CLAIM, {}), "spec")


@OfMissing
def _check_modes(spec: JsonObject, field: str) -> Iterator[Problem]:
    """Report what is wrong with the ways in which a volume may be used."""
    if not (found := list_at(spec, field)):
        yield report_missing(spec, field, "at least one")
    yield from (
        make_problem("named-twice", wrong.message, wrong.path) for wrong in distinct_texts(spec, field)
    )
    if "ReadWriteOncePod" in found and any(each != "ReadWriteOncePod" for each in found):
        yield make_problem(
            "server-forbidden", "found ReadWriteOncePod beside another, expected it alone", (field,)
        )


def _check_storage(spec: JsonObject) -> Iterator[Problem]:
    requests = map_at(spec, "resources", "requests")
    if "storage" not in requests:
        yield SERVER_REQUIRED("found no request of storage, expected one", path_of(spec, "resources"))
    found = (*positive_quantity(requests, "storage"), *check_quantity_units(requests))
    yield from prefix_paths(found, "resources", "requests")


def _check_kind(source: JsonObject, field: str) -> Iterator[Problem]:
    kind = text_at(source, field)
    if not source.get("apiGroup") and kind not in ("", "PersistentVolumeClaim"):
        yield SERVER_INVALID(
            f"found {describe_value(kind)} without apiGroup, expected PersistentVolumeClaim", (field,)
        )


def _check_sources(spec: JsonObject) -> Iterator[Problem]:
    old, new = spec.get("dataSource"), spec.get("dataSourceRef")
    if (
        isinstance(old, dict)
        and isinstance(new, dict)
        and any((old.get(each) or "") != (new.get(each) or "") for each in ("apiGroup", "kind", "name"))
    ):
        yield SERVER_INVALID("found another source than dataSourceRef, expected the same", ("dataSource",))


def _check_claim_shape(claim: JsonObject) -> Iterator[Problem]:
    if "spec" in claim:
        yield from check_claim(claim)


MODE = between(0, 0o777)
PARTITION = between(0, 255)
FILE: Fields = {"path": FILE_PATH, "mode": MODE}
SOURCE = nested(
    {"kind": (filled(), _check_kind), "name": filled(), "apiGroup": NAME, "namespace": LABEL},
)
CLAIM: TypeRules = (
    {
        "accessModes": (
            _check_modes,
            each_of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"),
        ),
        "volumeMode": one_of("Block", "Filesystem", hint=False),
        "storageClassName": NAME,
        "volumeAttributesClassName": NAME,
        "dataSource": SOURCE,
        "dataSourceRef": SOURCE,
    },
    _check_storage,
    _check_sources,
)
RULES: Rules = {
    "core/v1.AWSElasticBlockStoreVolumeSource": {"volumeID": not_empty, "partition": PARTITION},
    "core/v1.AzureDiskVolumeSource": {
        "diskName": not_empty,
        "diskURI": not_empty,
        "cachingMode": one_of("None", "ReadOnly", "ReadWrite"),
        "kind": one_of("Dedicated", "Managed", "Shared"),
    },
    "core/v1.AzureFileVolumeSource": {"secretName": not_empty, "shareName": not_empty},
    "core/v1.CSIVolumeSource": {
        "driver": (
            not_empty,
            max_length(63),
            text_fits(lambda name: NameForm.SUBDOMAIN.matches(name.lower()), "a DNS subdomain, in any case"),
        ),
        "nodePublishSecretRef": nested({"name": required}),
    },
    "core/v1.CephFSVolumeSource": {"monitors": not_empty},
    "core/v1.CinderVolumeSource": {"volumeID": not_empty},
    "core/v1.ClusterTrustBundleProjection": (
        {"path": FILE_PATH, "name": not_empty},
        any_of("bundle", "name", "signerName"),
        refused(
            SERVER_FORBIDDEN,
            "found signerName beside name, expected one of them",
            "signerName",
            when=lambda bundle: bundle.get("name") is not None and bundle.get("signerName") is not None,
        ),
        refused(
            SERVER_FORBIDDEN,
            "found labelSelector beside name, expected one of them",
            "labelSelector",
            when=lambda bundle: bundle.get("name") is not None and bundle.get("labelSelector") is not None,
        ),
    ),
    "core/v1.ConfigMapProjection": {"name": required},
    "core/v1.ConfigMapVolumeSource": {"name": required, "defaultMode": MODE},
    "core/v1.DownwardAPIVolumeFile": (
        FILE,
        any_of("source", "fieldRef", "resourceFieldRef"),
        at_most_one("fieldRef", "resourceFieldRef"),
        {
            "fieldRef": nested(check_pod_field(FILE_FIELDS)),
            "resourceFieldRef": nested({"containerName": required}, check_container_resource),
        },
    ),
    "core/v1.DownwardAPIVolumeSource": {"defaultMode": MODE},
    "core/v1.EmptyDirVolumeSource": {"sizeLimit": not_negative, "medium": _check_medium},
    "core/v1.EphemeralVolumeSource": {"volumeClaimTemplate": required},
    "core/v1.FlexVolumeSource": {"driver": not_empty},
    "core/v1.GCEPersistentDiskVolumeSource": {"pdName": not_empty, "partition": PARTITION},
    "core/v1.GlusterfsVolumeSource": {"endpoints": not_empty, "path": not_empty},
    "core/v1.HostPathVolumeSource": {
        "path": (not_empty, NO_WAY_UP),
        "type": one_of(
            *("DirectoryOrCreate", "Directory", "FileOrCreate", "File"),
            *("Socket", "CharDevice", "BlockDevice"),
            empty=True,
        ),
    },
    "core/v1.ISCSIVolumeSource": {"targetPortal": not_empty, "iqn": not_empty, "lun": PARTITION},
    "core/v1.ImageVolumeSource": {"pullPolicy": PULL_POLICY},
    "core/v1.KeyToPath": {"key": not_empty, **FILE},
    "core/v1.NFSVolumeSource": {
        "server": not_empty,
        "path": (not_empty, text_fits(lambda path: path.startswith("/"), "an absolute path")),
    },
    "core/v1.PersistentVolumeClaim": _check_claim_shape,
    "core/v1.PersistentVolumeClaimSpec": CLAIM,
    "core/v1.PersistentVolumeClaimTemplate": (_check_claim_metadata, check_claim),
    "core/v1.PersistentVolumeClaimVolumeSource": {"claimName": not_empty},
    "core/v1.PhotonPersistentDiskVolumeSource": {"pdID": not_empty},
    "core/v1.PortworxVolumeSource": {"volumeID": not_empty},
    "core/v1.ProjectedVolumeSource": {"defaultMode": MODE, "sources": _check_projections},
    "core/v1.QuobyteVolumeSource": {"registry": not_empty, "volume": not_empty},
    "core/v1.RBDVolumeSource": {"monitors": not_empty, "image": not_empty},
    "core/v1.ScaleIOVolumeSource": {"gateway": not_empty, "system": not_empty},
    "core/v1.SecretProjection": {"name": required},
    "core/v1.SecretVolumeSource": {"secretName": required, "defaultMode": MODE},
    "core/v1.ServiceAccountTokenProjection": {"path": FILE_PATH, "expirationSeconds": between(600, 2**32)},
    "core/v1.Volume": (
        {"name": (not_empty, LABEL)},
        # Of two sources another rule reports.
        refused(
            SERVER_WARNING,
            "found a volume without a source, which is an empty directory, expected one",
            when=lambda volume: (
                "emptyDir" not in volume
                and all(source is None for key, source in volume.items() if key != "name")
            ),
            hint="say emptyDir: {} if that is meant",
        ),
    ),
    "core/v1.VsphereVirtualDiskVolumeSource": {"volumePath": not_empty},
}
