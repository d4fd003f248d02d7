"""`cluster0 completion`: click's own completion, as a script for a shell to source."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="The Debian package installs all three.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options and their values.

    \b
    Examples:
      cluster0 completion bash > ~/.local/share/bash-completion/completions/cluster0
      cluster0 completion zsh > ~/.zfunc/_cluster0          # a directory of $fpath
      cluster0 completion fish > ~/.config/fish/completions/cluster0.fish
    """
    root = context.find_root()
    kind = get_completion_class(shell)
    assert kind is not None, "click knows these three"
    script = kind(root.command, {}, "cluster0", "_CLUSTER0_COMPLETE").source()
    click.echo(script)
