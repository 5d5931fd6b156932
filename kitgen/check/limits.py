"""Check sizes: what is too large for an annotation, for etcd or for one directory of Argo CD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.crd.definition import is_crd
from kitgen.findings import Origin, Problem, get_rule, make_problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.object_size import MAX_ANNOTATIONS, SMALL, measure_oversize
from kitgen.text.yaml import JsonObject

MAX_STORED = 3 * 1024 * 1024 // 2
MAX_REQUEST = 3 * 1024 * 1024
MAX_DIRECTORY = 10_000_000

SIZE_APPLY = get_rule("size-apply")


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield objects that are too large; what one spec makes too large in several targets is one finding."""
    apply: dict[tuple[Origin, ObjectId], list[tuple[int, CheckHit]]] = {}
    for target, manifest in context.list_objects():
        if (size := context.get_view(target, manifest).size) <= SMALL:
            continue
        own = is_kubernetes_group(manifest.id.group, context.minors_of(target, manifest))
        yield from (
            CheckHit(target, manifest, wrong) for wrong in _check_stored_size(manifest, size, own=own)
        )
        if found := _check_apply_size(manifest.body, size):
            largest, wrong = found
            same = apply.setdefault((manifest.find_origin(()), manifest.id), [])
            same.append((largest, CheckHit(target, manifest, wrong)))
    for some in apply.values():
        _, told = max(some, key=lambda each: each[0])
        yield from (hit._replace(problem=told.problem) for _, hit in some)


def check_directory_size(sizes: Sequence[int]) -> Problem | None:
    """Return why Argo CD would not read some files as one directory, None if it would."""
    if (total := sum(sizes)) <= MAX_DIRECTORY:
        return None
    where = f"{len(sizes)} files of manifests" if len(sizes) > 1 else "manifests"
    return make_problem(
        "size-directory",
        f"found {where} of {total:,} bytes, of which Argo CD reads {MAX_DIRECTORY:,} in one directory",
        hint="split it, or raise reposerver.max.combined.directory.manifests.size",
    )


def _check_stored_size(manifest: Manifest, size: int, *, own: bool) -> Iterator[Problem]:
    """Report that an object is too large to be stored, however it is applied."""
    body = manifest.body
    limit = MAX_REQUEST if own and not is_crd(body) else MAX_STORED
    if size > limit:
        whom = "the API server reads" if limit == MAX_REQUEST else "etcd takes"
        yield make_problem(
            "size-stored",
            f"found an object of {size:,} bytes as JSON, expected at most {limit:,}, which {whom}",
            hint="split it, or make it smaller",
        )


def _check_apply_size(body: JsonObject, size: int) -> tuple[int, Problem] | None:
    """Return the size of an object that has no room in its own annotations, and that it has none."""
    if (found := measure_oversize(body, size)) is None:
        return None
    size, more = found
    room = f", of which {more:,} are taken" if size <= MAX_ANNOTATIONS else ""
    message = (
        f"found an object of {size:,} bytes as JSON, which `kubectl apply` keeps in an annotation, "
        f"expected at most {MAX_ANNOTATIONS:,}{room}"
    )
    hint = "kubectl apply --server-side, or the sync option ServerSideApply=true of Argo CD"
    return size, SIZE_APPLY(message, hint=hint)
