"""Validate every object strictly against the schema of its kind, for each minor of the range.

In: objects, the minors of their target, and CRDs. Out: problems with paths.
"""
