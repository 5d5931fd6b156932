"""Compare objects as a cluster sees them: lists by their keys, permissions by what they grant."""

from kitgen.diff.objects.compare import Comparison, compare, identity
from kitgen.diff.objects.difference import ABSENT, Absent, Difference, found_at

__all__ = ["ABSENT", "Absent", "Comparison", "Difference", "compare", "found_at", "identity"]
