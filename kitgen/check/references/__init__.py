"""What objects say of each other: selectors, ports, and names of objects that are there or not.

Each module knows one sort of reference and looks at the objects of one target at a time, through
`TargetObjects`.
What is sure is an error: both sides are there and do not fit. What nobody can know without the cluster is
a warning at most: where the other side is plainly left to others, nothing is said at all.
"""
