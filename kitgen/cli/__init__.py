"""Commands: read options, call the pipeline, print, exit. One module a command."""
