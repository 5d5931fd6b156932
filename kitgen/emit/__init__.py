"""Plans → file trees: kustomize's bases and overlays, what Argo CD syncs, the ODH export, snapshots.

In: plans. Out: relative paths and their text, from a table of outputs. It writes nothing, runs nothing,
and asks compile nothing: a plan has it all.
"""

from kitgen.emit.kustomize.base import Bases
from kitgen.emit.kustomize.overlay import bundle_note
from kitgen.emit.outputs import OUTPUTS, rendered
from kitgen.emit.tree import FileTree
