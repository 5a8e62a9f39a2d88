"""`twofold engine`: any player behind the engine protocol, on stdin and stdout."""

import contextlib
import sys
from typing import Annotated

import typer

from twofold.cli._options import argument, open_player
from twofold.cli._output import check_output, print_note
from twofold.errors import INTERRUPTED, UnsupportedRules
from twofold.game.rules import STANDARD
from twofold.players import Player, PlayerSpec
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
    check_output()
    if sys.stdin.isatty():
        print_note(HINT)
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
