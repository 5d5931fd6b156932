"""Import real CRDs as declarations that expand to exactly the same.

In: CRD bodies. Out: declarations and the minor that they need. It must not touch files.
"""
