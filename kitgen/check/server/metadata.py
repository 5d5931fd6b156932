"""Metadata of every object, and values with a syntax of their own: quantities, integers, times.

Names and labels are checked by `check/identity`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from kitgen.check.server.rules import SERVER_INVALID
from kitgen.crd.validate.metadata import check_metadata_rules
from kitgen.findings import Problem, make_problem
from kitgen.kube.identity import is_namespaced
from kitgen.text.formats import is_timestamp
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, text_entries_at
from kitgen.text.wording import describe_value, join_words
from kitgen.text.yaml import Json, JsonObject

LEVELS = ("privileged", "baseline", "restricted")
LEVEL_LABELS = tuple(f"pod-security.kubernetes.io/{mode}" for mode in ("enforce", "audit", "warn"))
VERSION_LABELS = tuple(f"{label}-version" for label in LEVEL_LABELS)
LEVEL_VERSION = compile_late(r"latest|v1\.(0|[1-9][0-9]*)")
FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
LOOSE = frozenset(
    {"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "policy"}
)
"""Groups in which a finalizer needs no domain."""


def check(body: JsonObject, group: str, kind: str) -> Iterator[Problem]:
    """Yield what is wrong with the metadata of an object."""
    if not isinstance(meta := body.get("metadata"), dict):
        return
    yield from (
        wrong.prefix_path("metadata")
        for wrong in (*check_metadata_rules(meta), *_check_metadata_fields(meta, group, kind))
    )


def _check_pod_security_labels(meta: JsonObject) -> Iterator[Problem]:
    """Yield labels of a namespace that the admission of pods cannot read, and refuses."""
    for key, value in map_at(meta, "labels").items():
        if key in LEVEL_LABELS and value not in LEVELS:
            yield SERVER_INVALID(
                f"found {describe_value(value)}, expected {join_words(LEVELS)}", ("labels", key)
            )
        elif key in VERSION_LABELS and not (isinstance(value, str) and LEVEL_VERSION.fullmatch(value)):
            yield SERVER_INVALID(
                f"found {describe_value(value)}, expected latest, or a version such as v1.30", ("labels", key)
            )


def _check_metadata_fields(meta: JsonObject, group: str, kind: str) -> Iterator[Problem]:
    if (group, kind) == ("", "Namespace"):
        yield from _check_pod_security_labels(meta)
    for index, name in text_entries_at(meta, "finalizers") if group not in LOOSE else ():
        if "/" not in name and name not in FINALIZERS:
            yield SERVER_INVALID(
                (
                    f"found {describe_value(name)}, expected {join_words(FINALIZERS)}, or a domain and / "
                    "before it"
                ),
                ("finalizers", index),
            )
    if (space := meta.get("namespace")) and not is_namespaced(group, kind):
        yield make_problem(
            "namespace-dropped",
            (
                f"found the namespace {describe_value(space)}, which the API server drops: the kind is "
                "cluster-scoped"
            ),
            ("namespace",),
            "remove it",
        )
    version = meta.get("resourceVersion")
    # One that was read from a cluster has a uid too, and is not to be made.
    if isinstance(version, str) and version.isdecimal() and version.strip("0") and not meta.get("uid"):
        yield make_problem(
            "server-forbidden",
            "found the version of a stored object, expected none of one that is to be made",
            ("resourceVersion",),
            "remove it",
        )


Reader: TypeAlias = tuple[Callable[[Json], bool], str]
"""Whether a value can be read, and what is expected otherwise; schemas report values of another type."""

DIGITS = r"[+-]?[0-9]*(?:\.[0-9]*)?"
AMOUNT = compile_late(rf"(?=.){DIGITS}(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{{1,18}})?")


def is_quantity(value: Json) -> bool:
    """Return whether an API server reads a value as an amount; it needs no digit before a unit."""
    return not isinstance(value, str) or AMOUNT.fullmatch(value.strip(" \t\n\v\f\r")) is not None


def _is_time(value: Json) -> bool:
    return not isinstance(value, str) or is_timestamp(value)


def _build_number_reader(bits: int) -> Reader:
    bound = 1 << (bits - 1)
    return (
        lambda value: (
            isinstance(value, bool) or not isinstance(value, int | float) or -bound <= value < bound
        ),
        f"a number of {bits} bits",
    )


TIME: Reader = (_is_time, "a time such as 2024-01-31T12:00:00Z")
READERS: Mapping[str, Reader] = {
    "int32": _build_number_reader(32),
    "int64": _build_number_reader(64),
    "intstr.IntOrString": _build_number_reader(32),
    "meta/v1.MicroTime": TIME,
    "meta/v1.Time": TIME,
    "resource.Quantity": (is_quantity, "an amount such as 500m, 2 or 1.5Gi"),
}
"""Short name of a definition, or format of a number → how such values are read."""
