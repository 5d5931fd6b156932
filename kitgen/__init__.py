"""kitgen renders declarative component specs into kustomize overlays for several downstreams."""

__version__ = "0.1.0"
