"""The spec language: read spec files strictly and build the model, with the origin of every value.

In: the files of a kit, or foreign manifests. Out: frozen models and objects, and findings. It must not render
objects or write files.
"""
