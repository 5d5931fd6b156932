"""Rules of migrations: what still speaks of an old kind, what a move hides, and what loses data on the way.

In: kinds that move with their CRDs, and objects of any shape. Out: problems, each with the object that it is
of, and findings of the migration itself. Nothing here knows files, targets or how phases are made.
"""
