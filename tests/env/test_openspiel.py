"""OpenSpiel's states: numbers and texts, with the dice of twofold as chance."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from twofold.board import Board
from twofold.env.openspiel import CHANCE_PLAYER, PLAYER, TERMINAL_PLAYER, OpenSpielState
from twofold.errors import CellOccupied, GameOver, IllegalMove, InvalidMove, InvalidSeed
from twofold.game import Game
from twofold.rules import Move, Rules

GOLDEN = Path(__file__).parent / "openspiel.json"
"""Recorded games of OpenSpiel; the file says how they were made."""

LEFT_OUT = {750: [3]}
"""A legal move that OpenSpiel 2.0.2 does not list: nothing would move but one tile into its equal,
which it takes for one that may not merge because the move before made it."""


@pytest.mark.parametrize("game", json.loads(GOLDEN.read_text(encoding="utf-8"))["games"])
def test_games_that_openspiel_played(game: dict[str, Any]) -> None:
    state = OpenSpielState()
    for number, action in enumerate([*game["actions"], None]):
        position = game["positions"].get(str(number))
        if position:
            assert state.current_player() == position["player"]
            assert state.is_terminal() == (action is None)
            found = state.legal_actions()
            assert [one for one in found if one not in LEFT_OUT.get(number, [])] == position[
                "legal"
            ]
            assert str(state) == state.observation_string() == position["text"]
            assert state.rewards() == [position["reward"]]
            assert state.returns() == [position["return"]]
            if state.is_chance_node():
                chances = [probability for _, probability in state.chance_outcomes()]
                assert chances == pytest.approx(position["chances"], rel=1e-12)
            if action is not None:
                said = state.action_to_string(state.current_player(), action)
                assert said == position["says"]
        if action is not None:
            state.apply_action(action)
    assert state.history() == game["actions"]


@pytest.mark.parametrize("rules", ["4x4 goal=64 stop=goal", "3x4", "2x3 spawn=2:1,4:1,8:1 start=3"])
def test_dice_actions_give_the_game_of_the_seed(rules: str) -> None:
    game = Game(Rules.parse(rules), seed=9)
    state = OpenSpielState(rules)
    rng = random.Random(1)
    while True:
        while state.is_chance_node():
            assert state.legal_actions_mask() == [0, 0, 0, 0]
            state.apply_action(state.dice_action(9))
        if state.is_terminal():
            break
        assert state.board == game.board
        legal = state.legal_actions()
        assert legal == list(game.legal_moves())
        assert state.legal_actions_mask() == [int(move in legal) for move in range(4)]
        move = rng.choice(legal)
        reward = game.play(Move(move)).reward
        state.apply_action(move)
        assert state.rewards() == [reward]
        assert state.returns() == [game.score]
    assert game.is_finished
    assert state.legal_actions() == state.legal_actions_mask()[:0]


def test_the_current_player() -> None:
    state = OpenSpielState()
    assert (state.num_players(), state.num_distinct_actions()) == (1, 4)
    assert not state.is_simultaneous_node()
    assert not state.is_player_node()
    assert state.legal_actions(CHANCE_PLAYER) == [*range(32)] == state.legal_actions()
    assert state.legal_actions(PLAYER) == []
    for action in (0, 2, 1):  # 2s in the first two cells, merged to the right
        state.apply_action(action)
    state.apply_action(0)
    assert state.is_player_node()
    assert state.legal_actions(CHANCE_PLAYER) == []
    assert state.legal_actions(PLAYER) == state.legal_actions() == [1, 2, 3]
    assert state.legal_actions_mask(PLAYER) == [0, 1, 1, 1]
    assert (state.player_reward(PLAYER), state.player_return(PLAYER)) == (4, 4)
    assert (state.history_str(), state.move_number()) == ("0, 2, 1, 0", 4)


def test_chance_actions() -> None:
    state = OpenSpielState()
    assert state.current_player() == CHANCE_PLAYER
    assert [action for action, _ in state.chance_outcomes()] == list(range(32))
    assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
    assert (
        state.action_to_string(CHANCE_PLAYER, 2 * (4 * 1 + 2) + 1) == "4 added to row 2, column 3"
    )
    state.apply_action(2 * (4 * 1 + 2) + 1)
    state.apply_action(0)
    assert state.board == Board.parse("1000/0020/0000/0000")
    assert state.observation_tensor().tolist() == [2, 0, 0, 0, 0, 0, 4, 0, *[0] * 8]
    assert str(state).splitlines()[1] == "    0    0    4    0"
    assert state.current_player() == 0
    assert [state.action_to_string(0, move) for move in range(4)] == ["Up", "Right", "Down", "Left"]


def test_a_child_does_not_change_its_parent() -> None:
    state = OpenSpielState()
    child = state.child(3).child(6)
    assert state.history() == []
    assert child.history() == [3, 6]
    twin = child.clone()
    twin.apply_action(1)
    assert child.current_player() == 0
    assert twin.current_player() == CHANCE_PLAYER


def test_invalid_actions_are_refused() -> None:
    state = OpenSpielState()
    for action in (-1, 32):
        with pytest.raises(InvalidMove, match="expected a chance action from 0 to 31"):
            state.apply_action(action)
    state.apply_action(0)
    with pytest.raises(CellOccupied):
        state.apply_action(1)
    with pytest.raises(InvalidSeed):
        state.dice_action(-1)
    state.apply_action(2)
    with pytest.raises(IllegalMove):
        state.apply_action(0)
    with pytest.raises(InvalidMove, match="expected a move from 0 to 3, got 4"):
        state.apply_action(4)
    for ask in (state.chance_outcomes, lambda: state.dice_action(1)):
        with pytest.raises(InvalidMove, match="this position is not a chance node"):
            ask()
    over = OpenSpielState(Rules(1, 2))
    over.apply_action(0)
    over.apply_action(3)
    assert over.current_player() == TERMINAL_PLAYER
    with pytest.raises(GameOver):
        over.apply_action(0)
