"""Compare two states: diff, drift, conflicts, upgrade rules, and the review of what changes on a cluster."""
