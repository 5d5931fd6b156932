"""The files of a mirror: what tools read that copy images, and what sends a cluster to the copies."""
