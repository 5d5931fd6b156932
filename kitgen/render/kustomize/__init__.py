"""What kustomize does, a module a filter: patches, labels, namespace, names, field paths, merge keys.

In: objects and plain rules. Out: objects, and problems. It knows no specs and no targets.
"""
