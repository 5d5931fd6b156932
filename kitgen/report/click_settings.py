"""Settings of click and of shell completion that every command shares."""

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Settings of every command; said by each, because click keeps the help option that it makes first."""
COMPLETE = "_KITGEN_COMPLETE"
"""Where a shell says that it wants names, and not the command."""
