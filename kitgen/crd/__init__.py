"""CRDs as short declarations: declarations expand to CRDs, and real CRDs become declarations again.

In: declarations, CRD bodies or custom resources. Out: the other form, outlines, and findings. It must not
touch files.
"""
