"""Metadata of every object; names and labels are another check's."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import forms
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID
from kitgen.crds.validate.metadata import NAMESPACE_DROPPED, asked_faults
from kitgen.findings import Problem
from kitgen.objects import is_namespaced
from kitgen.schema.wording import choice, shown
from kitgen.yamlio import JsonObject

FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
LOOSE = frozenset(
    {"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "policy"}
)
"""Groups in which a finalizer needs no domain."""


def check(body: JsonObject, group: str, kind: str) -> Iterator[Problem]:
    """Yield what is wrong with the metadata of an object."""
    meta = body.get("metadata")
    if not isinstance(meta, dict):
        return
    for problem in (*asked_faults(meta), *_own(meta, group, kind)):
        yield problem.below("metadata")


def _own(meta: JsonObject, group: str, kind: str) -> Iterator[Problem]:
    for index, name in enumerate(forms.items(meta.get("finalizers")) if group not in LOOSE else ()):
        if isinstance(name, str) and "/" not in name and name not in FINALIZERS:
            message = f"found {shown(name)}, expected {choice(FINALIZERS)}, or a domain and / before it"
            yield SERVER_INVALID(message, ("finalizers", index))
    if (space := meta.get("namespace")) and not is_namespaced(group, kind):
        message = (
            f"found the namespace {shown(space)}, which the API server drops: the kind is cluster-scoped"
        )
        yield NAMESPACE_DROPPED(message, ("namespace",), "remove it")
    version = meta.get("resourceVersion")
    # One that was read from a cluster has a uid too, and is not to be made.
    if isinstance(version, str) and version.isdecimal() and version.strip("0") and not meta.get("uid"):
        message = "found the version of a stored object, expected none of one that is to be made"
        yield SERVER_FORBIDDEN(message, ("resourceVersion",), "remove it")
