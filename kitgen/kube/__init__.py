"""Kubernetes objects: identity, names, images, permissions, definitions of each minor, schemas."""
