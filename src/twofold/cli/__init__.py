"""The command `twofold`: one module a command, thin, loaded when it is called.

The module of a command, or of a group, has `command`, or `app`, and `EXAMPLE`. It may say how its
options go together, and this module checks it, refuses in one form, and knows them from the help:

    NEEDS = [("--tile --delta", "--sprt")]      # each of the first needs one of the second;
                                                # a third text says these in words
    APART = [("--resume", "--games PLAYER", "a study goes on with what it was asked for")]
                                                # none of the second with the first, and why
    GOES_ON = "--resume"                        # with one of these the same command continues
                                                # after Ctrl-C, also before anything is saved

A number takes its limits from `min` and `max` of its option, a choice its words from `Literal`.
"""

import contextlib
import difflib
import errno
import importlib
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from types import FrameType, ModuleType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NoReturn,
    TextIO,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.core import TyperCommand, TyperGroup

import twofold
from twofold import kernels
from twofold.errors import INTERRUPTED, InvalidInput, TwofoldError

kernels.announces = False

COMMANDS: Final = {
    "watch": "Watch a player play a game, live in the terminal.",
    "play": "Play in the terminal.",
    "serve": "Play, watch, analyse and review games in a browser.",
    "analyse": "Show what each of the four moves on a board is worth.",
    "review": "Judge every move of a recorded game; show the worst ones.",
    "drive": "Play a 2048 page in a browser.",
    "convert": "Read games in one format and write them in another.",
    "bench": "Measure players on the same seeds; show a table.",
    "compare": "Find out which of two players is stronger, on the same seeds.",
    "report": "Show a study as table, page or figure; draw learning curves.",
    "tune": "Find better weights for a player; check them on fresh games.",
    "train": "Train an n-tuple network by temporal-difference learning.",
    "train-policy": "Train a policy network by PPO.",
    "solve": "Solve a small game exactly.",
    "engine": "Serve a player over the engine protocol.",
    "engine-check": "Check that a program follows the engine protocol.",
    "players": "List players and evaluators, their keys and defaults.",
    "warmup": "Compile all kernels now, so that later commands start at once.",
    "selftest": "Check this installation and print its signature.",
    "doctor": "Show what is installed, what it runs on, what is missing.",
    "net": "Inspect, evaluate, convert and average networks.",
    "tables": "Build, list, inspect, query and remove endgame tables.",
    "completion": "Print the script that completes command lines in a shell.",
}
"""The commands in the order of the help, each with the first sentence of its own help."""

MODULES: Final = {"engine-check": "engine", "warmup": "doctor"}
"""The modules of commands that have none of their own name."""

HELP = """A laboratory for the game 2048: play it, watch it played, measure players.

A PLAYER is a name, or a name and keys: greedy, expectimax:eval=snake,ply=3,
path/to/file.py:Name. `twofold players` lists them. A BOARD is 16 digits, row by row:
0 is empty, 1 is the tile 2, 2 is 4, a is 1024; or tiles: '2 4 0 0 / 0 0 0 0 / ...'.
"""


_PATHS: Final = ("FILE", "FOLDER", "IN", "OUT", "PATH", "STUDY")
"""The values that are paths, as the help names them."""

_THREADS: Final = "NUMBA_NUM_THREADS"
"""A variable of the environment that Numba reads."""


class EndOfFile(Exception):
    """An `EOFError` by a name of our own: typer would take it for a Ctrl-C."""


