"""Model → Kubernetes objects of one target: pure, one module a family.

In: a `Kit`, a target and a release. Out: a `Plan` with `Unit`s, one a component: the objects as a base or
overlay holds them, the final objects as a cluster gets them, and findings. No text, no files.
"""

from kitgen.compile.parameters import Params, declared_images
from kitgen.compile.placement import Placement, components, place, shipped
from kitgen.compile.plan import Plan
from kitgen.compile.session import Session
from kitgen.compile.sourcing import ManifestSource, ParamImage, TargetSources, target_sources
from kitgen.compile.unit import Base, Unit
