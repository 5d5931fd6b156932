"""Render the model into the objects of each target, and these into files: overlays, export, snapshots.

In: the model of a kit. Out: objects with the sources of their fields, file trees, and findings. It must not
read specs or write to the disk.
"""
