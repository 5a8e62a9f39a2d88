"""Options that several commands have, and the players they ask for."""

import inspect
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Annotated, Any, Final, Generic, TypeVar, get_args, get_origin

import msgspec
import typer

from twofold.cli import is_given, read_count
from twofold.cli._output import check_output, loading, print_note
from twofold.cli.completion import words_of
from twofold.errors import InvalidInput, InvalidSpec, UnsupportedRules
from twofold.game.game import Game
from twofold.game.notation import NUMBER, parse_seed, shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import BITS_MAX_SIDE, MAX_JOBS, MAX_RUN_SECONDS
from twofold.players import Player, PlayerSpec
from twofold.players.presets import STRENGTHS
from twofold.search.budget import Budget, parse_seconds
from twofold.settings import Setting, from_options, with_option
from twofold.tables.folder import SETS, USUAL, files_in, tables_folder
from twofold.tables.pattern import suits

SLOWEST: Final = 0.001
FASTEST: Final = 1_000_000
"""Limits of a pace, in moves a second."""

USUAL_PLAYER: Final = "Default: strong. Others: fast, normal, max; see twofold players."
"""Which player the help names where none is given, see `players.registry.DEFAULT`."""

USUAL_JUDGE: Final = (
    "Default: strong without tables. Others: fast, normal, strong, max; see twofold players."
)
"""The same where a review judges: its figures must not depend on what a machine has built."""


def option(metavar: str, words: str, *, name: str = "", follows: str = "", **more: Any) -> Any:
    """An option with a value; its name is that of the parameter, where no other is given.

    `follows` names what a shell offers for the value, where its metavar does not; or the values
    themselves, with spaces between them.
    """
    more.setdefault("autocompletion", words_of(follows or metavar))
    return typer.Option(*filter(None, [name]), metavar=metavar, help=words, **more)


def flag(name: str, words: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=words)


def argument(metavar: str, words: str, *, show_default: bool = False, follows: str = "") -> Any:
    """An argument; `follows` names what a shell offers for it, where its metavar does not."""
    return typer.Argument(
        metavar=metavar,
        help=words,
        show_default=show_default,
        autocompletion=words_of(follows or metavar),
    )


def group(name: str, words: str, example: str) -> typer.Typer:
    """A group of commands, whose help ends with an example."""
    return typer.Typer(
        name=name,
        add_completion=False,
        help=words,
        epilog=f"Example:\n\n\b\n{example}",
        rich_markup_mode=None,
        no_args_is_help=True,
    )


RulesOption = Annotated[
    str,
    option(
        "RULES", "Rules of the game, such as '3x4 goal=512 stop=goal'. Default: '4x4 goal=2048'."
    ),
]
DiceSeedOption = Annotated[
    str | None, option("N", "Seed of the game, 0 to 2^64 - 1. Default: random.")
]
FirstSeedOption = Annotated[str, option("S", "Seed of the first game; the next is S+1.")]
JobsOption = Annotated[
    int | None,
    option("J", "Games played at the same time. Default: one per core.", min=1, max=MAX_JOBS),
]
ThreadsOption = Annotated[
    int | None, option("N", "Number of threads. Default: one per core.", min=1, max=MAX_JOBS)
]


def _read_address(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter(f"an address, auto or local, got {shown(text)}")
    return text


RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        parser=_read_address,
        metavar="ADDRESS",
        help="Play on the Ray cluster at ADDRESS; local starts one on this machine.",
    ),
]
StudyOption = Annotated[
    str,
    option(
        "FILE",
        "Store the games in a study (SQLite file). Games that it holds are not played again.",
    ),
]
ForceOption = Annotated[
    bool, flag("--force", "Replace an existing file. One that the command goes on with is kept.")
]
BoardsOption = Annotated[str, option("FILE", "Start the games from the boards in a text file.")]
PaceOption = Annotated[
    float | None, option("X", "Limit the pace. Default: no limit.", min=SLOWEST, max=FASTEST)
]


def zero_or(low: int, high: int) -> Callable[[str | int], int]:
    """A parser of 0, for never, and of whole numbers from `low` to `high`."""
    return lambda text: 0 if str(text) == "0" else read_count(text, low, high)


def read_tile(text: str | int) -> int:
    """A tile from 4 up, of which an option says when something ends, or what is counted."""
    tile = int(text) if NUMBER.fullmatch(str(text)) else 0
    if tile < 4 or tile & (tile - 1):
        raise typer.BadParameter(f"a tile such as 2048, got {shown(text)}")
    return tile


def _for_output(wanted: bool) -> bool:
    if wanted:
        check_output()
    return wanted


JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", callback=_for_output)
]


def standard_input(what: str) -> IO[bytes]:
    """Standard input, which a command reads where `-` stands for a file; `what` is asked for."""
    if sys.stdin.isatty():
        print_note(f"type or paste the {what}; Ctrl-D ends it (Ctrl-Z and Enter on Windows)")
    return sys.stdin.buffer


def read_keys_from_terminal() -> None:
    """Make the terminal the standard input, where that was a file or a pipe that is read.

    Raises:
        InvalidInput: there is no terminal.
    """
    try:
        keys = os.open("CONIN$" if os.name == "nt" else "/dev/tty", os.O_RDWR)
    except OSError:
        raise InvalidInput(
            "expected a terminal for the keys, since the game came from standard input, got none"
        ) from None
    os.dup2(keys, sys.stdin.fileno())
    os.close(keys)


def read_rules(text: str, players: Sequence[PlayerSpec] = ()) -> Rules:
    """The rules an option names; where it names none, the only ones that a player can play under.

    Raises:
        InvalidInput: the text names no rules, or there is no such player.
    """
    for spec in () if text else players:
        if (home := spec.home) is not None:
            return home
    return Rules.parse(text)


def read_seed(text: str | None) -> int:
    """The seed an option names, or a random one that is short enough to type."""
    return secrets.randbelow(2**32) if text is None else parse_seed(text)


def read_seconds(text: str, name: str) -> float:
    """The seconds of an option such as 30m, 1h30m, 45s; at most a year.

    Raises:
        InvalidInput: no such text, or not above 0, or too long.
    """
    return parse_seconds(text, name, MAX_RUN_SECONDS)


TABLES_HINT: Final = "endgame tables make the default player stronger: twofold tables build default"
"""Said in a terminal where the default player plays without any."""

STRENGTHS_HINT: Final = (
    "`twofold tables build default` would make normal, strong and max stronger: none of its "
    "endgame tables is built"
)
"""Said where such a strength is measured without any."""

TRAINS: Final = {"ntuple": "train NETWORK", "policy": "train-policy"}
"""The commands that train networks for these players."""


def prepare(
    specs: Sequence[PlayerSpec], rules: Rules, seed: int, *, allow_code: bool = True
) -> list[PlayerSpec]:
    """Check that players can be made and can play; have their kernels compiled.

    Returns the settled specs. Raises `InvalidInput` if one is wrong, names endgame tables that
    cannot be used, or its player cannot play under these rules.
    """
    with loading():
        settled = [spec.settled(rules) for spec in specs]
    for player in opened(settled, rules, seed, allow_code=allow_code):
        player.close()
    return settled


def opened(
    specs: Iterable[PlayerSpec], rules: Rules, seed: int, *, allow_code: bool = True
) -> Iterator[Player]:
    """The players, ready; raises as `prepare`."""
    for spec in specs:
        with hint_at_rules(spec, rules):
            player = open_player(spec, rules, seed, allow_code=allow_code)
        yield player


@contextmanager
def hint_at_rules(spec: PlayerSpec, rules: Rules) -> Iterator[None]:
    """Say in an error about a player of other shapes which option or other player to use."""
    try:
        yield
    except UnsupportedRules as error:
        from twofold.players.engine.lines import ALL_SHAPES

        with spec.make() as player:
            shapes = [shape for shape in ALL_SHAPES if not player.unsupported(Rules(*shape))]
        if rules.shape in shapes:
            raise
        if rules == STANDARD and len(shapes) == 1:
            raise UnsupportedRules(f"{error}; add --rules {shapes[0][0]}x{shapes[0][1]}") from None
        raise UnsupportedRules(f"{error}; {_other_player(spec, rules)}") from None


def _other_player(spec: PlayerSpec, rules: Rules) -> str:
    """Who plays on boards that a player cannot play on."""
    command = TRAINS.get(spec.name)
    other = "the player strong plays on them"
    if command is None or max(rules.shape) > BITS_MAX_SIDE:
        return other
    rows, cols = rules.shape
    return f"{other}, and `twofold {command} --rules {rows}x{cols} --out FILE` trains a network"


def open_player(
    spec: PlayerSpec, rules: Rules, seed: int, *, at_home: bool = False, allow_code: bool = True
) -> Player:
    """A player that is ready: started, and its kernels compiled by a first analysis.

    With `at_home` a player that plays under one set of rules alone is started with these. Raises
    `InvalidInput` if the spec is wrong, or the player cannot play under these rules.
    """
    from twofold.players.compiled import SimplePlayer  # loads kernels

    with loading():
        player = spec.settled(rules).make(allow_code=allow_code)
        rules = player.home or rules if at_home else rules
        player.start(rules, seed)
        if player.compiled and not isinstance(player, SimplePlayer):  # these search nothing
            opening = Game(rules, seed=seed)
            if opening.legal_moves():
                player.analyse(opening.board, Budget(ply=1), score=0)
            player.start(rules, seed)
    return player


