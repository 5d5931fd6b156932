"""Commands that compare. Each turns its options into a request and prints the result."""
