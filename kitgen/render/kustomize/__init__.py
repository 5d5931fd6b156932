"""Kustomize's filters, one per module: patches, labels, namespace, names, field paths, merge keys.

In: objects and plain rules. Out: objects, and problems. It must not know specs or targets.
"""
