"""What kustomize does, a module a rule: merge patches, field paths, merge keys.

In: plain objects. Out: plain objects, and problems. It knows no specs and no targets.
"""
