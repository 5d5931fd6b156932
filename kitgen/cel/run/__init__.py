"""CEL rules, evaluated over objects: the language, and the functions that Kubernetes adds to it."""