def check_limits(player: Player, *names: str) -> None:
    """Refuse limits on the search of a player that would ignore them: ply, time or nodes.

    Raises `InvalidSpec` if its search takes no limits, or it has no search.
    """
    if not names or player.takes_limits:
        return
    spec: PlayerSpec = player.made_from
    has_key = spec.has_key(names[0])
    hint = f". Use the key of the player: {spec.name}:{names[0]}=" if has_key else ""
    raise InvalidSpec(
        f"expected a player whose search can be limited, such as ntuple, with --{names[0]}, "
        f"got {shown(spec.short)}{hint}"
    )


def hint_at_tables(rules: Rules) -> None:
    """Say in a terminal that endgame tables would help the default player, if it lacks some.

    Those of the usual set: others help it less.
    """
    if sys.stdout.isatty() and sys.stderr.isatty() and _lacks_tables(rules):
        print_note(TABLES_HINT)


def hint_at_strengths(specs: Sequence[PlayerSpec], rules: Rules) -> None:
    """Say once on stderr that endgame tables would make strengths that specs name stronger."""
    uses_tables = any(
        spec.name in STRENGTHS
        and STRENGTHS[spec.name].uses_tables
        and "tables" not in spec.values  # has its answer
        for spec in specs
    )
    if uses_tables and _lacks_tables(rules):
        print_note(STRENGTHS_HINT)


def _lacks_tables(rules: Rules) -> bool:
    """Whether tables of the usual set would suit the rules and are not built."""
    if not suits(rules):
        return False
    if not files_in(tables_folder()):
        return True
    from twofold.tables.library import built  # takes a second: it loads kernels

    return not set(SETS[USUAL]) <= {head.pattern.name for _, head in built()}


# ---- options that are settings

Options = TypeVar("Options")
S = TypeVar("S", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Given(Generic[S]):
    """The settings that a command line gives, by name; a command has the options of all."""

    kind: type[S]
    values: dict[str, Any]

    def make(self, **more: Any) -> S:
        """The settings, with defaults for the others; `more` are those of other options."""
        return from_options(self.kind, self.values, **more)


def takes(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Decorator: a command whose options are the fields of a dataclass, of which it gets one.

    A field of the type `Given[Settings]` stands for the options of these settings.
    """
    parameters, groups = list[inspect.Parameter](), dict[str, type[msgspec.Struct]]()
    for one in inspect.signature(options).parameters.values():
        if get_origin(one.annotation) is Given:
            (groups[one.name],) = get_args(one.annotation)
            parameters += map(_option_of, with_option(groups[one.name]))
        else:
            parameters.append(one)

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        def called(**values: Any) -> None:
            for name, kind in groups.items():
                texts = {one.name: values.pop(one.name) for one in with_option(kind)}
                given = {key: texts[key] for key in texts if is_given(values["context"], key)}
                values[name] = Given(kind, given)
            command(options(**values))

        called.__doc__ = command.__doc__
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        )
        return called

    return decorate


def _option_of(one: Setting) -> inspect.Parameter:
    """The option of a setting, as a parameter of a command."""
    form, words = one.form, one.meta.description or ""
    kind, default = one.type, one.default
    if form.parse is not None:
        kind, default = str, form.shown
    elif kind not in (bool, int, float):
        kind = str
    if form.argument:
        default = "" if default is msgspec.NODEFAULT else default
        made = argument(form.metavar, words, show_default=True, follows=form.follows)
    elif kind is bool:
        default, made = False, flag(one.option, words)
    else:
        more: dict[str, Any] = {"min": one.meta.ge, "max": one.meta.le}
        if form.or_zero:
            more = {"parser": zero_or(int(one.meta.ge or 0), int(one.meta.le or 0))}
        made = option(form.metavar, words, name=one.option, follows=form.follows, **more)
    hint = Annotated[kind, made]  # type: ignore[valid-type] # it is known when this runs
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(one.name, keyword, default=default, annotation=hint)


def given_again(context: typer.Context, *names: str) -> list[str]:
    """Those of the options as words of a command line that are given and differ from defaults."""
    words: list[str] = []
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        if name not in names or not is_given(context, name) or value == parameter.default:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [parameter.opts[0]] if one is True else [parameter.opts[0], str(one)]
    return words
