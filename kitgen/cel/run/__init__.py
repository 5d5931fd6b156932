"""Evaluate CEL rules over objects: the language, and the functions that Kubernetes adds to it.

In: parsed expressions and values. Out: values, or errors. Every evaluation has a bound on its steps.
"""
