"""Check sizes: what is too large for an annotation, for etcd or for one directory of Argo CD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.check.views import Minors, ObjectView
from kitgen.crd.definition import is_crd
from kitgen.findings import Problem, make_problem
from kitgen.kube.object_size import MAX_ANNOTATIONS, SMALL, measure_oversize
from kitgen.text.yaml import JsonObject

MAX_STORED = 3 * 1024 * 1024 // 2
MAX_REQUEST = 3 * 1024 * 1024
MAX_DIRECTORY = 10_000_000


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield objects that are too large."""
    yield from context.check_each(_check_object)


def _check_object(view: ObjectView, minors: Minors) -> Iterator[Problem]:
    if view.size > SMALL:
        own = is_kubernetes_group(view.id.group, minors)
        yield from _check_stored_size(view.body, view.size, own=own)
        yield from _check_apply_size(view.body, view.size)


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


def _check_stored_size(body: JsonObject, size: int, *, own: bool) -> Iterator[Problem]:
    """Report that an object is too large to be stored, however it is applied."""
    limit = MAX_REQUEST if own and not is_crd(body) else MAX_STORED
    if size > limit:
        whom = "the API server reads" if limit == MAX_REQUEST else "etcd takes"
        yield make_problem(
            "size-stored",
            f"found an object of {size:,} bytes as JSON, expected at most {limit:,}, which {whom}",
            hint="split it, or make it smaller",
        )


def _check_apply_size(body: JsonObject, size: int) -> Iterator[Problem]:
    """Report that an object has no room in its own annotations."""
    if found := measure_oversize(body, size):
        size, more = found
        room = f", of which {more:,} are taken" if size <= MAX_ANNOTATIONS else ""
        # Rounded, so that what one spec makes too large in several targets is one finding.
        message = (
            f"found an object of {size / 1e6:.2f} MB as JSON, which `kubectl apply` keeps in an annotation, "
            f"expected at most {MAX_ANNOTATIONS:,} bytes{room}"
        )
        hint = "kubectl apply --server-side, or the sync option ServerSideApply=true of Argo CD"
        yield make_problem("size-apply", message, hint=hint)
