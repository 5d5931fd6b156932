"""Overlays in kustomize's own form: a base for each component, and how each target differs."""
