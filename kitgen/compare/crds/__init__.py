"""Compare CRDs as clients, stored objects and the operator see them."""
