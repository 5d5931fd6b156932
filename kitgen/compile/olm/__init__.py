"""An OLM bundle as objects: the ClusterServiceVersion is computed from what a component is compiled to.

In: a unit, and what the target and the component say of bundles. Out: a `Package`. Files are made of it
in emit/, and what catalogs ask of it is for check/.
"""

from kitgen.compile.olm.install import subscribed, unfit
from kitgen.compile.olm.package import Package, package
