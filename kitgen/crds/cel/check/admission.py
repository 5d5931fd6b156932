"""What expressions of admission and of devices know, by the names that a server declares for them."""

from __future__ import annotations

from kitgen.crds.cel.check.types import BOOL, FREE, INT, STRING, Typed

TEXTS = Typed("list", STRING)
TIME = Typed("timestamp")
PAIRS = Typed("map", STRING)


def _object(**fields: Typed) -> Typed:
    return Typed("object", fields=fields)


def _texts(*names: str) -> dict[str, Typed]:
    return dict.fromkeys(names, STRING)


_KIND = _object(**_texts("group", "version", "kind"))
_RESOURCE = _object(**_texts("group", "version", "resource"))
_USER = _object(**_texts("username", "uid"), groups=TEXTS, extra=Typed("map", TEXTS))
REQUEST = _object(
    **_texts("subResource", "requestSubResource", "name", "namespace", "operation"),
    kind=_KIND,
    resource=_RESOURCE,
    requestKind=_KIND,
    requestResource=_RESOURCE,
    userInfo=_USER,
    dryRun=BOOL,
    options=FREE,
)
_METADATA = _object(
    **_texts("name", "generateName", "namespace", "UID", "resourceVersion"),
    labels=PAIRS,
    annotations=PAIRS,
    creationTimestamp=TIME,
    deletionTimestamp=TIME,
    deletionGracePeriodSeconds=INT,
    generation=INT,
    finalizers=TEXTS,
)
_CONDITION = _object(**_texts("status", "type", "message", "reason"), lastTransitionTime=TIME)
NAMESPACE = _object(
    metadata=_METADATA,
    spec=_object(finalizers=TEXTS),
    status=_object(phase=STRING, conditions=Typed("list", _CONDITION)),
)
NAMES = {"object": FREE, "oldObject": FREE, "request": REQUEST, "namespaceObject": NAMESPACE}
AUTHORIZER = {"authorizer": Typed("authorizer"), "authorizer.requestResource": Typed("resource-check")}
PARAMS = {"params": FREE}
_DOMAINS = {"attributes": FREE, "capacity": Typed("quantity")}
DEVICE = {
    "device": _object(
        driver=STRING,
        allowMultipleAllocations=BOOL,
        **{name: Typed("map", Typed("map", item)) for name, item in _DOMAINS.items()},
    )
}
STORED = frozenset({"bool", "bytes", "double", "duration", "int", "null", "string", "timestamp", "uint"})


def stored(found: Typed) -> Typed:
    """Return the type that a variable of a policy has, by that of its expression: others forget some."""
    if found.kind in ("list", "map"):
        return Typed(found.kind, stored(found.item) if found.item else None)
    if found.kind in STORED or (found.kind == "dyn" and not found.sure):
        return Typed(found.kind)
    return FREE
