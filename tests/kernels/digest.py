"""What kernels compute on fixed games and boards, as text; run as a module it prints that."""

import json
from collections.abc import Iterator

from tests.literal import boards
from twofold.board import Board
from twofold.kernels import _jit
from twofold.players import make_player, play_game
from twofold.rules import Rules
from twofold.selftest import signature

GAMES = {
    "random": ["4x4", "3x3", "2x5", "4x4 spawn=2:0.2,8:0.3,32:0.5 start=5"],
    "greedy": ["4x4", "1x4", "3x2"],
    "corner": ["4x4 goal=64 stop=goal", "4x3"],
    "expectimax:eval=rows,ply=1": ["3x3", "4x4 goal=256 stop=goal"],
    "datumbox:depth=2": ["4x4 goal=128 stop=goal"],
}

SEARCHES = [
    "expectimax:eval=rows,ply=3",
    "expectimax:eval=clustering,ply=2",
    "expectimax:eval=it3105-gradient,ply=2",
    "datumbox:depth=5",
    "minimax:eval=baeldung,depth=3",
    "it3105-snake:layers=literal,depth=2",
    "baeldung",
]


def lines() -> Iterator[str]:
    """A line for each game and for each position searched, and the signature."""
    yield f"signature {signature()}"
    for spec, all_rules in GAMES.items():
        for rules in all_rules:
            for seed in range(5):
                result = play_game(make_player(spec), Rules.parse(rules), seed, keep_moves=True)
                assert result is not None
                yield f"{spec} {rules} {seed}: {result.score} {result.board} {result.letters}"
    for spec in SEARCHES:
        with make_player(spec) as player:
            for grid in boards(6, most_empty=4, seed=11):
                analysis = player.analyse(Board.from_tiles(grid), score=12_344)
                values = [None if m.value is None else m.value.hex() for m in analysis.moves]
                yield f"{spec} {analysis.board}: {analysis.best.letter} {values} {analysis.nodes}"


if __name__ == "__main__":
    print(json.dumps({"plain": _jit.PLAIN, "lines": list(lines())}))
