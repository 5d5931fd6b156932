"""Functions of admission: who may do what, which only a server can tell, and keys of JSON patches."""

from __future__ import annotations

from kitgen.crds.cel.run.table import function
from kitgen.crds.cel.run.values import UnknownError, Value


@function(
    ".path authorizer string -> path-check",
    ".group authorizer string -> group-check",
    ".serviceAccount authorizer string string -> authorizer",
    ".resource group-check string -> resource-check",
    ".subresource resource-check string -> resource-check",
    ".namespace resource-check string -> resource-check",
    ".name resource-check string -> resource-check",
    ".fieldSelector resource-check string -> resource-check",
    ".labelSelector resource-check string -> resource-check",
    ".check path-check string -> decision",
    ".check resource-check string -> decision",
    ".allowed decision -> bool",
    ".reason decision -> string",
    ".errored decision -> bool",
    ".error decision -> string",
)
def _asked(*_: Value) -> Value:
    raise UnknownError("what an authorizer says")


@function("jsonpatch.escapeKey string -> string")
def _key(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")
