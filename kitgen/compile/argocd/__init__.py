"""What Argo CD needs beside the objects of a target: notes on each of them, an AppProject and Applications.

In: the units of a target, and what it says of Argo CD. Out: `Synced`. The objects themselves stay as they
are; files are made in emit/, a layer over the overlays.
"""

from kitgen.compile.argocd.apps import clashes
from kitgen.compile.argocd.layers import Synced, SyncLayer
from kitgen.compile.argocd.notes import CHECKSUM, Noted
from kitgen.compile.argocd.synced import fleet_set, synced
from kitgen.compile.argocd.waves import WAVES, Wave
