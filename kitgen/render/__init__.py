"""The model becomes the objects of a target, and these become files: overlays, the export, snapshots."""
