"""The phases of a migration: what a target deploys to a cluster while kinds move.

In: a migration and the compiled releases of a target. Out: the objects of each phase, and findings.
"""
