"""Check identities: objects that collide, and names and labels that a cluster refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.check.schemas.embedded import FILLED_IN, classify_problem
from kitgen.check.views import Minors, ObjectView
from kitgen.findings import Path, Problem
from kitgen.kube.identity import OBJECT_DUPLICATE, ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.names import check_labels, check_object_names
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield collisions and wrong names and labels."""
    for target, manifests in context.targets.items():
        first: dict[ObjectId, Manifest] = {}
        for manifest in manifests:
            if (other := first.setdefault(manifest.id, manifest)) is not manifest:
                where = f" in the namespace {manifest.id.namespace}" if manifest.id.namespace else ""
                message = f"found a second {manifest.id}{where}, expected every object once"
                hint = f"the first comes from {other.find_origin(())}"
                yield CheckHit(target, manifest, OBJECT_DUPLICATE(message, ("metadata", "name"), hint))
    yield from context.check_each(_check_object)


def _check_object(each: ObjectView, minors: Minors) -> Iterator[Problem]:
    yield from check_object_names(each.body)
    own = is_kubernetes_group(each.id.group, minors)
    for problem in _check_labels(_list_labelled_mappings(each), own=own):
        yield classify_problem(problem, each.id, minors)


def _list_labelled_mappings(view: ObjectView) -> Sequence[tuple[Path, JsonObject]]:
    """Return the mappings that may have labels: that is the metadata alone, if nothing inside has some."""
    meta = map_at(view.body, "metadata")
    is_alone = meta and not view.may_contain("matchLabels") and not view.repeats("metadata")
    return [(("metadata",), meta)] if is_alone else view.mappings


def _check_labels(mappings: Sequence[tuple[Path, JsonObject]], *, own: bool) -> Iterator[Problem]:
    for path, mapping in mappings:
        for key in ("labels", "annotations") if path and path[-1] == "metadata" else ("matchLabels",):
            if key in mapping:
                pairs = (
                    mapping[key] if own or path[:1] == ("metadata",) else _drop_templated_labels(mapping[key])
                )
                yield from check_labels(pairs, (*path, key), values=key != "annotations")


def _drop_templated_labels(pairs: Json) -> Json:
    """Return labels without those that are filled in first."""
    if not isinstance(pairs, dict):
        return pairs
    return {
        key: value for key, value in pairs.items() if not any(sign in f"{key} {value}" for sign in FILLED_IN)
    }
