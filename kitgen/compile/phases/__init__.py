"""The phases of a migration: what a target brings to a cluster while kinds move.

In: a migration, and the objects of a target in the releases before, between and after. Out: the objects of
one phase, each with its sources, and what is missing. Nothing is replaced in texts.
"""

from kitgen.compile.phases.objects import PhaseMade, phase_objects
