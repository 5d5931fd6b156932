"""Hold every object of Kubernetes' own kinds to what an API server asks beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.schemas.catalog import is_own, serving
from kitgen.check.server import walk, workloads
from kitgen.kubernetes import Kind, kinds
from kitgen.objects import split_api_version

VALIDATORS: walk.Validators = {**workloads.VALIDATORS}


def check(context: Context) -> Iterator[Hit]:
    """Yield what an API server would refuse, as the newest minor of the range has it."""
    for target, manifest in context.objects():
        minors = context.minors_of(target, manifest)
        body = manifest.body
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not is_own(kind.group, minors) or not (served := serving(kind, minors)):
            continue  # schemas tell of it
        name = kinds(served[-1])[kind]
        for problem in walk.problems(body, name, served[-1], VALIDATORS):
            yield Hit(target, manifest, problem)
