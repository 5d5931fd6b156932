"""CRDs as short declarations: declarations expand to CRDs, and real CRDs become declarations again."""
