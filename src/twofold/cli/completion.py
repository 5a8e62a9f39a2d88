"""`twofold completion`, and the words that Typer offers when a shell completes a command line."""

from collections.abc import Callable, Iterable
from typing import Annotated, Final, Literal

import typer
from typer._completion_shared import get_completion_script

EXAMPLE = """  twofold completion bash

\b
Lines to add:

\b
  ~/.bashrc
    eval "$(twofold completion bash)"
  ~/.zshrc, after compinit
    eval "$(twofold completion zsh)"
  ~/.config/fish/config.fish
    twofold completion fish | source"""

VARIABLE: Final = "_TWOFOLD_COMPLETE"
"""The environment variable by which a shell asks for words instead of a command."""

BASH: Final = r"""_twofold_completion() {
    local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} place=-1
    local word=${line##*[[:space:]]}
    [[ $word ]] || place=9999
    COMPREPLY=( $( env COMP_WORDS="$line" COMP_CWORD=$place \
                   _TWOFOLD_COMPLETE=complete_bash "$1" ) )
    COMPREPLY=( "${COMPREPLY[@]#"${word%"$2"}"}" )
    [[ $COMPREPLY == *= ]] && compopt -o nospace
    return 0
}

complete -o default -F _twofold_completion twofold"""
"""The script for bash. That of Typer takes the words as bash splits them, at `:` and `=`, too; this
one asks for the line as it is typed, and offers bash of each answer what follows the last split."""

Word = str | tuple[str, str]
"""A word that can follow, alone or with a few words about it."""

METAVARS: Final = ("A", "B", "PLAYER", "RULES", "NETWORK", "NET", "FORMAT")
"""Names of values for which words are offered."""


def command(
    shell: Annotated[
        Literal["bash", "zsh", "fish"],
        typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False),
    ],
) -> None:
    """Print the script that completes command lines in a shell.

    The Tab key then completes commands, options, players and their keys, evaluators, networks,
    endgame tables and shapes. To set it up, add the line of your shell to its file.
    """
    from twofold.cli._output import check_output, print_out

    check_output()
    script = get_completion_script(prog_name="twofold", complete_var=VARIABLE, shell=shell)
    print_out(BASH if shell == "bash" else script)


def words_of(follows: str) -> Callable[..., list[tuple[str, str]]] | None:
    """What can follow: by a metavar or another name of `_values`, or words with spaces between."""
    if follows.isupper() and follows not in METAVARS:
        return None

    def words(context: typer.Context, text: str) -> list[tuple[str, str]]:
        if follows == "PLAYER" and context.params.get("resume") and not context.params["players"]:
            return []  # a study comes first: bash offers files
        pairs = [(one, "") if isinstance(one, str) else one for one in _values(follows, text)]
        return [(word, about) for word, about in dict(pairs).items() if word.startswith(text)]

    return words


def _values(follows: str, text: str) -> Iterable[Word]:
    """What can stand in the place of a value of which `text` is typed."""
    from twofold.game.formats import FORMATS
    from twofold.players import entries
    from twofold.players.presets import STRENGTHS
    from twofold.tables.folder import LARGE, SETS
    from twofold.tables.pattern import MAX_TARGET, MIN_TARGET
    from twofold.tables.pattern import SHAPES as PATTERNS
    from twofold.values import EVALUATORS
    from twofold.values.network import NAMED
    from twofold.values.network_file import POLICY, shipped

    formats = [each.name for each in FORMATS]
    targets = [1 << exponent for exponent in range(MAX_TARGET, MIN_TARGET - 1, -1)]
    tables = [*LARGE, *(f"{shape}-{target}" for shape in PATTERNS for target in targets)]
    match follows:
        case "A" | "B" | "PLAYER":
            return _keys(text) if ":" in text else _players()
        case "RULES":
            return ["2x2", "2x3", "3x3", "3x4", "4x4", "5x5", "6x6"]
        case "NETWORK":
            return [*shipped(), POLICY]
        case "NET":
            return shipped()
        case "FORMAT":
            return formats
        case "formats and html":
            return [*formats, "html"]
        case "patterns":
            return NAMED
        case "players and evaluators":
            return [*STRENGTHS, *(entry.name for entry in entries()), *EVALUATORS]
        case "built tables":
            return _built()
        case "new tables":
            return [*SETS, *tables]
        case "tables":  # several can be joined
            before, plus, _ = text.rpartition("+")
            return [f"{before}{plus}{name}" for name in [*tables, *_built()]]
    return follows.split()


def _players() -> Iterable[Word]:
    """The strengths, and the players that need no key."""
    from twofold.players import entries
    from twofold.players.presets import STRENGTHS

    strengths = [(name, one.on_4x4) for name, one in STRENGTHS.items()]
    alone = [one for one in entries() if all(key.default for key in one.keys.values())]
    return [*strengths, *((one.name, one.summary) for one in alone)]


def _keys(text: str) -> Iterable[Word]:
    """What can follow in a spec whose player is typed: its keys, or values of the last one."""
    from twofold.players import entries
    from twofold.values import EVALUATORS
    from twofold.values.network_file import POLICY, shipped

    player = next((one for one in entries() if one.name == text.partition(":")[0]), None)
    if player is None:
        return []
    start = text[: max(map(text.rfind, ":,")) + 1]
    key, equals, _ = text.removeprefix(start).partition("=")
    if not equals:
        return [(f"{start}{name}=", one.help) for name, one in player.keys.items()]
    networks = [POLICY] if player.name == "policy" else shipped()
    values = {"eval": EVALUATORS, "net": networks, "tables": _built()}.get(key, ())
    return [f"{start}{key}={value}" for value in values]


def _built() -> list[str]:
    """The endgame tables that are built on this machine."""
    from twofold.tables.folder import SUFFIX, files_in, tables_folder

    paths = files_in(tables_folder())
    return [path.name.removesuffix(SUFFIX).replace("_", "/") for path in paths]
