"""The family of identities: objects that collide, names and labels that a cluster refuses."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit, is_crd, mappings
from kitgen.findings import Path
from kitgen.objects import Form, Manifest, ObjectId, wrong_names, wrong_pairs
from kitgen.yamlio import JsonObject

RBAC = "rbac.authorization.k8s.io"
NAMED_BY_LABEL = frozenset({("", "Namespace"), ("", "Service")})


def check(context: Context) -> Iterator[Hit]:
    """Yield collisions and wrong names and labels."""
    for target, manifests in context.targets.items():
        first: dict[ObjectId, Manifest] = {}
        for manifest in manifests:
            other = first.setdefault(manifest.id, manifest)
            if other is not manifest:
                yield _duplicate(target, manifest, other)
            for rule, path, message in (*_names(manifest.body), *_labels(manifest.body)):
                yield Hit(rule=rule, target=target, manifest=manifest, path=path, message=message)


def _duplicate(target: str, manifest: Manifest, other: Manifest) -> Hit:
    where = f" in the namespace {manifest.id.namespace}" if manifest.id.namespace else ""
    return Hit(
        rule="object-duplicate",
        target=target,
        manifest=manifest,
        path=(),
        message=f"found a second {manifest.id}{where}, expected every object once",
        hint=f"the first comes from {other.origin(())}",
    )


def _names(body: JsonObject) -> Iterator[tuple[str, Path, str]]:
    metadata = body.get("metadata")
    identity = ObjectId.of(body)
    form = Form.SUBDOMAIN
    if identity.group == RBAC:
        form = Form.SEGMENT
    elif (identity.group, identity.kind) in NAMED_BY_LABEL:
        form = Form.LABEL
    for path, message in wrong_names(metadata if isinstance(metadata, dict) else {}, form):
        yield "name-invalid", ("metadata", *path), message


def _labels(body: JsonObject) -> Iterator[tuple[str, Path, str]]:
    # The schemas inside a CRD have fields named labels, which are none.
    where = {"metadata": body.get("metadata")} if is_crd(body) else body
    for path, mapping in mappings(where):
        for key in ("labels", "annotations") if path and path[-1] == "metadata" else ("matchLabels",):
            for at, message in wrong_pairs(mapping.get(key), (*path, key), values=key != "annotations"):
                yield "label-invalid", at, message
