"""Rules of OLM, operator-sdk, the community catalog and certification."""
