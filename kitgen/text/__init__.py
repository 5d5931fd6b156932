"""Text formats: YAML, JSON Schema, regular expressions, versions, secrets, wording, templates.

In: texts and plain data. Out: plain data, texts and problems. It must not know Kubernetes or kits, or touch
files other than the schemas that ship with kitgen.
"""
