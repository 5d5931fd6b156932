"""Run `kitgen rbac`: resolve bindings, groups and aggregation to who can do what, and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kitgen.app.rbac_report import Permissions, permissions_of
from kitgen.check.index import TargetIndex
from kitgen.findings.errors import UsageError
from kitgen.kit.shipped_trees import read_real
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, Access, RbacSubject
from kitgen.kube.rbac.subjects import people
from kitgen.workspace.compilation import compiled
from kitgen.workspace.kit import require
from kitgen.workspace.sources import FORMS, Kits, SourceKind, in_revision, parse_source


def permissions(root: Path | None, source: str) -> Permissions:
    """Return everybody whom the objects of a source give a permission, and the accounts of their pods."""
    objects = _objects(root, source)
    runs: dict[RbacSubject, dict[str, None]] = {}
    for pod in TargetIndex(objects).pods:
        name = str(pod.spec.get("serviceAccountName") or pod.spec.get("serviceAccount") or "default")
        runs.setdefault(RbacSubject(ACCOUNT, pod.namespace, name), {})[str(pod.manifest.id)] = None
    return permissions_of(people(Access(objects), objects, runs))


def _objects(root: Path | None, source: str) -> Sequence[Manifest]:
    kits = Kits(root)
    name = kits.resolve(parse_source(source))
    if name.foreign:
        real = read_real(name.file, kits.intake, most=None)
        real.stop()
        return real.manifests
    if name.kind not in (SourceKind.TARGET, SourceKind.COMPONENT):
        hint = (
            f"expected {FORMS[SourceKind.TARGET]}, {FORMS[SourceKind.COMPONENT]}, or {FORMS[SourceKind.PATH]}"
        )
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.at(name.revision)
    with in_revision(opened):
        made = compiled(opened, name, checked=False)
        require(made.findings, opened.root)
    return made.objects
