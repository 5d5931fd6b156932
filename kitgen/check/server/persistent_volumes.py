"""Volumes that are there for all."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats, storage, warnings
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.kube.quantities import amount
from kitgen.text.values import value_at
from kitgen.text.wording import choice, shown
from kitgen.text.yaml import JsonObject

RECLAIM = ("Delete", "Recycle", "Retain")
SOURCES = (
    *("awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "csi", "fc", "flexVolume"),
    *(
        "flocker",
        "gcePersistentDisk",
        "glusterfs",
        "hostPath",
        "iscsi",
        "local",
        "nfs",
        "photonPersistentDisk",
    ),
    *("portworxVolume", "quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume"),
)


def _spec(spec: JsonObject) -> Iterator[Problem]:
    yield from storage.modes(spec)
    yield from formats.worded(spec, "persistentVolumeReclaimPolicy", RECLAIM)
    yield from formats.named(spec, "storageClassName", NameForm.SUBDOMAIN)
    yield from _capacity(spec)
    there = [field for field in SOURCES if spec.get(field) is not None]
    if not there:
        yield SERVER_REQUIRED("found no volume, expected one such as csi, nfs or hostPath")
    for field in there[1:]:
        yield SERVER_FORBIDDEN(f"found {field} beside {there[0]}, expected one of them", (field,))
    path = value_at(spec, "local", "path")
    if path == "":
        yield SERVER_REQUIRED("found an empty path, expected one", ("local", "path"))
    elif isinstance(path, str) and ".." in path.split("/"):
        yield SERVER_INVALID(f"found {shown(path)}, expected a path without ..", ("local", "path"))
    if value_at(spec, "hostPath", "path") == "/" and spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        message = "found Recycle of all of a node, expected Retain or Delete"
        yield SERVER_FORBIDDEN(message, ("persistentVolumeReclaimPolicy",))
    if spec.get("local") is not None and spec.get("nodeAffinity") is None:
        yield formats.lacking(spec, "nodeAffinity", "the node of the local volume")
    if isinstance(affinity := spec.get("nodeAffinity"), dict) and affinity.get("required") is None:
        yield SERVER_REQUIRED("found no required, expected the nodes of the volume", ("nodeAffinity",))


def _capacity(spec: JsonObject) -> Iterator[Problem]:
    capacity = formats.mapping(spec.get("capacity"))
    for problem in warnings.amounts(capacity):
        yield problem.below("capacity")
    if not capacity:
        yield formats.lacking(spec, "capacity", "how large the volume is")
    elif list(capacity) != ["storage"]:
        yield SERVER_INVALID(f"found {choice(list(capacity))[:60]}, expected storage alone", ("capacity",))
    elif (size := amount(capacity["storage"])) is not None and size <= 0:
        message = f"found {shown(capacity['storage'])}, expected more than 0"
        yield SERVER_INVALID(message, ("capacity", "storage"))


def _csi(source: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(source, "driver", "volumeHandle")
    yield from storage.driver(source, "driver")


VALIDATORS: Validators = {
    "core/v1.CSIPersistentVolumeSource": _csi,
    "core/v1.PersistentVolumeSpec": _spec,
}
