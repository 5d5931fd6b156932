"""What OLM needs of a target: its bundle, and the objects that have a cluster install it."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compile import Plan
from kitgen.emit.kustomize.files import kustomization, object_files
from kitgen.emit.olm.bundle import bundle_files
from kitgen.emit.olm.community import package_files
from kitgen.emit.tree import FileTree, below
from kitgen.root import BUNDLE, INSTALL

__all__ = ["olm", "package_files"]


def olm(plans: Iterable[Plan]) -> FileTree:
    """Return the files of bundles and installations, by their path below overlays/."""
    tree: FileTree = {}
    for plan in plans:
        if plan.package is not None:
            made = below(BUNDLE, bundle_files(plan.package)) | below(INSTALL, _install_files(plan))
            tree |= below(plan.target.name, made)
    return tree


def _install_files(plan: Plan) -> FileTree:
    """Return the objects that have OLM install the bundle, and what builds them."""
    files = object_files(plan.subscribed, origins=(plan.target.origin.file,))
    listed = {"resources": list(files), "sortOptions": {"order": "fifo"}}
    return {"kustomization.yaml": kustomization(listed, plan.target.origin.file), **files}
