"""Click commands that import: each turns its options into a request, runs it and prints the result."""
