"""Makes the sets of boards for `bench --boards`, at points where games are decided.

    python -m benchmarks.boards            # all sets, some minutes each
    python -m benchmarks.boards 14000      # one

Each set has one board from each of 300 games on 4x4: the first board with a minimum sum of tiles
and with certain tiles. The player is `ntuple:net=default,ply=2`, with ply=3 for the sets that end
in `deep`. Seeds count up from 1; games that end before are left out. The boards do not change when
the network is replaced, so that results stay comparable.

Too few games of this player reach 46,000. The games of that set begin with 32768 in the top-left
corner and two tiles 2 in the last row (`f000/0000/0000/0011`).
"""

import argparse
import datetime
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from twofold.arena.games import tile_sum
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD
from twofold.players import make_player
from twofold.players.base import assumed_score
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import KernelGame
from twofold.storage.files import atomic_write
from twofold.values.network_file import network_hash

PLAYER: Final = "ntuple:net=default,ply=2"
DEEP: Final = "ntuple:net=default,ply=3"
COUNT: Final = 300
FOLDER: Final = Path(__file__).parent / "boards"


@dataclass(frozen=True, slots=True)
class Rule:
    """Selects the first board of a game with `tile_sum` or more and all of `tiles`.

    `start` is the board on which games begin; None for new games. `player` plays them.
    """

    tile_sum: int
    tiles: tuple[int, ...] = ()
    start: Board | None = None
    player: str = PLAYER

    def __str__(self) -> str:
        parts = [*map(str, self.tiles), f"a tile sum of {self.tile_sum:,} or more"]
        return (
            f"the first board with {', '.join(parts[:-1])}{' and ' * (len(parts) > 1)}{parts[-1]}"
        )

    def holds(self, board: Board) -> bool:
        """True if a board is selected."""
        there = {tile for row in board.tiles for tile in row}
        return tile_sum(board) >= self.tile_sum and there.issuperset(self.tiles)

    def game(self, seed: int) -> Game:
        """A new game with this seed."""
        if self.start is None:
            return Game(STANDARD, seed)
        return Game.from_board(self.start, STANDARD, seed, score=assumed_score(self.start))


SETS: Final = {
    "14000": Rule(14_000),
    "16384-deep": Rule(16_384, (16384,), player=DEEP),
    "24000": Rule(24_576, (16384, 8192)),
    "24000-deep": Rule(24_576, (16384, 8192), player=DEEP),
    "28000": Rule(28_000, (16384, 8192)),
    "46000": Rule(46_000, (32768, 8192), Board.parse("f000/0000/0000/0011")),
}
"""Rules by the name of the file."""


def first_board(player: CompiledPlayer, rule: Rule, seed: int) -> Board | None:
    """The selected board of a game; None if the game ends before."""
    player.start(STANDARD, seed)
    begun = rule.game(seed)
    game = KernelGame(player, begun, [0] * (begun.board.max_exponent + 1))
    board = begun.board
    while not rule.holds(board):
        if not game.can_go_on:
            return None
        game.play(max(1, (rule.tile_sum - tile_sum(board)) // 4))  # a move adds 4 at most
        board = game.game().board
    return board


def boards_of(
    player: CompiledPlayer, rule: Rule, first_seed: int = 1
) -> Iterator[tuple[int, Board]]:
    """Seed and board of each game that reaches one, endlessly."""
    seed = first_seed
    while True:
        board = first_board(player, rule, seed)
        if board is not None:
            yield seed, board
        seed += 1


def write(name: str, count: int, folder: Path) -> None:
    """Write the file of a set."""
    rule, found = SETS[name], []
    with make_player(rule.player) as player:
        assert isinstance(player, CompiledPlayer)
        for seed, board in boards_of(player, rule):
            found.append((seed, board))
            print(f"\r{name}: {len(found)} of {count}, seed {seed}", end="", file=sys.stderr)
            if len(found) == count:
                break
    print(file=sys.stderr)
    last = found[-1][0]
    start = rule.start or "an empty board"
    lines = [
        f"# {rule},",
        f"# one of each game of {rule.player} (network {network_hash('default')})",
        f"# from {start} on, seeds 1 to {last}; {last - count} of these games ended before.",
        f"# python -m benchmarks.boards {name}   ({datetime.datetime.now(datetime.UTC):%Y-%m-%d})",
        *(f"{board}  # seed {seed}" for seed, board in found),
    ]
    folder.mkdir(exist_ok=True)
    atomic_write(folder / f"{name}.txt", "\n".join(lines) + "\n")


def main() -> None:
    """Write the named sets, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boards", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *SETS])
    parser.add_argument("--count", type=int, default=COUNT, help="boards per set")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    for name in options.names or SETS:
        write(name, options.count, options.folder)


if __name__ == "__main__":
    main()
