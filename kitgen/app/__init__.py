"""The kitgen program: its table of commands, and the core's own (render, build, check, why, list …).

In: command lines. Out: manifests, reports and exit codes. Each command is imported only when it runs; what it
does stands in a module of its name here, and the work itself is done by the packages below.
"""
