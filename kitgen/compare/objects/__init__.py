"""Compare objects as a cluster sees them: lists by their keys, permissions by what they grant."""
