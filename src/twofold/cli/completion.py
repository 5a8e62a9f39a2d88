"""`twofold completion`, and the words that Typer offers when a shell completes a command line."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from typer._click.shell_completion import CompletionItem, add_completion_class, split_arg_string
from typer._completion_classes import BashComplete, completion_init
from typer._completion_shared import get_completion_script

from twofold.errors import InvalidInput
from twofold.game.notation import did_you_mean, shown

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

SHELLS: Final = ("bash", "zsh", "fish")

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

Word = tuple[str, str]
"""A word that can follow, and a few words about it."""

Words = Callable[[str], list[Word]]

RULES: Final = {
    "spawn": ("2:0.9,4:0.1",),
    "start": ("1", "2"),
    "goal": ("512", "1024", "2048"),
    "stop": ("goal", "never"),
}
"""The keys of rules, and usual values."""

SHAPES: Final = ("2x2", "2x3", "3x3", "3x4", "4x4", "5x5", "6x6")
"""The board sizes that are offered."""


def command(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="SHELL",
            help="bash, zsh or fish.",
            show_default=False,
            autocompletion=lambda incomplete: _matching(incomplete, SHELLS),
        ),
    ],
) -> None:
    """Print the script that completes command lines in a shell.

    The Tab key then completes commands, options, players with their keys, evaluators, networks,
    endgame tables and rules. To set it up, add the line of your shell to its file.
    """
    from twofold.cli._output import check_output, print_out

    if shell not in SHELLS:
        raise InvalidInput(
            f"expected a shell ({', '.join(SHELLS)}), got {shown(shell)}"
            f"{did_you_mean(shell, SHELLS)}"
        )
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


def items(names: Mapping[str, str], incomplete: str) -> list[CompletionItem]:
    """The names that begin like this, with their help."""
    return [CompletionItem(name, help=names[name]) for name in names if name.startswith(incomplete)]


def _matching(incomplete: str, words: Iterable[str | Word]) -> list[Word]:
    pairs = [(word, "") if isinstance(word, str) else word for word in words]
    return [(word, about) for word, about in dict(pairs).items() if word.startswith(incomplete)]


def words_of(follows: str) -> Words | None:
    """What can follow: by a name of `VALUES`, or words with spaces between; None for others."""
    found = VALUES.get(follows)
    if found is None and " " in follows:
        found = lambda _: follows.split()  # noqa: E731
    if found is None:
        return None

    def words(incomplete: str) -> list[Word]:
        return _matching(incomplete, found(incomplete))

    return words


# ---- values


def _players(incomplete: str) -> Iterable[Word]:
    """A player's name, or the keys and values after it."""
    from twofold.players import entries
    from twofold.players.presets import STRENGTHS
    from twofold.players.registry import PlayerSpec

    known = {
        name: (PlayerSpec.parse(strength.on_4x4).entry, strength.on_4x4)
        for name, strength in STRENGTHS.items()
    }
    known |= {entry.name: (entry, entry.summary) for entry in entries()}
    name, colon, rest = incomplete.partition(":")
    if colon and name in known:
        yield from _keys(known[name][0], incomplete, rest)
        return
    for name, (entry, about) in known.items():
        alone = all(key.default for key in entry.keys.values())
        if alone:
            yield name, about
        if entry.keys:
            yield f"{name}:", "with keys" if alone else about


def _keys(entry: Any, incomplete: str, rest: str) -> Iterable[Word]:
    done, _, last = rest.rpartition(",")
    before = incomplete.removesuffix(last)
    given = dict(part.partition("=")[::2] for part in done.split(",") if done)
    keys = dict(entry.keys)
    for name, key in entry.keys.items():
        if key.more is not None:
            try:
                keys |= key.more(key.parse(given.get(name, key.default)))
            except InvalidInput:
                continue
    name, equals, _ = last.partition("=")
    if equals:
        for value in _key_values(entry.name, name, keys.get(name), last.removeprefix(f"{name}=")):
            yield f"{before}{name}={value}", ""
        return
    for name, key in keys.items():
        if name not in given:
            default = f" (default {key.default})" if key.default else ""
            yield f"{before}{name}=", key.help + default


def _key_values(player: str, name: str, key: Any, value: str) -> Iterable[str]:
    from twofold.values import EVALUATORS
    from twofold.values.network_file import POLICY, shipped

    if name == "tables":
        return [*_joined(value, ["auto", "none", *_sets()]), *_tables(value)]
    if name == "net":
        return [POLICY] if player == "policy" else shipped()
    if name == "eval":
        return EVALUATORS
    choices = getattr(getattr(key, "parse", None), "values", None)
    return choices or [key.default] if key and key.default else []


def _rules(incomplete: str) -> Iterable[str]:
    """Board sizes at first, then the keys of rules and usual values."""
    before, space, last = incomplete.rpartition(" ")
    key, equals, _ = last.partition("=")
    if equals:
        return [f"{before}{space}{key}={value}" for value in RULES.get(key, ())]
    keys = [f"{before}{space}{name}=" for name in RULES if f"{name}=" not in before]
    return keys if space else [*SHAPES, *keys]


def _networks(_: str) -> Iterable[str]:
    from twofold.values.network_file import shipped

    return shipped()


def _patterns(_: str) -> Iterable[str]:
    from twofold.values.network import NAMED

    return NAMED


def _joined(incomplete: str, names: Iterable[str]) -> Iterator[str]:
    """Names of which several can be joined by `+`."""
    before, plus, _ = incomplete.rpartition("+")
    return (f"{before}{plus}{name}" for name in names)


def _tables(incomplete: str) -> Iterable[str]:
    return _joined(incomplete, [*_buildable(incomplete), *_built(incomplete)])


def _sets() -> Iterable[str]:
    from twofold.tables.folder import SETS

    return SETS


def _buildable(_: str) -> Iterable[str]:
    from twofold.tables.folder import LARGE
    from twofold.tables.pattern import MAX_TARGET, MIN_TARGET, SHAPES

    exponents = range(MAX_TARGET, MIN_TARGET - 1, -1)
    return [*LARGE, *(f"{shape}-{1 << exponent}" for shape in SHAPES for exponent in exponents)]


def _built(_: str) -> Iterable[str]:
    """The endgame tables that are built on this machine."""
    from twofold.tables.folder import SUFFIX, files_in, tables_folder

    paths = files_in(tables_folder())
    return [path.name.removesuffix(SUFFIX).replace("_", "/") for path in paths]


def _formats(_: str) -> Iterable[str]:
    from twofold.game.formats import FORMATS

    return [each.name for each in FORMATS]


def _all_players(_: str) -> Iterable[str]:
    from twofold.players import entries
    from twofold.players.presets import STRENGTHS
    from twofold.values import EVALUATORS

    return [*STRENGTHS, *(entry.name for entry in entries()), *EVALUATORS]


VALUES: Final[Mapping[str, Callable[[str], Iterable[str | Word]]]] = {
    **dict.fromkeys(("A", "B", "PLAYER"), _players),
    "RULES": _rules,
    **dict.fromkeys(("NETWORK", "NET"), _networks),
    "FORMAT": _formats,
    "formats and html": lambda _: [*_formats(""), "html"],
    "built tables": _built,
    "tables": _tables,
    "new tables": lambda _: [*_sets(), *_buildable("")],
    "patterns": _patterns,
    "players and evaluators": _all_players,
}
"""What can stand in the place of a value, by the metavar of the option, or another name."""
