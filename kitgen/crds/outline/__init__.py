"""A CRD on lines that people read, one a field; equal schemas are one node."""
