"""Rules about sync waves, and about what Applications of several targets bring to one cluster."""
