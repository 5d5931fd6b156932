"""OLM: bundles compiled from components, bundles of others, and the rules that catalogs apply to either."""
