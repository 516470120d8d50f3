"""`leadline completion`: the script by which a shell completes leadline's words."""

import click
from click.shell_completion import ShellComplete, get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes words in a shell.

    Commands, options, benchmarks, plans, runs, MPIs, platforms and questions are completed. Write
    the script once to where the shell finds it:

    \b
    leadline completion bash > ~/.local/share/bash-completion/completions/leadline
    leadline completion zsh >> ~/.zshrc
    leadline completion fish > ~/.config/fish/completions/leadline.fish
    """  # noqa: D301 (click keeps the lines after a backspace)
    kind = get_completion_class(shell)
    assert kind
    script = kind(ctx.find_root().command, {}, "leadline", "_LEADLINE_COMPLETE")
    # The class's own source() starts the shell to learn its version.
    click.echo(ShellComplete.source(script))