class _Commands(TyperGroup):
    """Loads each command when it is called: help and usage errors import none of them.

    Prints "interrupted" after Ctrl-C; Typer would end without a word.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment] # the names are suggested

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """The command of that name; None for no such name."""
        return _loaded(cmd_name) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> Any:  # type: ignore[override]
        """The commands and options that begin like this."""
        from typer._click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        found = [CompletionItem(name, help=COMMANDS[name]) for name in names]
        return [*found, *TyperCommand.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """List the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command that the context names."""
        if os.environ.get(_THREADS) == "":
            del os.environ[_THREADS]  # Numba would read a number
        threads = os.environ.get(_THREADS, "1")
        if not (threads.isdecimal() and int(threads)):  # Numba shows a traceback
            raise InvalidInput(f"expected a whole number above 0 in {_THREADS}, got {threads!a}")
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            _say(f"interrupted{error}")
            raise typer.Exit(INTERRUPTED) from None
        except EOFError as error:
            raise EndOfFile(str(error)).with_traceback(error.__traceback__) from None


@cache
def _loaded(name: str) -> Any:
    """A command or group of commands with its options, from the module of its name."""
    own = name.replace("-", "_")
    module = importlib.import_module(f"twofold.cli.{MODULES.get(name, own)}")
    if hasattr(module, "app"):
        for one in module.app.registered_commands:
            _set_readers(one.callback)
        group: Any = typer.main.get_command(module.app)
        group.commands = {key: _prepared(one, module) for key, one in group.commands.items()}
        return group
    command, example = module.command, module.EXAMPLE
    if name in MODULES:
        command, example = getattr(module, own), getattr(module, f"{own.upper()}_EXAMPLE")
    _set_readers(command)
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.command(name, epilog=f"Example:\n\n\b\n{example}")(command)
    return _prepared(typer.main.get_command(alone), module)


def _prepared(command: Any, module: ModuleType) -> Any:
    """The command, with checks of what its options need.

    Its help names arguments without their Python types (`<list[str]>`). An empty path is refused:
    it is a variable that a script has not set.
    """
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda **_: ""
        if parameter.metavar in _PATHS:
            parameter.consume_value = partial(_with_path, parameter, parameter.consume_value)
    command.invoke = partial(_with_others, command.invoke, module)
    return command


def _with_path(parameter: Any, consume: Callable[..., Any], context: Any, given: Any) -> Any:
    value, source = consume(context, given)
    if source.name == "COMMANDLINE" and "" in ([value] if isinstance(value, str) else value or ()):
        raise typer.BadParameter("a path, got ''", context, parameter)
    return value, source


def _with_others(
    invoke: Callable[[typer.Context], Any], module: ModuleType, context: typer.Context
) -> Any:
    """Run a command of a module if its options go together, as its `NEEDS` and `APART` say."""
    given = [name_of(one) for one in context.command.params if is_given(context, one.name)]
    for name, others, why in getattr(module, "APART", ()):
        for one in given if name in given else ():
            if one in others.split():
                raise InvalidInput(f"expected no {one} with {name}: {why}")
    for names, others, *words in getattr(module, "NEEDS", ()):
        for one in given if not set(given) & set(others.split()) else ():
            if one in names.split():
                wanted = words[0] if words else " or ".join(others.split())
                raise InvalidInput(f"expected {one} together with {wanted}")
    try:
        return invoke(context)
    except KeyboardInterrupt:
        goes_on = set(given) & set(getattr(module, "GOES_ON", "").split())
        raise KeyboardInterrupt(continue_with(same_command(context)) if goes_on else "") from None


def same_command(context: typer.Context, *more: str) -> str:
    """The words of this command, and more, to paste into a shell."""
    from twofold.game.notation import shell_line

    return shell_line("twofold", *context.obj, *more)


def continue_with(command: str) -> str:
    """The end of what is said after Ctrl-C: the command that continues."""
    return f". Continue with: {command}"


def is_given(context: typer.Context, name: str | None) -> bool:
    """Whether an option or an argument is on the command line; Typer 0.26 says so of none, too."""
    source = context.get_parameter_source(name or "")
    is_empty = context.params.get(name or "") in ((), [])
    return source is not None and source.name == "COMMANDLINE" and not is_empty


def name_of(parameter: Any) -> str:
    """An option or an argument, as the help names it."""
    is_option = parameter.param_type_name == "option"
    return str(parameter.opts[0] if is_option else parameter.metavar)


# ---- values of options; what is wrong with one follows "expected --option as"


def read_count(text: str | int, low: float | None = None, high: float | None = None) -> int:
    """A whole number: 1000, or 1e3.

    Raises:
        typer.BadParameter: it is no such text, or below `low`, or above `high`.
    """
    found = re.fullmatch(r"([+-]?[0-9]{1,30})(?:[eE]\+?([0-9]{1,2}))?", str(text).strip(), re.ASCII)
    if not found:
        raise typer.BadParameter(f"a whole number such as 1000 or 1e3, got {_quoted(text)}")
    return _within(int(found[1] + "0" * int(found[2] or 0)), low, high)


def _read_number(text: str | float, low: float | None, high: float | None) -> float:
    from twofold.game.notation import parse_number  # only here: help imports little

    try:
        return _within(parse_number(str(text).strip(), "it", InvalidInput), low, high)
    except InvalidInput:
        raise typer.BadParameter(f"a number such as 0.5 or 1e3, got {_quoted(text)}") from None


N = TypeVar("N", int, float)


def _within(number: N, low: float | None, high: float | None) -> N:
    if low is not None and high is not None and not low <= number <= high:
        raise typer.BadParameter(f"a number from {low:.16g} to {high:.16g}, got {number:.16g}")
    return number


def _read_choice(words: tuple[str, ...], text: str) -> str:
    if text not in words:
        from twofold.game.notation import did_you_mean

        known = ", ".join(words)
        raise typer.BadParameter(f"one of {known}, got {_quoted(text)}{did_you_mean(text, words)}")
    return text


def _set_readers(command: Callable[..., Any]) -> None:
    """Let numbers and choices among the options of a command be read here."""
    from twofold.cli.completion import words_of  # only here: help imports little

    for hint in get_type_hints(command, include_extras=True).values():
        kind, *options = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        kinds = [kind, *get_args(kind), *(part for one in get_args(kind) for part in get_args(one))]
        words = next((get_args(one) for one in kinds if get_origin(one) is Literal), ())
        read = read_count if int in kinds else _read_number if float in kinds else None
        for option in options:
            if words:
                option.parser = partial(_read_choice, words)
                option.autocompletion = words_of(" ".join(words))
            elif read is not None and option.parser is None:
                option.parser = partial(read, low=option.min, high=option.max)


def _quoted(text: object) -> str:
    from twofold.game.notation import shown  # only here: help imports little

    return shown(text)


app = typer.Typer(
    name="twofold",
    cls=_Commands,
    help=HELP,
    epilog="Example:\n\n\b\n  twofold watch\n  twofold analyse 0012/0013/0024/1357\n",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"twofold {twofold.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


@cache
def _command() -> Callable[..., Any]:
    """The application and its own options, built once per process."""
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and end the process with its exit code.

    0 done, 1 ran and failed, 2 bad usage or bad input, 3 not enough disk or memory or no free port,
    4 a comparison that player B won, 130 interrupted, by Ctrl-C or another signal that ends a
    program. With TWOFOLD_DEBUG=1 in the environment errors show where they arose.
    """
    if sys.stdout is None or sys.stderr is None:  # closed by the shell, as by >&-
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.stderr = cast(TextIO, _Notes(sys.stderr))
    if "_TWOFOLD_COMPLETE" in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    try:
        with _ending_as_ctrl_c_does():
            words = sys.argv[1:] if arguments is None else list(arguments)
            code = _command()(words, prog_name="twofold", standalone_mode=False, obj=words)
            sys.stdout.flush()
    except BaseException as error:  # a player's own code may raise any
        if os.environ.get("TWOFOLD_DEBUG") == "1":
            raise
        try:
            code = _report(error, sys.argv[1:] if arguments is None else arguments)
        except KeyboardInterrupt:  # in the midst of the sentence
            with contextlib.suppress(KeyboardInterrupt):
                _say("interrupted")
            code = INTERRUPTED
    sys.exit(code if isinstance(code, int) else 0)


