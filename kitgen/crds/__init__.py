"""CRDs as short declarations.

In: parsed declarations and a Kubernetes minor, or real CRDs. Out: CRD bodies in which Kubernetes' types
are shared mappings, or declarations; and findings. It touches no file.
"""

from kitgen.crds.conversion import Home
from kitgen.crds.declaration import Expansion, expand
from kitgen.crds.measure import fold
from kitgen.crds.types import type_name

__all__ = ["Expansion", "Home", "expand", "fold", "type_name"]
