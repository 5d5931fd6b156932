"""What `kitgen rbac` does: who can do what where, with bindings, groups and aggregation resolved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from kitgen.check.index import Index
from kitgen.crds.declare.names import Declared, declarations
from kitgen.errors import UsageError
from kitgen.load.real import read_real
from kitgen.objects import Manifest
from kitgen.objects.rbac.access import ACCOUNT, Access, Holder
from kitgen.objects.rbac.people import Person, people
from kitgen.pipeline.asking import Names, parse_question
from kitgen.pipeline.asking import question as find_question
from kitgen.pipeline.build import compiled
from kitgen.pipeline.opened import require
from kitgen.pipeline.sources import FORMS, Kind, Kits, in_revision, parse_source


class PermissionsRequest(Struct, frozen=True, kw_only=True):
    """Whose permissions to tell."""

    root: Path | None = None
    source: str
    can: str = ""
    """A verb and a resource or URL: only those who may do that."""


def permissions(request: PermissionsRequest) -> list[Person]:
    """Return everybody whom the objects of a source give a permission, and the accounts of their pods."""
    asked = parse_question(request.can)
    objects, declared = _objects(request)
    access = Access(objects)
    question = find_question(asked, Names(access, objects, declared)) if asked else None
    runs: dict[Holder, dict[str, None]] = {}
    for pod in Index(objects).pods:
        name = str(pod.spec.get("serviceAccountName") or pod.spec.get("serviceAccount") or "default")
        runs.setdefault(Holder(ACCOUNT, pod.namespace, name), {})[str(pod.manifest.id)] = None
    return people(access, objects, runs, question.narrowed if question else None)


def _objects(request: PermissionsRequest) -> tuple[Sequence[Manifest], list[Declared]]:
    """Return the objects of a source, and what the CRDs of its kit are called."""
    kits = Kits(request.root)
    name = kits.resolve(parse_source(request.source))
    if name.foreign:
        real = read_real(name.file, kits.intake, most=None)
        real.stop()
        return real.manifests, []
    if name.kind not in (Kind.TARGET, Kind.COMPONENT):
        hint = f"expected {FORMS[Kind.TARGET]}, {FORMS[Kind.COMPONENT]}, or {FORMS[Kind.PATH]}"
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.at(name.revision)
    with in_revision(opened):
        made = compiled(opened, name, checked=False)
        require(made.findings, opened.root)
    return made.objects, declarations(opened.kit)
