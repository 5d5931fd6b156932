"""Claims of volumes, and what provides volumes."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats, warnings
from kitgen.check.server.rules import (
    NAMED_TWICE,
    SERVER_FORBIDDEN,
    SERVER_INVALID,
    SERVER_LIMIT,
    SERVER_REQUIRED,
)
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm, is_qualified
from kitgen.kube.quantities import amount
from kitgen.text.values import value_at
from kitgen.text.wording import shown
from kitgen.text.yaml import JsonObject

MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
MOST_PARAMETERS, MOST_BYTES = 512, 256 * 1024
LONGEST_DRIVER = 63
LEAST_SECONDS, MOST_SECONDS = 600, 1 << 32


def modes(spec: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the ways in which a volume may be used."""
    found = formats.items(spec.get("accessModes"))
    if not found:
        yield formats.lacking(spec, "accessModes", "at least one")
    yield from formats.listed(spec, "accessModes", MODES)
    for problem in formats.unlike(spec, "accessModes"):
        yield NAMED_TWICE(problem.message, problem.path)
    if "ReadWriteOncePod" in found and any(each != "ReadWriteOncePod" for each in found):
        yield SERVER_FORBIDDEN("found ReadWriteOncePod beside another, expected it alone", ("accessModes",))
    yield from formats.worded(spec, "volumeMode", VOLUME_MODES, strict=True)


def claim_spec(spec: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with what a claim asks for."""
    yield from modes(spec)
    requests = formats.mapping(value_at(spec, "resources", "requests"))
    if "storage" not in requests:
        yield SERVER_REQUIRED("found no request of storage, expected one", formats.at(spec, "resources"))
    elif (size := amount(requests["storage"])) is not None and size <= 0:
        message = f"found {shown(requests['storage'])}, expected more than 0"
        yield SERVER_INVALID(message, ("resources", "requests", "storage"))
    for problem in warnings.amounts(requests):
        yield problem.below("resources", "requests")
    yield from formats.named(spec, "storageClassName", NameForm.SUBDOMAIN)
    yield from formats.named(spec, "volumeAttributesClassName", NameForm.SUBDOMAIN)
    for field in ("dataSource", "dataSourceRef"):
        if isinstance(source := spec.get(field), dict):
            for problem in _source(source):
                yield problem.below(field)
    old, new = spec.get("dataSource"), spec.get("dataSourceRef")
    fields = ("apiGroup", "kind", "name")
    if (
        isinstance(old, dict)
        and isinstance(new, dict)
        and any((old.get(each) or "") != (new.get(each) or "") for each in fields)
    ):
        yield SERVER_INVALID("found another source than dataSourceRef, expected the same", ("dataSource",))


def _source(source: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(source, "kind", "name")
    yield from formats.named(source, "apiGroup", NameForm.SUBDOMAIN)
    yield from formats.named(source, "namespace", NameForm.LABEL)
    if not source.get("apiGroup") and formats.text(source, "kind") not in ("", "PersistentVolumeClaim"):
        message = f"found {shown(source['kind'])} without apiGroup, expected PersistentVolumeClaim"
        yield SERVER_INVALID(message, ("kind",))


def _claim(body: JsonObject) -> Iterator[Problem]:
    for problem in claim_spec(formats.mapping(body.get("spec"))):
        yield problem.below("spec") if "spec" in body else problem


def parameters(body: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the parameters of a class."""
    found = formats.mapping(body.get("parameters"))
    if len(found) > MOST_PARAMETERS:
        yield SERVER_LIMIT(f"found more than {MOST_PARAMETERS} parameters", ("parameters",))
    if sum(len(key) + len(str(value)) for key, value in found.items()) > MOST_BYTES:
        yield SERVER_LIMIT(f"found more than {MOST_BYTES} bytes of parameters", ("parameters",))
    if "" in found:
        yield SERVER_INVALID("found a parameter without a name", ("parameters",))


def _storage_class(body: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(body, "provisioner")
    if formats.text(body, "provisioner"):
        yield from formats.qualified(body, "provisioner", lower=True)
    yield from formats.worded(body, "reclaimPolicy", ("Delete", "Retain"))
    yield from formats.worded(body, "volumeBindingMode", ("Immediate", "WaitForFirstConsumer"))
    yield from parameters(body)


def _topology(requirement: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(requirement, "values", expected="at least one")
    yield from formats.qualified(requirement, "key")
    yield from formats.unlike(requirement, "values")


def driver(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield that a field is no name of a driver."""
    name = formats.text(value, field)
    if name and (len(name) > LONGEST_DRIVER or not NameForm.SUBDOMAIN.fits(name.lower())):
        message = f"found {shown(name)}, expected a DNS subdomain of at most {LONGEST_DRIVER} characters"
        yield SERVER_INVALID(message, (field,))


def _csi_driver(body: JsonObject) -> Iterator[Problem]:
    for problem in driver(formats.mapping(body.get("metadata")), "name"):
        yield problem.below("metadata")


def _csi_driver_spec(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.listed(spec, "volumeLifecycleModes", ("Persistent", "Ephemeral"))
    policies = ("ReadWriteOnceWithFSType", "File", "None")
    yield from formats.worded(spec, "fsGroupPolicy", policies, strict=True)
    seen: set[str] = set()
    for index, token in formats.mappings(spec, "tokenRequests"):
        audience = formats.text(token, "audience")
        if audience in seen:
            message = f"found {shown(audience)} again"
            yield SERVER_INVALID(message, ("tokenRequests", index, *formats.at(token, "audience")))
        seen.add(audience)
        for problem in formats.within(token, "expirationSeconds", LEAST_SECONDS, MOST_SECONDS):
            yield problem.below("tokenRequests", index)


def _csi_node_driver(found: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(found, "name", "nodeID")
    yield from driver(found, "name")


def _attachment(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(spec, "attacher", "nodeName")
    attacher = formats.text(spec, "attacher")
    if attacher and not is_qualified(attacher.lower()):
        yield from formats.qualified(spec, "attacher", lower=True)
    source = formats.mapping(spec.get("source"))
    for problem in formats.exactly_one(source, ("persistentVolumeName", "inlineVolumeSpec"), "volume"):
        yield problem.below(*formats.at(spec, "source"))


def _attributes_class(body: JsonObject) -> Iterator[Problem]:
    yield from driver(body, "driverName")
    yield from parameters(body)
    if not body.get("parameters"):
        yield formats.lacking(body, "parameters", "at least one")


def _capacity(body: JsonObject) -> Iterator[Problem]:
    yield from formats.named(body, "storageClassName", NameForm.SUBDOMAIN)


VALIDATORS: Validators = {
    "core/v1.TopologySelectorLabelRequirement": _topology,
    "storage/v1.CSIDriver": _csi_driver,
    "storage/v1.CSIDriverSpec": _csi_driver_spec,
    "storage/v1.CSINodeDriver": _csi_node_driver,
    "storage/v1.CSIStorageCapacity": _capacity,
    "storage/v1.StorageClass": _storage_class,
    "storage/v1.VolumeAttachmentSpec": _attachment,
    "storage/v1.VolumeAttributesClass": _attributes_class,
    "storage/v1beta1.VolumeAttributesClass": _attributes_class,
}
OBJECTS: Validators = {"core/v1.PersistentVolumeClaim": _claim}
