"""The table of a bench as text."""

from tests.support.games import game
from twofold.arena import GameColumns, PlayerStanding
from twofold.arena.stats import format_runs
from twofold.figures import format_table


def make_run(name: str, tiles: list[int], error: str = "") -> PlayerStanding:
    rows = tuple(game(seed, 10 * tile, 100, tile, (), 0.01) for seed, tile in enumerate(tiles))
    return PlayerStanding(name, name, GameColumns.joined(rows), error, 9 if error else None)


def test_columns_are_aligned() -> None:
    assert format_table(["a", "bb"], [["ccc", "1"], ["d", "222"]]) == "a     bb\nccc    1\nd    222"


def test_named_columns_are_left_aligned() -> None:
    rows = [["ccc", "1", "x"], ["d", "222", "yy"]]
    assert format_table(["a", "bb", "c"], rows, left=(2,)).split("\n") == [
        "  a   bb  c", "ccc    1  x", "  d  222  yy",
    ]  # fmt: skip


def test_scores_and_reach_rates() -> None:
    text = format_runs([make_run("weak", [64, 128]), make_run("strong", [2048, 4096])])
    lines = text.splitlines()
    assert lines[0].split() == ["player", "games", "mean", "score", "±", "95", "%", "median",
                                "best", "moves/s", "s/game"]  # fmt: skip
    assert lines[1].split()[:3] == ["weak", "2", "960"]
    assert lines[4].split()[-7:] == ["64", "128", "256", "512", "1024", "2048", "4096"]
    assert lines[5].split() == ["weak", "100", "50", *"-----"]
    assert lines[6].split() == ["strong", "100", "100", "100", "100", "100", "100", "50"]
    assert max(map(len, lines)) <= 80


def test_only_rates_that_tell_players_apart_are_shown() -> None:
    text = format_runs([make_run("strong", [8192, 16384, 16384, 32768])])
    assert text.splitlines()[-2].split()[-4:] == ["4096", "8192", "16384", "32768"]
    assert "2048" not in text


def test_tiles_of_given_boards_count_as_reached() -> None:
    text = format_runs([make_run("late", [8192, 16384])], from_boards=True)
    assert text.split("\n\n")[1].startswith("reached or given, %  ")


def test_at_most_eight_rates() -> None:
    text = format_runs([make_run("both", [8, 65536])])
    assert len(text.splitlines()[-1].split()) == 1 + 8


def test_rates_of_many_games_have_a_decimal() -> None:
    text = format_runs([make_run("a", [64] * 999 + [128])])
    assert text.splitlines()[-1].split()[-2:] == ["100.0", "0.1"]


def test_long_names_are_numbered() -> None:
    name = "expectimax:eval=examples/my_evaluator.py:gaps,ply=2"
    text = format_runs([make_run(name, [64]), make_run("b", [64])])
    assert text.startswith(f"1  {name}\n2  b\n\nplayer")
    assert text.splitlines()[4].split()[:2] == ["1", "1"]


def test_failures_are_reported_with_their_seed() -> None:
    text = format_runs([make_run("bad", [], "it broke"), make_run("good", [64])])
    assert text.endswith("bad: failed on seed 9: it broke")
    assert format_runs([make_run("bad", [], "it broke")]) == "bad: failed on seed 9: it broke"
