"""Kustomize's own form: a base a component, and overlays that say how a target differs."""

from kitgen.emit.kustomize.tree import overlays
