"""Rules of identities: objects that collide, names and labels that a cluster refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import Context, Hit
from kitgen.findings import Chapter, Path, Problem, Rule
from kitgen.objects import RBAC, Manifest, NameForm, ObjectId, wrong_names, wrong_pairs
from kitgen.yamlio import JsonObject

OBJECT_DUPLICATE = Rule(
    id="object-duplicate",
    chapter=Chapter.IDENTITY,
    checks="No two objects of a target share group, kind, namespace and name.",
    fix="Rename or remove one; the hint says where the other comes from.",
)

NAMED_BY_LABEL = frozenset({("", "Namespace"), ("", "Service")})


def check(context: Context) -> Iterator[Hit]:
    """Yield collisions and wrong names and labels."""
    for target, manifests in context.targets.items():
        first: dict[ObjectId, Manifest] = {}
        for manifest in manifests:
            other = first.setdefault(manifest.id, manifest)
            if other is not manifest:
                where = f" in the namespace {manifest.id.namespace}" if manifest.id.namespace else ""
                message = f"found a second {manifest.id}{where}, expected every object once"
                hint = f"the first comes from {other.origin(())}"
                yield Hit(target, manifest, OBJECT_DUPLICATE(message, hint=hint))
            for problem in (*_names(manifest.body), *_labels(context.mappings(manifest))):
                yield Hit(target, manifest, problem)


def _names(body: JsonObject) -> Iterator[Problem]:
    metadata = body.get("metadata")
    identity = ObjectId.of(body)
    form = NameForm.SUBDOMAIN
    if identity.group == RBAC:
        form = NameForm.SEGMENT
    elif (identity.group, identity.kind) in NAMED_BY_LABEL:
        form = NameForm.LABEL
    for problem in wrong_names(metadata if isinstance(metadata, dict) else {}, form):
        yield problem.below("metadata")


def _labels(mappings: Sequence[tuple[Path, JsonObject]]) -> Iterator[Problem]:
    for path, mapping in mappings:
        for key in ("labels", "annotations") if path and path[-1] == "metadata" else ("matchLabels",):
            if key in mapping:
                yield from wrong_pairs(mapping[key], (*path, key), values=key != "annotations")
