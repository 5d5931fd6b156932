"""Overlays for kustomize: a base per component, and how each target differs from it.

In: plans. Out: file trees that kustomize builds to the objects of the plans. It must not write to the disk.
"""
