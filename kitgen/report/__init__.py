"""Reports of commands: shared options, findings and tables for people and programs, exit codes.

In: the result of a command. Out: text, JSON, SARIF, JUnit or GitHub annotations, and an exit code. It runs no
checks and changes no files.
"""
