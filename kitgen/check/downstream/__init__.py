"""Hold files of others to a release of the kit: whether they say the versions that belong to it.

In: a kit, a release or none, known tags, and records of what was read. Out: findings in those files, and
remarks on what could not be compared. A module a kind of file; each is a function from terms and records.
"""

from kitgen.check.downstream.engine import Held, hold
from kitgen.check.downstream.terms import Terms
