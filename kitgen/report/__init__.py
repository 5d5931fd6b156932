"""How commands end: options that all share, findings and tables for people and programs, exit codes."""
