"""The table of outputs: each a function from plans to a file tree. A new one is a module and its row here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kitgen.argocd.files import argocd
from kitgen.olm.bundle_files import olm
from kitgen.render.file_tree import FileTree
from kitgen.render.odh_export import export
from kitgen.render.overlays.tree import overlays
from kitgen.render.plan import Plan


def _snapshots(plans: Iterable[Plan]) -> FileTree:
    from kitgen.render.snapshots import snapshots  # a render has no need of it

    return snapshots(plans)


OUTPUTS: dict[str, Callable[[Sequence[Plan]], FileTree]] = {
    "argocd": argocd,
    "kustomize": overlays,
    "odh": export,
    "olm": olm,
    "snapshot": _snapshots,
}
"""What `kitgen render` writes, what the ODH operator mounts, what reviewers read."""
RENDERED = ("kustomize", "olm", "argocd")


def rendered(plans: Sequence[Plan]) -> FileTree:
    """Return all that `kitgen render` writes."""
    return {path: text for name in RENDERED for path, text in OUTPUTS[name](plans).items()}
