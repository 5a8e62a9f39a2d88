"""Benches with names: the tables of the sources, and the league of all players."""

from dataclasses import dataclass
from typing import Final

from twofold.errors import InvalidInput
from twofold.notation import did_you_mean, shown


@dataclass(frozen=True, slots=True)
class Line:
    """Games of one player; empty `rules` are the standard ones."""

    player: str
    games: int
    rules: str = ""


_AT_THE_GOAL: Final = "stop=goal"

PRESETS: Final[dict[str, tuple[Line, ...]]] = {
    "sources": (
        Line("baeldung", 100, _AT_THE_GOAL),
        Line("baeldung:prune=no", 100, _AT_THE_GOAL),
        *(Line(f"datumbox:depth={depth}", 200, _AT_THE_GOAL) for depth in (3, 5, 7)),
        *(
            Line(f"it3105-{matrix}{keys}", 100)
            for matrix in ("snake", "gradient")
            for keys in ("", ":depth=4", ":layers=literal")
        ),
    ),
    # The largest depths whose mean time a move is within 10 us, 100 us, 1 ms or 10 ms.
    "league": (
        Line("random", 10_000),
        Line("greedy", 10_000),
        Line("corner", 10_000),
        Line("expectimax:ply=2", 2_000),
        Line("alphabeta:depth=3", 2_000),
        Line("ntuple:net=tiny,ply=1", 5_000),
        Line("ntuple:ply=1", 10_000),
        Line("expectimax:ply=3", 300),
        Line("alphabeta:depth=5", 300),
        Line("quick", 300),
        Line("ntuple:net=tiny,ply=2", 500),
        Line("ntuple:ply=2", 1_000),
        Line("policy", 2_000),
        Line("expectimax:ply=4", 60),
        Line("expectimax:eval=snake,ply=3", 100),
        Line("alphabeta:depth=7", 100),
        Line("minimax:depth=5", 100),
        Line("datumbox", 100),
        Line("ntuple:net=tiny,ply=3", 100),
        Line("ntuple:ply=3/2@3", 200),
        Line("policy:ply=1", 260),
        Line("ntuple:ply=3", 200),
        Line("baeldung", 100),
        Line("it3105-snake", 40),
        Line("it3105-gradient", 40),
        Line("expectimax:ply=5", 20),
        Line("expectimax:eval=snake,ply=4", 20),
        Line("nneonneo:cut=0.01", 20),
        Line("policy:ply=2", 30),
        Line("ntuple:net=tiny,ply=4", 20),
        Line("ntuple:ply=4", 20),
    ),
}
"""The lines of each preset, in the order of play."""


def preset_lines(name: str) -> tuple[Line, ...]:
    """The lines of a preset; InvalidInput if there is none of this name."""
    if name not in PRESETS:
        raise InvalidInput(
            f"expected a preset ({', '.join(PRESETS)}), got {shown(name)}"
            f"{did_you_mean(name, PRESETS)}"
        )
    return PRESETS[name]
