"""Bundles of OLM: what OLM, operator-sdk, the community's catalog and certification ask of them.

In: bundles as `load` reads them or as the kit renders them, and under which terms. Out: findings. Families
are modules with functions from a bundle to faults, in the table of the engine; which of their rules count,
and how much, is data in `profiles`. The update graph of a package stands beside them.
"""

from kitgen.check.bundle.engine import check_bundle, check_package
from kitgen.check.bundle.profiles import Profile, counted_in
from kitgen.check.bundle.terms import Terms
