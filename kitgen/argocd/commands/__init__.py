"""Commands about Argo CD and fleets. Each turns its options into a request and prints the result."""
