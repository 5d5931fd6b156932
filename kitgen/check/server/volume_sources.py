"""Disks and shares that a pod mounts from outside: what each kind of source needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.server import values
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validator, Validators
from kitgen.findings import Problem
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

QUALIFIED_NAMES = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+(:[^,;*&$|\s]+)$"),
    "eui": re.compile(r"eui.[A-Za-z0-9]{16}$"),
    "naa": re.compile(r"naa.[A-Za-z0-9]{32}$"),
}
"""How a storage area network names a target, by how the name starts."""


def _share(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "server", "path")
    expected = "an absolute path"
    yield from values.fitting(value, "path", lambda found: found.startswith("/"), expected)


def _target(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "targetPortal", "iqn")
    yield from values.between(value, 0, 255, "lun")
    for field in ("iqn", "initiatorName"):
        yield from values.fitting(value, field, _is_qualified, "a name that starts with iqn., eui. or naa.")
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and value.get("secretRef") is None:
        yield SERVER_REQUIRED('found no field "secretRef", expected one for the authentication')


def _is_qualified(found: str) -> bool:
    pattern = QUALIFIED_NAMES.get(found[:3])
    return (
        pattern is not None and (pattern.search if found[:3] == "iqn" else pattern.match)(found) is not None
    )


def _fibre(value: JsonObject) -> Iterator[Problem]:
    names, ids = (values.is_given(value.get(key)) for key in ("targetWWNs", "wwids"))
    if not names and not ids:
        yield SERVER_REQUIRED("found no target, expected targetWWNs or wwids")
    elif names and ids:
        yield SERVER_FORBIDDEN("found targetWWNs and wwids, expected one of them", ("wwids",))
    if names:
        if value.get("lun") is None:
            yield SERVER_REQUIRED('found no field "lun", expected one beside targetWWNs')
        yield from values.between(value, 0, 255, "lun")


def _azure(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "diskName", "diskURI")
    yield from values.one_of(value, "cachingMode", ("None", "ReadOnly", "ReadWrite"), empty=False)
    yield from values.one_of(value, "kind", ("Dedicated", "Managed", "Shared"), empty=False)
    start = "/subscriptions/" if value.get("kind") == "Managed" else "https://"
    found = values.text(value.get("diskURI"))
    if found and value.get("kind") in ("Dedicated", "Managed") and not found.startswith(start):
        yield SERVER_INVALID(f"found {cut(found)}, expected {start}…", ("diskURI",))


def _options(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "driver")
    for key in values.mapping(value.get("options")):
        space = f".{key.partition('/')[0].lower()}"
        if space.endswith((".kubernetes.io", ".k8s.io")):
            message = f"found the option {cut(key)}, expected none of Kubernetes' own"
            yield SERVER_INVALID(message, ("options", key))


def _filled(*fields: str, partition: bool = False) -> Validator:
    """Return who asks for fields of a source that nothing else is asked of."""

    def check(value: JsonObject) -> Iterator[Problem]:
        yield from values.not_empty(value, *fields)
        if partition:
            yield from values.between(value, 0, 255, "partition")

    return check


VALIDATORS: Validators = {
    "core/v1.AWSElasticBlockStoreVolumeSource": _filled("volumeID", partition=True),
    "core/v1.AzureDiskVolumeSource": _azure,
    "core/v1.AzureFileVolumeSource": _filled("secretName", "shareName"),
    "core/v1.CephFSVolumeSource": _filled("monitors"),
    "core/v1.CinderVolumeSource": _filled("volumeID"),
    "core/v1.FCVolumeSource": _fibre,
    "core/v1.FlexVolumeSource": _options,
    "core/v1.GCEPersistentDiskVolumeSource": _filled("pdName", partition=True),
    "core/v1.GlusterfsVolumeSource": _filled("endpoints", "path"),
    "core/v1.ISCSIVolumeSource": _target,
    "core/v1.NFSVolumeSource": _share,
    "core/v1.PhotonPersistentDiskVolumeSource": _filled("pdID"),
    "core/v1.PortworxVolumeSource": _filled("volumeID"),
    "core/v1.QuobyteVolumeSource": _filled("registry", "volume"),
    "core/v1.RBDVolumeSource": _filled("monitors", "image"),
    "core/v1.ScaleIOVolumeSource": _filled("gateway", "system"),
    "core/v1.VsphereVirtualDiskVolumeSource": _filled("volumePath"),
}
