"""The player `policy`: without search, with one, with endgame tables; whole games."""

from pathlib import Path

import pytest

from tests.support.policies import make_policy, write
from tests.support.positions import boards, score_of
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.games.judge import Judge
from twofold.players import make_player, play_game
from twofold.players.policy import PolicyPlayer
from twofold.search.analysis import PROBABILITY
from twofold.search.budget import Budget
from twofold.values.policy_network import REWARDS, PolicyNetwork, probabilities

GRIDS = [(Board.from_tiles(grid), score_of(grid)) for grid in boards(30, most_empty=6, seed=8)]


@pytest.fixture
def net(tmp_path: Path) -> str:
    return str(write(tmp_path / "net.safetensors"))


def test_the_move_is_the_most_probable_legal_one(net: str) -> None:
    network = make_policy()
    with make_player(f"policy:net={net}") as player:
        for board, score in [*GRIDS, (Board.parse("hg00/0000/0120/0001"), None)]:
            thought, legal = network.think(board), board.legal_moves()
            best = max(legal, key=lambda move: thought.logits[move])
            assert player.choose(board, score=score) is best
            analysis = player.analyse(board)
            chances = probabilities(thought.logits, [move in legal for move in Move])
            assert [one.value for one in analysis.moves if one.legal] == [
                chances[move] for move in legal
            ]
            assert (analysis.best, analysis.critic) == (best, thought.value)
            assert (analysis.unit, analysis.critic_unit) == (PROBABILITY, "points")


UNITS = {"points": "discounted points", "exponents": "exponents", "large": "own unit"}


class Naive:
    """The search guided by a network, written from its description."""

    def __init__(self, network: PolicyNetwork, share: float) -> None:
        self.network, self.share = network, share

    def tried(self, board: Board) -> list[Move]:
        legal = board.legal_moves()
        chances = probabilities(self.network.think(board).logits, [move in legal for move in Move])
        return [move for move in legal if chances[move] >= self.share * max(chances)]

    def worth(self, state: Board, ply: int) -> float:
        if not state.legal_moves():
            return self.network.reward.death
        if not ply:
            return self.network.discount * self.network.think(state).value
        best = max(self.move(state, move, ply) for move in self.tried(state))
        return self.network.discount * best

    def move(self, board: Board, move: Move, ply: int) -> float:
        after = board.slide(move).board
        empty = [cell for cell, tile in enumerate(after.exponents) if not tile]
        total = 0.0
        for cell in empty:
            for exponent, chance in ((1, 0.9), (2, 0.1)):
                cells = list(after.exponents)
                cells[cell] = exponent
                state = Board(cells, board.shape)
                total += chance / len(empty) * self.worth(state, ply - 1)
        return total + self.reward(board, after)

    def reward(self, board: Board, after: Board) -> float:
        """Of the merges, from the tiles that there are more and fewer of than before."""
        made, before, now = 0.0, list(board.exponents), list(after.exponents)
        for tile in range(max(now), 1, -1):
            merges = now.count(tile) - before.count(tile)
            made += merges * self.network.reward.values[tile]
            now += merges * 2 * [tile - 1]
        return made


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("ply", "share"), [(1, 0.9), (2, 0.5)])
def test_a_search_equals_its_naive_twin(
    ply: int, share: float, reward: str, tmp_path: Path
) -> None:
    network = make_policy((2, 3), exponents=9, seed=4, reward=reward, discount=0.9)
    path, naive = write(tmp_path / "small.safetensors", network), Naive(network, share)
    with make_player(f"policy:net={path},ply={ply},share={share}") as player:
        for text in ("2x3:121/010", "2x3:123/321", "2x3:432/110", "2x3:111/111"):
            board = Board.parse(text)
            found = player.analyse(board)
            for move in board.legal_moves():
                assert found[move].value == pytest.approx(naive.move(board, move, ply), rel=1e-6)
            tried = naive.tried(board)
            best = max(tried, key=lambda move: naive.move(board, move, ply))
            assert found.best is best is player.choose(board)
            assert found.critic_unit == UNITS[reward]
            assert (found.unit, found.depth) == (UNITS[reward], "1 ply" if ply == 1 else "2 plies")
            assert found.nodes > 0


@pytest.mark.parametrize("keys", ["", ",ply=1"])
@pytest.mark.parametrize("shape", [(2, 3), (3, 3), (4, 4)])
def test_games_are_those_of_choose(shape: tuple[int, int], keys: str, tmp_path: Path) -> None:
    network = make_policy(shape, exponents=9, symmetric=shape[0] == 3)
    path = write(tmp_path / "small.safetensors", network)
    rules = Rules(*shape)
    with make_player(f"policy:net={path}{keys}") as player:
        assert isinstance(player, PolicyPlayer)
        found = play_game(player, rules, 5, keep_moves=True)
        player.start(rules, 5)
        player.policy = 0
        other = play_game(player, rules, 5, keep_moves=True)
    assert found is not None
    assert other is not None
    assert found.letters == other.letters


def test_a_judge_trusts_no_move_that_the_search_left_out(tmp_path: Path) -> None:
    network = make_policy((2, 3), exponents=9, seed=4)
    path = write(tmp_path / "small.safetensors", network)
    left_out = 0
    with make_player(f"policy:net={path},ply=1,share=0.9") as player:
        judge = Judge(player, Rules(2, 3), Budget())
        for text in ("2x3:121/010", "2x3:123/321", "2x3:432/110", "2x3:111/111"):
            board = Board.parse(text)
            analysis = player.analyse(board)
            left_out += max(one.value or 0 for one in analysis.moves) > (analysis.value or 0)
            found = judge.judgement(0, board, 0, analysis.best)
            assert found is not None
            assert found.is_best
    assert left_out
