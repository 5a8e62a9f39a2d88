"""A game with the methods and numbers of OpenSpiel's states; does not need OpenSpiel.

There, chance is a player: the two start tiles are two chance actions, and one follows each move. A
chance action is `(row * cols + col) * 2 + is_four`.

The rules are twofold's. OpenSpiel 2.0.2 omits a legal move if its only effect is to merge a tile
with an equal one that the previous move made.

    >>> state = OpenSpielState()
    >>> state.apply_action(18)  # a 2 in cell 9
    >>> state.apply_action(state.dice_action(seed=1))  # the tile of twofold's dice of seed 1
    >>> state.legal_actions()
    [0, 1, 2, 3]
"""

from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import GameOver, InvalidMove
from twofold.notation import check_seed, shown
from twofold.rules import Move, Rules
from twofold.step import throw

CHANCE_PLAYER: Final = -1
TERMINAL_PLAYER: Final = -4
PLAYER: Final = 0
"""The player who makes the moves."""
MOVE_NAMES: Final = ("Up", "Right", "Down", "Left")
RULES: Final = Rules(stop_at_goal=True)
"""OpenSpiel's own: a game ends at 2048."""


class OpenSpielState:
    """A position of a game, changed in place by `apply_action`.

    With spawn tiles other than 2 and 4, a chance action is the cell times the number of tiles, plus
    the number of the tile.
    """

    def __init__(self, rules: Rules | str = RULES) -> None:
        self._rules = rules = Rules.of(rules)
        self._board = Board.empty(rules.shape)
        self._history: list[int] = []
        self._to_place = rules.start_tiles
        self._placed = 0
        self._score = 0
        self._reward = 0

    # ---- whose turn

    def is_terminal(self) -> bool:
        """True if the goal is on the board and play stops there, or no move is legal."""
        if self._rules.stop_at_goal and self._board.max_tile >= self._rules.goal:
            return True
        return not self._to_place and self._board.is_over

    def is_chance_node(self) -> bool:
        """True if the next action places a tile."""
        return bool(self._to_place) and not self.is_terminal()

    def current_player(self) -> int:
        """0, or -1 for chance, or -4 at the end."""
        if self.is_terminal():
            return TERMINAL_PLAYER
        return CHANCE_PLAYER if self._to_place else PLAYER

    def is_player_node(self) -> bool:
        """True if the next action is a move."""
        return self.current_player() == PLAYER

    def is_simultaneous_node(self) -> bool:
        """Always False: moves and tiles alternate."""
        return False

    def num_players(self) -> int:
        """1; chance does not count."""
        return 1

    def num_distinct_actions(self) -> int:
        """4, the moves."""
        return len(Move)

    # ---- actions

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The moves that change the board, or the chance actions; none at the end.

        `player` is 0, -1 for chance, or None for the current one; only the current one has actions.
        """
        if self.is_terminal() or player not in (None, self.current_player()):
            return []
        if self._to_place:
            return [action for action, _ in self.chance_outcomes()]
        return [int(move) for move in self._board.legal_moves()]

    def legal_actions_mask(self, player: int = PLAYER) -> list[int]:
        """1 for each legal move, 0 for the others; all 0 at a chance node."""
        legal = self.legal_actions(PLAYER)
        return [int(move in legal) for move in Move]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The chance actions with their probabilities, by cell and then by tile."""
        if not self.is_chance_node():
            raise InvalidMove("this position is not a chance node")
        tiles = [tile for tile, _ in self._rules.spawn]
        return [
            (spawn.cell * len(tiles) + tiles.index(spawn.tile), spawn.probability)
            for spawn in self._board.spawns(self._rules)
        ]

    def dice_action(self, seed: int) -> int:
        """The chance action of twofold's dice: with it, the game is `Game(rules, seed)`."""
        seed = check_seed(seed)
        if not self.is_chance_node():
            raise InvalidMove("this position is not a chance node")
        cell, tile = throw(self._board, self._rules, seed, self._placed)
        tiles = [known for known, _ in self._rules.spawn]
        return cell * len(tiles) + tiles.index(tile)

    def apply_action(self, action: int) -> None:
        """Make a move, or place a tile.

        Raises `GameOver`, `IllegalMove`, `InvalidMove` for an unknown action, or `CellOccupied`.
        """
        if self.is_terminal():
            raise GameOver(f"the game is over on {self._board}")
        if self._to_place:
            self._board = self._board.place(*self._cell_and_tile(action))
            self._to_place -= 1
            self._placed += 1
        else:
            self._board, self._reward = self._board.slide(_move(action))
            self._score += self._reward
            self._to_place = 1
        self._history.append(action)

    def child(self, action: int) -> Self:
        """The position after an action, as a new state."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> Self:
        """An independent copy."""
        copy = type(self)(self._rules)
        vars(copy).update(vars(self))
        copy._history = list(self._history)
        return copy

    def action_to_string(self, player: int, action: int) -> str:
        """The text of an action, in OpenSpiel's words; `player` is -1 for chance, 0 for a move."""
        if player != CHANCE_PLAYER:
            return MOVE_NAMES[_move(action)]
        cell, tile = self._cell_and_tile(action)
        row, col = divmod(cell, self._rules.cols)
        return f"{tile} added to row {row + 1}, column {col + 1}"

    def _cell_and_tile(self, action: int) -> tuple[int, int]:
        tiles = self._rules.spawn
        cells = self._rules.rows * self._rules.cols
        if not 0 <= action < cells * len(tiles):
            last = cells * len(tiles) - 1
            raise InvalidMove(f"expected a chance action from 0 to {last}, got {shown(action)}")
        cell, number = divmod(action, len(tiles))
        return cell, tiles[number][0]

    # ---- observations

    @property
    def board(self) -> Board:
        """The current board; at a chance node the new tile is not on it yet."""
        return self._board

    def rewards(self) -> list[float]:
        """The points of the last move."""
        return [float(self._reward)]

    def returns(self) -> list[float]:
        """The points of all moves."""
        return [float(self._score)]

    def player_reward(self, player: int = PLAYER) -> float:
        """The points of the last move."""
        return self.rewards()[player]

    def player_return(self, player: int = PLAYER) -> float:
        """The points of all moves."""
        return self.returns()[player]

    def history(self) -> list[int]:
        """The actions so far, including those of chance."""
        return list(self._history)

    def history_str(self) -> str:
        """The actions so far, separated by commas."""
        return ", ".join(map(str, self._history))

    def move_number(self) -> int:
        """The number of actions so far, including those of chance."""
        return len(self._history)

    def observation_tensor(self, player: int = 0) -> NDArray[np.float32]:
        """The tiles, float32, shape (rows * cols,)."""
        return np.array(self._board.tiles, dtype=np.float32).reshape(-1)

    def observation_string(self, player: int = 0) -> str:
        """The text of `str`."""
        return str(self)

    def __str__(self) -> str:
        return "".join("".join(f"{tile:5}" for tile in row) + "\n" for row in self._board.tiles)


def _move(action: int) -> Move:
    if action not in tuple(Move):
        raise InvalidMove(f"expected a move from 0 to 3, got {shown(action)}")
    return Move(action)
