"""Resources of old kinds → resources of the new ones, as a migration declares it.

In: an exported object, and the tables of a migration. Out: the object as it is to be applied, and what is
wrong with it. It reads no files, never changes what it is given, and leaves alone what it does not know.
"""

from kitgen.migrating.kinds import Moves, Standing, moves_of
from kitgen.migrating.ordering import parents_first
from kitgen.migrating.resources import Check, Outcome, Result, carry_over
from kitgen.migrating.restoring import restore
