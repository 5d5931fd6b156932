"""Run kitgen as `python -m kitgen` and as the `kitgen` program."""

from kitgen.cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
