"""Hold every object of Kubernetes' own kinds to what an API server asks beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.index import below, entries
from kitgen.check.schemas.catalog import is_own, serving
from kitgen.check.schemas.unread import as_heard
from kitgen.check.server import (
    containers,
    cronjobs,
    jobs,
    podspecs,
    probes,
    resources,
    scheduling,
    security,
    selectors,
    templates,
    volumes,
    walk,
    workloads,
)
from kitgen.kubernetes import Kind, kinds
from kitgen.objects import split_api_version
from kitgen.yamlio import JsonObject

VALIDATORS: walk.Validators = {
    **containers.VALIDATORS,
    **cronjobs.VALIDATORS,
    **jobs.VALIDATORS,
    **podspecs.VALIDATORS,
    **probes.VALIDATORS,
    **resources.VALIDATORS,
    **scheduling.VALIDATORS,
    **security.VALIDATORS,
    **selectors.VALIDATORS,
    **templates.VALIDATORS,
    **volumes.VALIDATORS,
    **workloads.VALIDATORS,
}
WALK = walk.Walk(VALIDATORS)


def check(context: Context) -> Iterator[Hit]:
    """Yield what an API server would refuse, as the newest minor of the range has it."""
    for target, manifest in context.objects():
        minors = context.minors_of(target, manifest)
        body = manifest.body
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not is_own(kind.group, minors) or not (served := serving(kind, minors)):
            continue  # schemas tell of it
        name, newest = kinds(served[-1])[kind], served[-1]
        whole = _with_claims(body) if kind.kind == "StatefulSet" else body
        for problem in WALK.problems(whole, name, newest):
            yield Hit(target, manifest, as_heard(problem, kind.kind, newest))


def _with_claims(body: JsonObject) -> JsonObject:
    """Return a StatefulSet with the volumes that its pods get of the claims it makes."""
    spec, pod = below(body, "spec"), below(body, "spec", "template", "spec")
    if not isinstance(spec, dict) or not isinstance(pod, dict):
        return body
    taken = {item.get("name") for _, item in entries(pod, "volumes")}
    claims = [below(each, "metadata", "name") for _, each in entries(spec, "volumeClaimTemplates")]
    more = [
        {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims if name not in taken
    ]
    own = pod.get("volumes")
    template = {
        **spec["template"],
        "spec": {**pod, "volumes": [*(own if isinstance(own, list) else []), *more]},
    }
    return {**body, "spec": {**spec, "template": template}}
