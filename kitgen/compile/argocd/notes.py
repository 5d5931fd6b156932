"""What Argo CD reads on an object: its wave, and how it is synced. What the object says already stays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import TypeAlias

from msgspec import Struct

from kitgen.compile.argocd.waves import WAVES, Wave, is_built_in, wave_of
from kitgen.kustomize.nameref import PLACES
from kitgen.kustomize.ways import changed, places
from kitgen.objects import Manifest
from kitgen.objects.sizes import SYNC_OPTIONS, needs_server_side, sync_options
from kitgen.yamlio import Json, JsonObject

SYNC_WAVE = "argocd.argoproj.io/sync-wave"
CHECKSUM = "checksum/config"
ANNOTATIONS = ("metadata", "annotations")
TEMPLATE = ("spec", "template", "metadata", "annotations")
RESTARTED = ("Deployment", "StatefulSet", "DaemonSet")
"""Kinds of `apps` whose pods are replaced when their template changes."""
GUARDED = (Wave.NAMESPACES, Wave.CRDS)
Configuration: TypeAlias = Mapping[tuple[str, str], JsonObject]
"""Namespace and name → ConfigMap."""


class Noted(Struct, frozen=True, kw_only=True):
    """An object, and the annotations that it gets."""

    manifest: Manifest
    wave: Wave
    annotations: dict[str, str]
    template: dict[str, str]
    """Those of its pods."""

    @property
    def annotated(self) -> Manifest:
        """Return the object as Argo CD gets it."""
        body = self.manifest.body
        for path, more in ((ANNOTATIONS, self.annotations), (TEMPLATE, self.template)):
            if more:
                body = changed(body, path, partial(_joined, more))
        return self.manifest.with_(body)


def noted(manifest: Manifest, configuration: Configuration, *, guard: bool, shift: int = 0) -> Noted:
    """Return an object with what Argo CD is to know of it; waves of a later component are shifted."""
    wave, given = wave_of(manifest.id), _annotations(manifest.body, *ANNOTATIONS)
    notes = {} if SYNC_WAVE in given else {SYNC_WAVE: str(WAVES[wave][0] + shift)}
    said = sync_options(given)
    options = _more(said, _options(manifest, wave, guard=guard))
    notes |= _said(said, options)
    if needs_server_side(_with(manifest.body, {**given, **notes})):
        notes |= _said(said, _more(options, ["ServerSideApply=true"]))
    return Noted(
        manifest=manifest, wave=wave, annotations=notes, template=dict(_checksum(manifest, configuration))
    )


def _said(before: list[str], options: list[str]) -> dict[str, str]:
    return {} if options == before else {SYNC_OPTIONS: ",".join(options)}


def _options(manifest: Manifest, wave: Wave, *, guard: bool) -> Iterator[str]:
    if guard and wave in GUARDED:
        yield from ("Prune=confirm", "Delete=confirm")
    if not is_built_in(manifest.id.group):
        yield "SkipDryRunOnMissingResource=true"


def _more(options: list[str], wanted: Iterator[str] | list[str]) -> list[str]:
    """Return options with others that they say nothing of."""
    said = {each.partition("=")[0] for each in options}
    return [*options, *(each for each in wanted if each.partition("=")[0] not in said)]


def _checksum(manifest: Manifest, configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield a hash of all ConfigMaps that the pods of an object read, if there are any."""
    body, identity = manifest.body, manifest.id
    if (identity.group, identity.kind) not in {("apps", kind) for kind in RESTARTED}:
        return
    named = {str(name) for way in PLACES[identity.kind] for _, name in places(body, way)}
    read = {
        name: {key: found[key] for key in ("data", "binaryData") if key in found}
        for name in sorted(named)
        if (found := configuration.get((identity.namespace, name)))
    }
    if read and CHECKSUM not in _annotations(body, *TEMPLATE):
        text = json.dumps(read, sort_keys=True, separators=(",", ":"))
        yield CHECKSUM, sha256(text.encode()).hexdigest()


def _joined(more: dict[str, str], given: Json) -> Json:
    return {**(given or {}), **more}


def _annotations(body: JsonObject, *path: str) -> JsonObject:
    found: Json = body
    for step in path:
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _with(body: JsonObject, annotations: JsonObject) -> JsonObject:
    return {**body, "metadata": {**body["metadata"], "annotations": annotations}}
