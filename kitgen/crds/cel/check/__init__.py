"""CEL rules of a schema, looked at without an object: whether a server takes them, and what they cost."""
