"""Click commands of the core: each turns its options into a request, runs it and prints the result."""
