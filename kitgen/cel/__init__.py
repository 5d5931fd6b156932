"""CEL, the expression language of Kubernetes: parse, compile against types, evaluate.

In: expressions, and schemas or values. Out: compiled programs, results and errors. It must not know
kits, touch files or make findings.
"""
