"""Check rendered objects, foreign manifests and trees: findings out. No object is ever changed."""
