"""Typed views of Kubernetes objects: names, pods, Services, selectors, CRDs, images, permissions.

In: objects of any shape. Out: views, and facts about them. It must not know specs or touch files, except for
the data that ships with kitgen.
"""
