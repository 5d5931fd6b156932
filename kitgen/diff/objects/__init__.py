"""Compare objects as a cluster sees them: lists by their keys, permissions by what they grant."""

from kitgen.diff.objects.compare import Comparison, compare, identity
from kitgen.diff.objects.difference import ABSENT, Absent, Difference

__all__ = ["ABSENT", "Absent", "Comparison", "Difference", "compare", "identity"]
