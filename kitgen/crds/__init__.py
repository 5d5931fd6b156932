"""CRDs as short declarations.

In: parsed declarations and a Kubernetes minor, or real CRDs. Out: CRD bodies in which Kubernetes' types
are shared mappings, or declarations; and findings. It touches no file.
"""

from kitgen.crds.declare.conversion import Home
from kitgen.crds.declare.declaration import Expansion, expand
from kitgen.crds.schema.measure import shallow
from kitgen.crds.types.forms import type_name
