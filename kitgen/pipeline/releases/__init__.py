"""What the `kitgen release` commands do."""
