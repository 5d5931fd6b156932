"""Move targets from one release to another: the text of their files, what stands in the way, and the move."""