_SIGNALS: Final = ("SIGTERM", "SIGHUP")
"""What ends a command as Ctrl-C does, where the system has it: it is told to end, or its terminal
is closed."""


@contextlib.contextmanager
def _ending_as_ctrl_c_does() -> Iterator[None]:
    """Have the other signals that end a command do what Ctrl-C does at that moment.

    So the terminal is left in order, and what is saved on Ctrl-C is saved then, too. A signal that
    is ignored already, as `nohup` has it, stays ignored.
    """

    def end(_number: int, frame: FrameType | None) -> None:
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # a job in the background: Ctrl-C is not for it
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    caught = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


class _Notes:
    """The stream of notes and progress: what cannot be written to it is lost, and ends no work.

    The reader may be gone, the terminal closed, the disk full.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def _report(error: BaseException, arguments: Sequence[str] = ()) -> int:
    """Print what went wrong in one sentence on stderr; returns the exit code."""
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        _say("interrupted")
        return INTERRUPTED
    if isinstance(error, SystemExit) and not _is_a_players(error):
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.EINVAL):
        # The reader of our output has gone: nothing can be said to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, TwofoldError):
        _say(_described(error))
        return error.exit_code
    if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command
        typer.echo(error.ctx.get_help())  # type: ignore[attr-defined]
        return 2
    if hasattr(error, "format_message"):  # a usage error; typer has its classes where it likes
        if hasattr(error, "possibilities"):
            error.possibilities = None  # those of typer are near only by their dashes
        text = str(error.format_message()).strip().rstrip(".")
        context = getattr(error, "ctx", None)
        if (parameter := getattr(error, "param", None)) is not None and error.message:  # type: ignore[attr-defined]
            text = f"expected {name_of(parameter)} as {error.message}"  # type: ignore[attr-defined]
        name = f" {arguments[0]}" if arguments and arguments[0] in COMMANDS else ""
        where = context.command_path if context is not None else f"twofold{name}"
        _say(f"{text[:1].lower()}{text[1:]}{_meant(text, context)} (see {where} --help)")
        return 2
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        from twofold.storage.files import too_long

        return _report(too_long(str(error.filename)))
    if isinstance(error, MemoryError):
        _say("not enough memory")
        return 3
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        _say(f"the disk is full: {error}")
        return 3
    _say(_described(error))
    return 1


def _described(error: BaseException) -> str:
    """One sentence about an error; if a player's own file was running, with its line."""
    if _is_a_players(error):
        return str(sys.modules["twofold.players.base"].describe(error))
    if isinstance(error, TwofoldError):
        return str(error)
    return f"{type(error).__name__}: {error} (TWOFOLD_DEBUG=1 shows where)"


