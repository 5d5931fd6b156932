"""From real CRDs to declarations that expand to exactly the same."""
