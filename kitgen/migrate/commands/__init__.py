"""Click commands about migrations: each turns its options into a request and prints the result."""
