"""Changes of CRDs, as far as clients, stored objects and the operator feel them."""
