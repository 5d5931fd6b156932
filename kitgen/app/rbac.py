"""Run `kitgen rbac`: resolve bindings, groups and aggregation to who can do what, and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kitgen.app.rbac_report import Permissions, build_permissions
from kitgen.check.index import TargetIndex
from kitgen.findings.errors import UsageError
from kitgen.kit.shipped_trees import read_shipped_tree
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, Access, RbacSubject
from kitgen.kube.rbac.subjects import list_subject_access
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import raise_on_errors
from kitgen.workspace.sources import FORMS, Kits, SourceKind, add_revision_to_errors, parse_source


def resolve_permissions(root: Path | None, source: str) -> Permissions:
    """Return everybody whom the objects of a source give a permission, and the accounts of their pods."""
    objects = _read_objects(root, source)
    runs: dict[RbacSubject, dict[str, None]] = {}
    for pod in TargetIndex(objects).pods:
        name = str(pod.spec.get("serviceAccountName") or pod.spec.get("serviceAccount") or "default")
        runs.setdefault(RbacSubject(ACCOUNT, pod.namespace, name), {})[str(pod.manifest.id)] = None
    return build_permissions(list_subject_access(Access(objects), objects, runs))


def _read_objects(root: Path | None, source: str) -> Sequence[Manifest]:
    kits = Kits(root)
    name = kits.resolve(parse_source(source))
    if name.is_foreign:
        real = read_shipped_tree(name.file, kits.intake, most=None)
        real.raise_on_findings()
        return real.manifests
    if name.kind not in (SourceKind.TARGET, SourceKind.COMPONENT):
        hint = (
            f"expected {FORMS[SourceKind.TARGET]}, {FORMS[SourceKind.COMPONENT]}, or {FORMS[SourceKind.PATH]}"
        )
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.open_at(name.revision)
    with add_revision_to_errors(opened):
        made = compile_source(opened, name, checked=False)
        raise_on_errors(made.findings, opened.root)
    return made.objects
