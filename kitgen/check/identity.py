"""The family of identities: objects that collide, names and labels that a cluster refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.context import Context, Hit, is_crd, mappings
from kitgen.findings import Path
from kitgen.objects import Manifest, ObjectId
from kitgen.wording import cut
from kitgen.yamlio import Json, JsonObject

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
WORD = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
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
    if not isinstance(metadata, dict):
        metadata = {}
    identity = ObjectId.of(body)
    name = metadata.get("name")
    if name is None or name == "":
        if not metadata.get("generateName"):
            yield "name-invalid", ("metadata",), "found an object without a name"
    elif isinstance(name, str) and (expected := _wrong_name(identity, name)):
        yield "name-invalid", ("metadata", "name"), f"found the name {cut(name)}, expected {expected}"
    space = metadata.get("namespace")
    if isinstance(space, str) and space and not _fits(LABEL, space, 63):
        message = f"found the namespace {cut(space)}, expected a DNS label of at most 63 characters"
        yield "name-invalid", ("metadata", "namespace"), message


def _wrong_name(identity: ObjectId, name: str) -> str:
    """Return what was expected of a name, or nothing when it is right."""
    if identity.group == RBAC:
        wrong = name in (".", "..") or "/" in name or "%" in name
        return "no / and no %" if wrong else ""
    if (identity.group, identity.kind) in NAMED_BY_LABEL:
        return "" if _fits(LABEL, name, 63) else "a DNS label of at most 63 characters"
    return "" if _fits(SUBDOMAIN, name, 253) else "a DNS subdomain of at most 253 characters"


def _labels(body: JsonObject) -> Iterator[tuple[str, Path, str]]:
    # The schemas inside a CRD have fields named labels, which are none.
    where = {"metadata": body.get("metadata")} if is_crd(body) else body
    for path, mapping in mappings(where):
        if path and path[-1] == "metadata":
            yield from _pairs(mapping.get("labels"), (*path, "labels"), values=True)
            yield from _pairs(mapping.get("annotations"), (*path, "annotations"), values=False)
        elif "matchLabels" in mapping:
            yield from _pairs(mapping["matchLabels"], (*path, "matchLabels"), values=True)


def _pairs(pairs: Json, path: Path, *, values: bool) -> Iterator[tuple[str, Path, str]]:
    for key, value in pairs.items() if isinstance(pairs, dict) else ():
        prefix, slash, word = key.rpartition("/")
        if not _fits(WORD, word, 63) or (slash and not _fits(SUBDOMAIN, prefix.lower(), 253)):
            message = (
                f"found the key {cut(key)}, expected a name, with a DNS subdomain and / before it if any"
            )
            yield "label-invalid", (*path, key), message
        if values and isinstance(value, str) and value and not _fits(WORD, value, 63):
            expected = "at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
            yield "label-invalid", (*path, key), f"found the value {cut(value)}, expected {expected}"


def _fits(pattern: re.Pattern[str], text: str, longest: int) -> bool:
    return len(text) <= longest and pattern.match(text) is not None and not text.endswith("\n")
