"""The migrate commands: each turns its options into a request, and prints the result."""
