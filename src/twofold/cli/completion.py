"""`twofold completion`: the script by which a shell completes command lines."""

from typing import Annotated

from twofold.cli._options import argument
from twofold.cli._output import check_output, print_out
from twofold.completion import FOLDER, SHELLS
from twofold.errors import InvalidInput
from twofold.notation import did_you_mean, shown

EXAMPLE = """  twofold completion bash

\b
Lines to add:

\b
  ~/.bashrc
    eval "$(twofold completion bash)"
  ~/.zshrc, after compinit
    eval "$(twofold completion zsh)"
  ~/.config/fish/config.fish
    twofold completion fish | source
  the file that $PROFILE names, for PowerShell
    twofold completion powershell | Out-String | Invoke-Expression"""

ENDINGS = {"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"}


def command(shell: Annotated[str, argument("SHELL", "bash, zsh, fish or powershell.")]) -> None:
    """Print the script that completes command lines in a shell.

    The Tab key then completes commands, options, players with their keys, evaluators, networks,
    endgame tables and rules. To set it up, add the line of your shell to its file.
    """
    if shell not in SHELLS:
        raise InvalidInput(
            f"expected a shell ({', '.join(SHELLS)}), got {shown(shell)}"
            f"{did_you_mean(shell, SHELLS)}"
        )
    check_output()
    path = FOLDER / f"twofold.{ENDINGS[shell]}"
    print_out(path.read_text(encoding="utf-8").rstrip())
