"""Objects → file tree: kustomize base and overlays, exports, flat manifests.

In: compiled units. Out: relative paths and their text. It writes nothing and runs nothing.
"""

from kitgen.emit.export import export_tree
from kitgen.emit.manifests import flat
from kitgen.emit.tree import Plan, apart_note, overlays_tree

__all__ = ["Plan", "apart_note", "export_tree", "flat", "overlays_tree"]
