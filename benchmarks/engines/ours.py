"""CPU time a move of twofold's own players, in the file that the adapters write.

python -m benchmarks.engines.ours ntuple:ply=2 ntuple:ply=3 --games 20 --times times.csv
"""

import time
from pathlib import Path

from benchmarks.engines import protocol
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD
from twofold.players import make_player, settled
from twofold.players.loop import play_game, play_games


def measure(player: str, games: int, times: Path) -> None:
    """Play games from seed 1 in this thread, after one that is not measured."""
    with make_player(settled(player, STANDARD)) as made:
        play_game(made, STANDARD, 0)
        began = time.process_time()
        moves = sum(game.moves for game in play_games(made, STANDARD, SeedRange(1, games)))
        seconds = time.process_time() - began
    protocol.write_time(times, player, moves, seconds)


def main() -> None:
    parser = protocol.parser(__doc__)
    parser.add_argument("players", nargs="+")
    parser.add_argument("--games", type=int, default=20)
    options = parser.parse_args()
    if options.times is None:
        parser.error("expected --times FILE")
    for player in options.players:
        measure(player, options.games, options.times)


if __name__ == "__main__":
    main()
