"""Commands about releases. Each turns its options into a request and prints the result."""
