"""CEL rules: read, and proved over schemas instead of objects."""
