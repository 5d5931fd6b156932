"""What no tool can do for people who migrate."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.runbook.changing import has_policy
from kitgen.runbook.risks import unguarded
from kitgen.runbook.scene import Scene


def limits_of(last: Scene, guarding: Scene) -> Iterator[str]:
    """Yield what is left to people, or to nobody."""
    yield "Decide when users stop submitting work, and tell them."
    yield (
        "Know the clients outside of this cluster: SDKs on laptops, pipelines, dashboards, alerts, scripts. "
        "What speaks an old kind in code, and not in a manifest, shows only when it fails."
    )
    yield "Drain running workloads. Whether one may be interrupted, only its owner knows."
    yield (
        "Carry status, UIDs, creation times, resource versions or managed fields over. The API server sets "
        "them. History that is stored by UID ends."
    )
    if last.across:
        yield (
            "Convert between groups on the server: conversion is within one CRD, and another group is "
            "another place in etcd."
        )
    yield (
        "Give children a new owner. The operator may take them up by their labels; else patch "
        "ownerReferences by hand."
    )
    yield (
        "Look inside of other objects: a resource that stands as text in a ConfigMap, or in a template of "
        "another one, stays as it is."
    )
    yield (
        "See resources that somebody makes between a check and the step after it. Keep the time between them "
        "short."
    )
    if not has_policy(guarding.migration, guarding.found.made):
        yield unguarded(guarding)
    yield "Bring back what was deleted without a backup."
