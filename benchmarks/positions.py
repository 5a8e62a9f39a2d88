"""Boards of real games, and a loop that calls a compiled player for each of them."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from benchmarks.common import Figure, Timing, of_runs, timed
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.bits import frame
from twofold.kernels.intrinsics import call_policy, pointer, u64_at
from twofold.players import make_player, play_game
from twofold.players.compiled import CompiledPlayer

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Positions:
    """Boards, uint64 (count,), and their scores, int64 (count,)."""

    bits: Words
    scores: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bits)

    def thinned(self, count: int) -> "Positions":
        """`count` of them, evenly spaced."""
        chosen = np.linspace(0, len(self) - 1, count).astype(np.int64)
        return Positions(self.bits[chosen], self.scores[chosen])


@cache
def of_games(
    spec: str, rules: Rules, seed: int, games: int, *, part: tuple[float, float] = (0.0, 1.0)
) -> Positions:
    """The boards before each move of whole games, or of a part of each game."""
    bits: list[int] = []
    scores: list[int] = []
    with make_player(spec) as player:
        for number in range(games):
            result = play_game(player, rules, seed + number, keep_moves=True)
            assert result is not None
            first, last = (int(share * result.moves) for share in part)
            game = Game(rules, seed=seed + number)
            for at, letter in enumerate(result.letters[:last]):
                if at >= first:
                    bits.append(game.board.to_bits())
                    scores.append(game.score)
                game.play(Move.parse(letter))
    return Positions(np.array(bits, dtype=np.uint64), np.array(scores, dtype=np.int64))


_WORDS = types.Array(types.uint64, 1, "C")
_SCORES = types.Array(types.int64, 1, "C")


@kernel(types.int64(types.uint64, _WORDS, _WORDS, _SCORES, _WORDS), cached=False)
def _choose_all(policy: Any, context: Any, bits: Any, scores: Any, tables: Any) -> Any:
    across, down = u64_at(tables[0]), u64_at(tables[1])
    total = 0
    for index in range(len(bits)):
        legal = on_bits.legal_mask(bits[index], across, down)
        arguments = (bits[index], legal, scores[index], np.uint64(0), pointer(context))
        total += call_policy(policy, arguments)
    return total


def choose_all(player: CompiledPlayer, positions: Positions) -> int:
    """Let a started player choose on every board, in one thread. Returns the sum of the moves."""
    shape = frame(*player.rules.shape)
    tables = np.array([shape.across.ctypes.data, shape.down.ctypes.data], dtype=np.uint64)
    policy = np.uint64(player.policy)
    return int(_choose_all(policy, player.context, positions.bits, positions.scores, tables))


def time_choices(spec: str, rules: Rules, positions: Positions, runs: int) -> list[Timing]:
    """Time a player on all positions, after one run to warm up.

    Each run makes a new player with an empty transposition table.
    """
    times = []
    for _ in range(runs + 1):
        with make_player(spec) as player:
            assert isinstance(player, CompiledPlayer)
            player.start(rules, 0)
            times.append(timed(partial(choose_all, player, positions)))
    return times[1:]


def moves_a_second(
    spec: str, positions: Positions, times: list[Timing], *, published: str = ""
) -> Figure:
    """Moves per second of CPU time."""
    speeds = [len(positions) / time.cpu for time in times]
    return of_runs(f"{spec}, one thread", speeds, "moves/s", published=published)
