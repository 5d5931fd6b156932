"""The kitgen program: the table of commands, and the core's own (render, build, check, why, list, init …)."""
