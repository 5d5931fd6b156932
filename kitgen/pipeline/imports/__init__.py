"""What `kitgen import` does: real trees → the spec of a component, verified before it is written."""
