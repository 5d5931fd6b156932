"""Commands of the core. Each turns its options into a request and prints the result."""
