"""`twofold completion`, and the words that Typer offers when a shell completes a command line."""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Final, Literal

import typer
from typer._click.shell_completion import add_completion_class, split_arg_string
from typer._completion_classes import BashComplete, completion_init
from typer._completion_shared import get_completion_script

from twofold.errors import InvalidInput

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

BASH_SCRIPT: Final = """\
# Completion of twofold for bash. Put this line into ~/.bashrc:
#   eval "$(twofold completion bash)"
_twofold_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $( COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
                   _TWOFOLD_COMPLETE=complete_bash "${1/#\\~/$HOME}" 2>/dev/null ) )
    if [[ ${#COMPREPLY[@]} -eq 0 ]] && type compopt &>/dev/null; then compopt +o nospace; fi
}
complete -o nospace -o bashdefault -o default -F _twofold_completion twofold"""

Word = str | tuple[str, str]
"""A word that can follow, alone or with a few words about it."""

METAVARS: Final = ("A", "B", "PLAYER", "RULES", "NETWORK", "NET", "FORMAT")
"""Names of values for which words are offered."""

RULES: Final = (
    "2x2", "2x3", "3x3", "3x4", "4x4", "5x5", "6x6", "spawn=2:0.9,4:0.1", "start=1", "start=2",
    "goal=512", "goal=1024", "goal=2048", "stop=goal", "stop=never",
)  # fmt: skip
"""Usual words of rules."""


def command(
    shell: Annotated[
        Literal["bash", "zsh", "fish"],
        typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False),
    ],
) -> None:
    """Print the script that completes command lines in a shell.

    The Tab key then completes commands, options, players with their keys, evaluators, networks,
    endgame tables and rules. To set it up, add the line of your shell to its file.
    """
    from twofold.cli._output import check_output, print_out

    check_output()
    if shell == "bash":
        print_out(BASH_SCRIPT)
    else:
        print_out(get_completion_script(prog_name="twofold", complete_var=VARIABLE, shell=shell))


class Bash(BashComplete):
    """Answers bash, which divides words at `:` and `=` and puts candidates in place as they are."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the last one, and the last one without quotes."""
        line = os.environ["COMP_LINE"]
        *before, last = split_arg_string(line + "x")  # so that there is a last word
        last = last[:-1]
        self._is_quoted = re.search(r"""\s['"][^'"]*$""", line) is not None
        value = last.partition("=")[2] if last.startswith("-") else last
        breaks = [value.rfind(each) + 1 for each in os.environ.get("COMP_WORDBREAKS", ":=")]
        self._kept = 0 if self._is_quoted else max(breaks, default=0)
        return before[1:], last

    def complete(self) -> str:
        """The ends of the words, one a line; a space follows where a word is complete."""
        found = self.get_completions(*self.get_completion_args())
        space = " " * self._is_quoted
        safe = re.compile(rf"[\w.+/:=,@%^~{space}-]*", re.ASCII)  # nothing that has a meaning
        words = [str(item.value) for item in found if item.type == "plain"]
        return "\n".join(
            word[self._kept :] + ("" if self._is_quoted or ":" in word or word[-1:] == "=" else " ")
            for word in words
            if safe.fullmatch(word)
        )


def register() -> None:
    """Let Typer answer the shells."""
    completion_init()
    add_completion_class(Bash, "bash")


def words_of(follows: str) -> Callable[[str], list[tuple[str, str]]] | None:
    """What can follow: by a metavar or another name of `_values`, or words with spaces between."""
    if follows.isupper() and follows not in METAVARS:
        return None

    def words(text: str) -> list[tuple[str, str]]:
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
    from twofold.values.network_file import shipped

    formats = [each.name for each in FORMATS]
    targets = [1 << exponent for exponent in range(MAX_TARGET, MIN_TARGET - 1, -1)]
    tables = [*LARGE, *(f"{shape}-{target}" for shape in PATTERNS for target in targets)]
    match follows:
        case "A" | "B" | "PLAYER":
            return _players(text)
        case "RULES":
            before, space, _ = text.rpartition(" ")
            return [f"{before}{space}{word}" for word in RULES if word.split("=")[0] not in before]
        case "NETWORK" | "NET":
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


def _built() -> list[str]:
    """The endgame tables that are built on this machine."""
    from twofold.tables.folder import SUFFIX, files_in, tables_folder

    paths = files_in(tables_folder())
    return [path.name.removesuffix(SUFFIX).replace("_", "/") for path in paths]


def _players(text: str) -> Iterator[Word]:
    """A player's name, or the keys and values after it."""
    from twofold.players import entries
    from twofold.players.presets import STRENGTHS
    from twofold.players.registry import PlayerSpec

    known = {
        name: (PlayerSpec.parse(strength.on_4x4).entry, strength.on_4x4)
        for name, strength in STRENGTHS.items()
    } | {entry.name: (entry, entry.summary) for entry in entries()}
    name, colon, rest = text.partition(":")
    if colon and name in known:
        yield from _keys(known[name][0], text, rest)
        return
    for name, (entry, about) in known.items():
        alone = all(key.default for key in entry.keys.values())
        if alone:
            yield name, about
        if entry.keys:
            yield f"{name}:", "with keys" if alone else about


def _keys(entry: Any, text: str, rest: str) -> Iterator[Word]:
    """The keys of a player, or the values of its last one, of which `rest` is typed."""
    done, _, last = rest.rpartition(",")
    before = text.removesuffix(last)
    given = dict(part.partition("=")[::2] for part in done.split(",") if done)
    keys = dict(entry.keys)
    for name, key in entry.keys.items():
        if key.more is not None:
            with contextlib.suppress(InvalidInput):
                keys |= key.more(key.parse(given.get(name, key.default)))
    name, equals, value = last.partition("=")
    if equals:
        for one in _key_values(entry.name, name, keys.get(name), value):
            yield f"{before}{name}={one}", ""
        return
    for name, key in keys.items():
        if name not in given:
            default = f" (default {key.default})" if key.default else ""
            yield f"{before}{name}=", key.help + default


def _key_values(player: str, name: str, key: Any, value: str) -> Iterable[Any]:
    """What a key of a player can have, of which `value` is typed."""
    from twofold.tables.folder import SETS
    from twofold.values import EVALUATORS
    from twofold.values.network_file import POLICY, shipped

    if name == "tables":
        before, plus, _ = value.rpartition("+")
        return [*(f"{before}{plus}{one}" for one in ("auto", "none", *SETS)), *_values(name, value)]
    if name == "net":
        return [POLICY] if player == "policy" else shipped()
    if name == "eval":
        return EVALUATORS
    choices = getattr(getattr(key, "parse", None), "values", None)
    return choices or [key.default] if key and key.default else []
