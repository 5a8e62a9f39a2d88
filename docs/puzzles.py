"""Makes the positions of the puzzle of the day: `src/twofold/data/puzzles.txt`.

    python docs/puzzles.py        # two minutes

The positions are from games of the shipped network at 1 ply in which every twelfth move or so is a
random one, as people's games have worse moves than the network's: at most two of each game. The
network values the moves of each position at 3 plies. A position is kept if

* at least three moves are legal;
* one move is clearly best, at 1, 2 and 3 plies: the second keeps less than 97.5 % of its value,
  which a review calls a mistake;
* another one is tempting: the best move does not make the most points at once, which is 16 or more.

The value of a move is the number of points expected from it to the end of the game; 100 points are
added before values are divided, as in a review.
"""

import argparse
import datetime
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD, Move
from twofold.games.judge import FLOOR
from twofold.players import make_player
from twofold.players.base import Player
from twofold.players.searching import values_of
from twofold.search.budget import Budget, Stop
from twofold.storage.files import atomic_write
from twofold.values.network_file import network_hash

OUT: Final = Path(__file__).parent.parent / "src/twofold/data/puzzles.txt"
PLAYER: Final = "ntuple:net=default,ply=3"
COUNT: Final = 732
"""Two years of puzzles."""

PER_GAME: Final = 2
RANDOM_MOVES: Final = 1 / 12
TILES: Final = range(128, 2049)
"""The largest tile of a position."""

SECOND: Final = 0.975
"""What the second-best move keeps of the best one's value, at most: a mistake in a review."""

LEAST_POINTS: Final = 16
"""What a tempting move makes at once, at least, in points."""

Values = Mapping[Move, float]


def values(player: Player, game: Game, ply: int) -> Values:
    """The values of the legal moves, in points."""
    found = values_of(player, game.board, game.score, Budget(ply=ply), Stop())
    assert found is not None
    return found


def kept(found: Values, move: Move) -> float:
    """The share of the best move's value that a move keeps."""
    return (FLOOR + found[move]) / (FLOOR + max(found.values()))


def ranked(found: Values) -> list[Move]:
    """Moves, the best first."""
    return sorted(found, key=lambda move: -found[move])


def tempting(board: Board) -> list[Move]:
    """The moves that make the most points at once; none where that is little.

    Mostly two, for to the left and to the right the same tiles merge.
    """
    rewards = {move: board.slide(move).reward for move in board.legal_moves()}
    most = max(rewards.values())
    return [move for move, points in rewards.items() if points == most >= LEAST_POINTS]


def is_puzzle(board: Board, found: Values) -> bool:
    """Whether one move is clearly best, and not the one that makes most points at once."""
    bait = tempting(board)
    if len(found) < 3 or not bait or board.max_tile not in TILES:
        return False
    best, second = ranked(found)[:2]
    return best not in bait and kept(found, second) < SECOND


def positions(player: Player, seed: int) -> Iterator[tuple[Game, Values]]:
    """The positions of a game that are puzzles at 1 ply, in a random order."""
    game, chance = Game(seed=seed), random.Random(seed)
    seen = []
    while not game.is_finished and game.board.max_tile in range(TILES.stop):
        found = values(player, game, 1)
        if is_puzzle(game.board, found):
            seen.append(game.move_number)
        astray = chance.random() < RANDOM_MOVES
        game.play(chance.choice(list(found)) if astray else ranked(found)[0])
    for number in chance.sample(seen, len(seen)):
        yield (at := game.fork(number)), values(player, at, 1)


def puzzles_of(player: Player, seed: int) -> list[tuple[Board, Values]]:
    """The puzzles of a game."""
    chosen: list[tuple[Board, Values]] = []
    for game, first in positions(player, seed):
        deeper = [values(player, game, ply) for ply in (2, 3)]
        agree = {ranked(one)[0] for one in (first, *deeper)}
        if len(agree) == 1 and all(is_puzzle(game.board, one) for one in deeper):
            chosen.append((game.board, deeper[-1]))
        if len(chosen) == PER_GAME:
            break
    return chosen


def line(board: Board, found: Values) -> str:
    """A puzzle as the file has it: the board, then the values of up, right, down and left."""
    return " ".join([str(board), *(str(round(found[m])) if m in found else "-" for m in Move)])


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python docs/puzzles.py", description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    lines: list[str] = []
    seed = 0
    with make_player(PLAYER) as player:
        player.start(STANDARD, 0)
        while len(lines) < options.count:
            seed += 1
            lines += [line(*one) for one in puzzles_of(player, seed)]
            print(f"\r{len(lines)} of {options.count}, seed {seed}", end="", file=sys.stderr)
    print(file=sys.stderr)
    lines = lines[: options.count]
    random.Random(0).shuffle(lines)
    today = datetime.datetime.now(datetime.UTC).date()
    head = [
        "# Positions of the puzzle of the day: a board, and the points expected after up, right,",
        f"# down and left by {PLAYER} (network {network_hash('default')}); - is illegal.",
        f"# python docs/puzzles.py, seeds 1 to {seed}, {today}",
    ]
    atomic_write(options.out, "\n".join([*head, *lines]) + "\n")


if __name__ == "__main__":
    main()
