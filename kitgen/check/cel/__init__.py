"""CEL expressions in objects: whether an API server accepts them, and whether their cost is bounded.

In: objects with the minors that they are for. Out: problems at each expression. Expressions are compiled by
`kitgen.cel`, and none is evaluated here.
"""
