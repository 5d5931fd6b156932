"""Check references between objects: selectors, ports, and names of other objects.

In: the objects of one target at a time, as `TargetObjects`. Out: problems. A definite mismatch of two known
sides is an error. What only the cluster can decide is a warning at most; where the other side is plainly left
to others, nothing is reported.
"""
