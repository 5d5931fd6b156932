"""The command `kitgen completion`: print shell completion scripts."""

from __future__ import annotations

import click

from kitgen.report.click_settings import COMPLETE, HELP
from kitgen.report.options import common_options


@click.command(context_settings=HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common_options
def completion(shell: str, root: object, quiet: bool) -> None:
    """Print the completion script of SHELL.

    \b
    eval "$(kitgen completion bash)"                                 in ~/.bashrc
    eval "$(kitgen completion zsh)"                                  in ~/.zshrc
    kitgen completion fish > ~/.config/fish/completions/kitgen.fish
    """
    from click.shell_completion import get_completion_class

    from kitgen.app.completion_shells import register_shells
    from kitgen.app.main import cli

    register_shells()
    del root, quiet
    kind = get_completion_class(shell)
    assert kind is not None  # the choices above are the ones that click knows
    click.echo(kind(cli, {}, "kitgen", COMPLETE).source())
