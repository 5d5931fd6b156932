"""What is to be done for a release, step by step."""
