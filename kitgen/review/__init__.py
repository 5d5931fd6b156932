"""What changes on a cluster between two states, worst first.

In: the objects of two states, by target. Out: changes, each with its risk, the rule that says so, where it
holds and which place in the specs caused it. Nothing that a cluster can see is left out. It reads no files.
"""

from kitgen.review.change import Hold, Reviewed
from kitgen.review.diffed import Diffed
from kitgen.review.joining import HELD, joined
from kitgen.review.reviewing import review
from kitgen.review.scope import Scope
