"""The project's documentation, and what generates the parts of it that follow from the code."""
