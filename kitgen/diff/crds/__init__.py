"""Changes of CRDs, as far as clients, stored objects and the operator feel them."""

NOUN = "CRD"
"""What the objects are that change; a file of exceptions may name them so."""
