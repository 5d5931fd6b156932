"""CEL, the expression language of Kubernetes: parse, compile against types, run."""