def _is_a_players(error: BaseException) -> bool:
    """True if a user's own player code was running."""
    faults = sys.modules.get("twofold.players.base")  # without it no player was made
    return faults is not None and bool(faults.last_place(error))


_LIKE: Final = 0.7
"""How like an option a word must be to be taken for it, as `difflib` measures it."""


def _meant(text: str, context: Any) -> str:
    """The end of a usage error: the option like an unknown one, or that for a player too many."""
    parameters = getattr(getattr(context, "command", None), "params", ())
    options = [name for one in parameters for name in one.opts if name.startswith("--")]
    if unknown := re.fullmatch(r"No such option: --(\S+)", text):
        names = [name[2:] for name in options]
        close = difflib.get_close_matches(unknown[1], names, n=1, cutoff=_LIKE)
        return f"; did you mean --{close[0]}?" if close else ""
    extra = re.fullmatch(r"Got unexpected extra argument\S* \((\S+)\)", text)
    option = next((name for name in ("--player", "--hints") if name in options), "")
    return f"; did you mean {option} {extra[1]}?" if extra and option and _plays(extra[1]) else ""


def _plays(text: str) -> bool:
    from twofold.players import PlayerSpec  # only here: it loads kernels

    try:
        _ = PlayerSpec.parse(text).code  # refuses an unknown player
    except TwofoldError:
        return False
    return True


def _say(text: str) -> None:
    from twofold.game.notation import printable

    sys.stderr.write(f"twofold: {printable(' '.join(text.split()))}\n")
