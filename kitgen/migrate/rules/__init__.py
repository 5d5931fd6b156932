"""Rules about migrations: mentions of an old kind, changes that a move hides, and loss of data.

In: kinds that move with their CRDs, and objects of any shape. Out: problems, each with its object, and
findings about the migration itself. Nothing here may know files, targets or how phases are made.
"""
