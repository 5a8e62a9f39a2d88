"""Duels: the same seeds for both players, and no more than needed."""

import pytest

from twofold.arena.bench import Bench
from twofold.arena.compare import Verdict
from twofold.arena.duel import DuelOutcome, SprtQuestion, duel
from twofold.arena.study import Study
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules

SMALL = Rules.parse("3x3 goal=64")


def play(
    a: str, b: str, games: int, question: SprtQuestion | None = None, jobs: int = 0, seed: int = 1
) -> DuelOutcome:
    with Study() as study:
        return duel(Bench(study, SMALL), (a, b), SeedRange(seed, games), jobs, question=question)


def test_all_games_are_compared_on_their_seeds() -> None:
    found = play("greedy", "random", 50, seed=2**64 - 20)
    assert found.test is None
    assert found.comparison is not None
    assert found.comparison.games == 50
    ours, theirs = (one.games for one in found.standings)
    assert found.comparison.paired.difference.value == (ours.scores - theirs.scores).mean()
    assert found.comparison.names == ("greedy", "random")


@pytest.mark.parametrize(
    ("a", "b", "verdict"), [("greedy", "random", Verdict.A), ("random", "greedy", Verdict.B)]
)
def test_a_test_stops_as_soon_as_it_knows(a: str, b: str, verdict: Verdict) -> None:
    found = play(a, b, 5000, SprtQuestion())
    assert found.test is not None
    assert found.test.verdict is verdict
    assert 100 <= found.test.pairs < 1000
    assert all(len(one.games) == found.test.pairs for one in found.standings)


def test_a_test_ends_the_same_with_any_number_of_jobs() -> None:
    expected, found = (play("greedy", "corner", 600, SprtQuestion(), used) for used in (0, 3))
    assert vars(expected.test) == vars(found.test)


def test_hits_of_a_tile() -> None:
    found = play("greedy", "random", 2000, SprtQuestion(tile=64, share=0.1))
    assert found.test is not None
    assert found.test.verdict is Verdict.A
    assert found.test.delta == 0.1
    assert abs(found.test.mean) <= 1


def test_a_test_that_runs_out_of_games_does_not_know() -> None:
    found = play("greedy", "corner", 100, SprtQuestion(delta=1.0))
    assert found.test is not None
    assert found.test.verdict is None
    assert found.test.finished


def test_a_stopped_duel_compares_its_finished_games() -> None:
    with Study() as study:
        played: list[int] = []
        found = duel(
            Bench(study, SMALL), ("greedy", "random"), SeedRange(1, 40), 0,
            on_result=lambda number, games: played.extend([number] * len(games)),
            stop=lambda: len(played) > 45,
        )  # fmt: skip
    assert found.comparison is not None
    assert found.comparison.games == len(played) - 40
    with Study() as study:
        nothing = duel(
            Bench(study, SMALL), ("greedy", "random"), SeedRange(1, 40), 0, stop=lambda: True
        )
    assert nothing.comparison is None


def test_a_test_uses_pairs_up_to_the_first_game_that_is_missing() -> None:
    """Several jobs that are stopped leave gaps: games are finished in any order."""
    with Study() as study:
        bench = Bench(study, SMALL)
        for player in ("greedy", "corner"):
            bench.add(player, SeedRange(1, 110))
        bench.play(0)
        whole = bench.standings()
        with Study() as gaps:
            parts = Bench(gaps, SMALL)
            for one, missing in zip(whole, (103, 105), strict=True):
                run = parts.add(one.player, SeedRange(1, 110)).run
                gaps.add(run, one.games.where(one.games.seeds != missing))
            found = duel(
                Bench(gaps, SMALL), ("greedy", "corner"), SeedRange(1, 110), 0,
                question=SprtQuestion(delta=1.0), stop=lambda: True,
            )  # fmt: skip
    assert found.test is not None
    assert found.test.pairs == 102
    scores = [one.games.scores[:102] for one in whole]
    assert found.test.mean == (scores[0] - scores[1]).mean()


def test_bad_questions() -> None:
    with pytest.raises(InvalidInput, match="expected 100 games or more"):
        play("greedy", "random", 50, SprtQuestion())
    with pytest.raises(InvalidInput, match="expected two different players"):
        play("quick", "quick:ply=3", 10)
