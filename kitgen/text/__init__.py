"""Text: YAML, JSON Schemas, regular expressions, versions, secrets, wording, and the template sandbox."""
