"""Statistics of saved games, from the list."""

import random

from twofold.games.kept import LEADERS, GameInfo, Kept, statistics_of, streaks
from twofold.games.makers import Kind

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
SMALL = "3x3 spawn=2:0.9,4:0.1 start=2 goal=256 stop=never"


def game(
    score: int, tile: int, status: str = "over", *, kind: Kind = "hand", rules: str = RULES,
    played: float = 0.0, moves: int = 100,
) -> Kept:  # fmt: skip
    name = f"{score}-{tile}-{played:.0f}"
    info = GameInfo(
        name, rules, "0000", score, moves, tile, status, "me", "2048-01-31", 0, kind=kind
    )
    return Kept(info, played)


def test_games_that_are_over_or_won_count() -> None:
    games = [game(1000, 128), game(3000, 256), game(21_000, 2048, "won"), game(9000, 1024, "going")]
    (found,) = statistics_of(games)
    (figures,) = found.kinds
    assert (figures.games, figures.going, figures.moves) == (3, 1, 300)
    assert (figures.mean, figures.median, figures.best) == (25_000 / 3, 3000, 21_000)


def test_kinds_and_rules_are_kept_apart() -> None:
    kinds: tuple[Kind, ...] = ("hand", "helped", "player", "board")
    games = [game(100 * place, 64, kind=kind) for place, kind in enumerate(kinds, 1)]
    games.append(game(50, 32, rules=SMALL))
    original, small = statistics_of(games)
    assert [(one.kind, one.best) for one in original.kinds] == [
        ("hand", 100), ("helped", 200), ("player", 300), ("board", 400),
    ]  # fmt: skip
    assert (small.rules, small.goal, [one.kind for one in small.kinds]) == (SMALL, 256, ["hand"])


def test_the_leaders_are_the_best_games_by_hand() -> None:
    games = [game(100 * place, 64) for place in range(LEADERS + 3)]
    others: list[Kind] = ["player", "board", "file"]
    games += [game(9_999, 2048, kind=kind) for kind in others]
    games += [game(1_050, 64, kind="helped")]
    (found,) = statistics_of(games)
    scores = [info.score for info in found.leaders]
    assert scores == [1200, 1100, 1050, 1000, 900, 800, 700, 600, 500, 400]
    assert found.leaders[2].kind == "helped"


def test_streaks_go_by_time() -> None:
    games = [game(place, 2048 if place in (1, 2, 3, 6) else 64, played=place) for place in range(7)]
    random.Random(1).shuffle(games)
    (figures,) = statistics_of(games)[0].kinds
    assert (figures.streak, figures.longest_streak) == (1, 3)
    assert figures.scores == list(range(7))
    assert figures.played == list(range(7))
    assert streaks([]) == (0, 0)
