"""`twofold engine`: any player behind the engine protocol; `engine-check`: is it kept?"""

import contextlib
import sys
from typing import Annotated

import typer

from twofold.cli import _output
from twofold.cli._documents import Part
from twofold.cli._options import JsonOption, argument, open_player, option
from twofold.cli._output import print_out
from twofold.errors import INTERRUPTED, UnsupportedRules
from twofold.figures import counted
from twofold.game.notation import printable
from twofold.game.rules import STANDARD
from twofold.players import Player, PlayerSpec
from twofold.players.engine.conformance import CHECKS, CheckOutcome, check_engine
from twofold.players.engine.lines import parse_command_words
from twofold.players.engine.server import opening_rules, serve
from twofold.players.registry import default_player

EXAMPLE = """  twofold engine expectimax:ply=3
  twofold watch 'engine:cmd=twofold engine greedy'"""

HINT = "the engine protocol: try u2048, position 0012/0013/0024/1357, go time 1000, quit"


def command(
    player: Annotated[
        str | None, argument("PLAYER", "Player that answers. Default: ntuple.")
    ] = None,
) -> None:
    """Serve a player over the engine protocol.

    Programs in any language can then ask a player of twofold for moves and values, as chess
    programs ask their engines. docs/reference/engine-protocol.md is the specification. The other
    way round, `engine:cmd=...` is a player that is such a program; engine-check checks one.
    """
    _output.check_output()
    if sys.stdin.isatty():
        _output.print_note(HINT)
    try:
        opened, sink = _opened(player), sys.stdout.buffer
        with (
            open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as source,
            contextlib.redirect_stdout(sys.stderr),  # what a player prints is no answer
        ):
            serve(opened, source, sink)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _opened(player: str | None) -> Player:
    """The player, started for 4x4 boards, or for the boards that it can play."""
    spec = default_player(STANDARD) if player is None else PlayerSpec.parse(player)
    try:
        return open_player(spec, STANDARD, 0)
    except UnsupportedRules:
        with spec.make() as made:
            rules = opening_rules(made)
        return open_player(spec, rules, 0)


# ---- the check

ENGINE_CHECK_EXAMPLE = """  twofold engine-check 'python examples/engine.py'
  twofold engine-check 'twofold engine greedy' --boards 1000
  twofold engine-check './my-engine --quiet' --json"""


def engine_check(
    cmd: Annotated[str, argument("CMD", "Command that starts the engine (run without a shell).")],
    boards: Annotated[
        int, option("N", "Number of boards to check moves on.", min=1, max=1_000_000)
    ] = 200,
    slack: Annotated[
        float, option("X", "Multiply all time limits, for a busy machine.", min=1, max=1_000)
    ] = 1.0,
    json: JsonOption = False,
) -> None:
    """Check that a program follows the engine protocol.

    The exit code is 1 if it does not, 130 after Ctrl-C. docs/reference/engine-protocol.md is the
    specification.
    """
    words = parse_command_words(cmd)
    outcomes: list[CheckOutcome] = []
    interrupted = False
    try:
        with contextlib.closing(check_engine(words, boards=boards, slack=slack)) as checks:
            for check in CHECKS:
                with _output.waiting(f"checking {check.name} ..."):
                    outcome = next(checks, None)
                if outcome is None:
                    break
                outcomes.append(outcome)
                if not json:
                    verdict = "ok    " if outcome.passed else "FAILED"
                    detail = printable(outcome.detail)
                    _output.print_words(f"{verdict}  {outcome.name:<13}  {detail}", 23)
                    sys.stdout.flush()
    except KeyboardInterrupt:  # at once: an engine that says nothing is waited for for a minute
        interrupted = True
    failed = sum(not outcome.passed for outcome in outcomes)
    with _output.catching_interrupt():  # after the last check Ctrl-C is too late
        if json:
            passed = not (interrupted or failed)
            document = EngineCheckDocument.of(
                None, engine=cmd, passed=passed, interrupted=interrupted, checks=outcomes
            )
            _output.write_json(
                "engine-check", document, EngineCheckTiming.of(None, checks=outcomes)
            )
        elif not interrupted:
            missing = len(CHECKS) - len(outcomes)
            left_out = f", {missing} not made" if missing else ""
            verdict = f"{failed} failed" if failed else "all passed"
            print_out(f"{counted(len(outcomes), 'check')}, {verdict}{left_out}")
        if interrupted:
            ran = f"{len(outcomes)} of {len(CHECKS)} checks ran"
            _output.print_note(f"twofold: interrupted: {ran}, {failed or 'none'} failed")
        sys.stdout.flush()
    if interrupted or failed:
        raise typer.Exit(INTERRUPTED if interrupted else 1)


# ---- the document


class CheckDocument(Part, frozen=True):
    """A check.

    Attributes:
        name: its name.
        demand: the demand of the protocol.
        passed: true if the program meets it.
    """

    name: str
    demand: str
    passed: bool


class EngineCheckDocument(Part, frozen=True):
    """Whether a program keeps the engine protocol.

    Attributes:
        engine: the command that starts it.
        passed: true if all checks were made and passed.
        interrupted: true if Ctrl-C ended it.
        checks: the checks that were made.
    """

    engine: str
    passed: bool
    interrupted: bool
    checks: list[CheckDocument]


class CheckTiming(Part, frozen=True):
    """Time of a check.

    Attributes:
        name: its name.
        detail: what was found, which may hold times.
        seconds: wall-clock time.
    """

    name: str
    detail: str
    seconds: float


class EngineCheckTiming(Part, frozen=True):
    """Time of the checks.

    Attributes:
        checks: the checks that were made.
    """

    checks: list[CheckTiming]
