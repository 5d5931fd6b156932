"""Commands: read options, call the pipeline, print, exit. One module a command."""

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Settings of every command; said by each, because click keeps the help option that it makes first."""
FOLDER = click.Path(path_type=Path, file_okay=False, readable=False)
"""A folder; one that may not be read is no wrong usage, so that is told later."""
