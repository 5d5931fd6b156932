"""Commands about OLM bundles. Each turns its options into a request and prints the result."""
