"""An object as reviewers read it: as it is, but for secrets; a CRD as an outline."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.outline.text import outline
from kitgen.emit.snapshot.names import CRD
from kitgen.objects import Manifest, ObjectId
from kitgen.schema.secrets import redacted
from kitgen.yamlio import JsonObject, dump

MASK = "(masked)"


def snapshot(manifest: Manifest, identity: ObjectId) -> str:
    """Return the text of an object under the name that stays the same."""
    body = manifest.body
    if identity.kind == CRD:
        return "".join(_metadata(body)) + outline(body)
    if identity.kind == "Secret":
        secret = {key: value for key, value in body.items() if key in ("data", "stringData")}
        masked = {
            key: dict.fromkeys(value, MASK) if isinstance(value, dict) else MASK
            for key, value in secret.items()
        }
        body = {**redacted(body), **masked}  # an annotation may hold all of it
    if identity.name != manifest.id.name:
        body = {**body, "metadata": {**body["metadata"], "name": identity.name}}
    return dump(body)


def _metadata(body: JsonObject) -> Iterator[str]:
    """Yield one line a label or annotation, which an outline does not show."""
    for kind in ("labels", "annotations"):
        for key, value in sorted((body["metadata"].get(kind) or {}).items()):
            yield f"{kind.removesuffix('s')} {key}={value}\n"
