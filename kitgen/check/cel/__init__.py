"""CEL expressions in objects: whether an API server takes them, and whether something bounds their cost.

In come the objects with the minors that they are for; out come findings at each expression. Expressions
are compiled by `kitgen.cel`, and none is evaluated here.
"""
