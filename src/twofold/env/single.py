"""One game as an environment of Gymnasium, and its rendering.

An environment reset with seed s plays `Game(rules, seed=s)`. The seeds of the next games are drawn
from `np_random`, which Gymnasium seeds with s.
"""

import sys
from collections.abc import Sequence
from functools import lru_cache
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from twofold.env.games import (
    Afterstates,
    EnvGames,
    EnvSettings,
    Illegal,
    Observation,
    Reward,
    WithSpec,
    next_seed,
    parse_start,
    space,
)
from twofold.errors import InvalidInput, InvalidMove
from twofold.game.board import Board
from twofold.game.drawing import BOARD, TILES, Colour
from twofold.game.drawing import CELL as EMPTY
from twofold.game.game import Game
from twofold.game.notation import check_seed, shown
from twofold.game.rules import STANDARD, Rules

FRAMES_PER_SECOND: Final = 4
"""Frame rate of recorded videos."""

CELL: Final = 112
"""Side of a cell, in pixels."""

GAP: Final = 16
"""Pixels between and around cells. The sides of images are then multiples of 16: with odd sides,
video recorders make files that browsers cannot show; they stretch other sizes."""

MARGIN: Final = 6
"""Minimum distance between a number and the side of its cell, in pixels."""

SCALES: Final = (4, 4, 3)
"""Largest size of a font dot in pixels, by number of digits; the last entry for more digits."""

FONT: Final = (
    ".#####. ...##.. .#####. .#####. ....##. ####### .#####. ####### .#####. .#####.",
    "####### ..###.. ####### ####### ...###. ####### ####### ####### ####### #######",
    "##...## .####.. ##...## ##...## ..####. ##..... ##...## .....## ##...## ##...##",
    "##...## ...##.. .....## .....## .##.##. ##..... ##..... ....##. ##...## ##...##",
    "##...## ...##.. ....### ..####. ##..##. ######. ######. ....##. .#####. #######",
    "##...## ...##.. ...###. ..####. ##..##. ####### ####### ...##.. .#####. .######",
    "##...## ...##.. ..###.. .....## ####### .....## ##...## ...##.. ##...## .....##",
    "##...## ...##.. .###... ##...## ####### ##...## ##...## ..##... ##...## ##...##",
    "####### .###### ####### ####### ....##. ####### ####### ..##... ####### #######",
    ".#####. .###### ####### .#####. ....##. .#####. .#####. ..##... .#####. .#####.",
)
"""The digits 0 to 9 side by side, 7 dots wide and 10 high."""

DIGIT_WIDTH: Final = 7


def check_mode(mode: str | None, modes: Sequence[str]) -> str | None:
    """Return a render mode that is offered, or None; raises `InvalidInput` for others."""
    if mode is not None and mode not in modes:
        raise InvalidInput(f"expected a render mode of {', '.join(modes)}, got {shown(mode)}")
    return mode


def write(board: Board, score: int, move_number: int) -> str:
    """The board as text below a line with score and move number, for a terminal."""
    return f"score {score}  move {move_number}\n{board.drawn()}\n"


def draw(board: Board) -> NDArray[np.uint8]:
    """The board as an image, RGB, shape (height, width, 3)."""
    height, width = (GAP + side * (CELL + GAP) for side in board.shape)
    image = np.empty((height, width, 3), dtype=np.uint8)
    image[:] = _rgb(BOARD)
    for cell, exponent in enumerate(board.exponents):
        row, col = divmod(cell, board.cols)
        top, left = GAP + row * (CELL + GAP), GAP + col * (CELL + GAP)
        image[top : top + CELL, left : left + CELL] = _tile(exponent)
    return image


@lru_cache(maxsize=64)
def _tile(exponent: int) -> NDArray[np.uint8]:
    image = np.empty((CELL, CELL, 3), dtype=np.uint8)
    image[:] = _rgb(TILES[exponent - 1].face if exponent else EMPTY)
    if exponent:
        dots = _number(1 << exponent)
        height, width = dots.shape
        top, left = (CELL - height) // 2, (CELL - width) // 2
        image[top : top + height, left : left + width][dots] = _rgb(TILES[exponent - 1].text)
    image.setflags(write=False)
    return image


def _number(value: int) -> NDArray[np.bool_]:
    font = np.array([[dot == "#" for dot in line] for line in FONT])
    step = DIGIT_WIDTH + 1  # a column of space after each digit
    digits = [font[:, step * int(digit) :][:, :DIGIT_WIDTH] for digit in str(value)]
    space = np.zeros((len(FONT), 1), dtype=np.bool_)
    dots = np.hstack([part for digit in digits for part in (digit, space)][:-1])
    largest = SCALES[min(len(digits), len(SCALES)) - 1]
    scale = max(1, min(largest, (CELL - 2 * MARGIN) // dots.shape[1]))
    return np.kron(dots, np.ones((scale, scale), dtype=np.bool_)).astype(np.bool_)


def _rgb(colour: Colour) -> NDArray[np.uint8]:
    return np.frombuffer(bytes.fromhex(colour.light[1:]), dtype=np.uint8)


class Env2048(WithSpec, gymnasium.Env[NDArray[Any], int]):
    """The game 2048; actions 0 to 3 are up, right, down and left.

    An action that changes nothing is illegal: it makes no move and spawns no tile. The episode
    terminates when no move is legal, or at the goal if the rules stop there. A step after that
    changes nothing, has reward 0 and reports `terminated` again; so does the first step of the rare
    game that is over from its start (on 1x2, for example).

    `info` holds `action_mask` (int8, 4), `max_tile`, `move_number`, `score` (points) and `seed`
    (`Game(rules, seed)` with the same moves replays the game).

    Args:
        rules: rules of the games, or their text, such as `"3x4 goal=512 stop=goal"`.
        observation: `exponents` (uint8), `onehot` (uint8, a plane for each exponent up to
            `Rules.max_exponent`: 18 on 4x4), `tiles` (int64) or `bits` (uint64, up to 4x4, tiles
            past 32768 appear as 32768).
        reward: `score` (sum of the tiles made), `log2` (sum of their exponents) or `goal` (1 when
            the goal tile is first made).
        illegal: effect of an illegal action: `noop`, `penalty` (subtracted from the reward),
            `terminate` the episode, or `error`.
        penalty: subtracted with `illegal="penalty"`.
        spawn_info: whether `info` also holds the outcome of chance, `spawn_cell` (row by row from
            0) and `spawn_tile`; -1 and 0 at a reset and after a step without a new tile.
        render_mode: `ansi`, `rgb_array`, `human` (writes the board to the terminal) or None.

    Raises:
        InvalidInput: an option is invalid; the message names it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (so it is in Gymnasium)
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        rules: Rules | str = STANDARD,
        observation: Observation = "exponents",
        reward: Reward = "score",
        illegal: Illegal = "noop",
        penalty: float = 1.0,
        render_mode: str | None = None,
        spawn_info: bool = False,
    ) -> None:
        self.settings = EnvSettings(
            Rules.of(rules), observation, reward, illegal, penalty, spawn_info
        )
        self.render_mode = check_mode(render_mode, self.metadata["render_modes"])
        self.action_space = Discrete(4)  # type: ignore[assignment]
        self.observation_space = space(observation, self.settings.rules)
        self._games = EnvGames(self.settings, 1)
        self._seed = np.uint64(0)
        self._begun = False

    def __repr__(self) -> str:
        text = f"<Env2048 {str(self.settings.rules)!r}"
        if not self._begun:
            return f"{text} before its first game>"
        games = self._games
        return (
            f"{text} seed={self._seed} move {games.move_numbers.item()}, "
            f"score {games.scores.item()}: {self.board}>"
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a new game; returns the observation and the info.

        Args:
            seed: of the game and of `np_random`, 0 to 2**64 - 1; None draws it from `np_random`.
            options: `board` to begin on (a `Board`, its text, or an array, see
                `Board.from_array`), with `score` and `move_number`, 0 by default.

        Raises:
            InvalidSeed: the seed is out of range.
            InvalidInput: an option is unknown or invalid.
        """
        start = parse_start(options, self.settings.rules)
        if seed is not None:
            seed = check_seed(seed)
        super().reset(seed=seed)
        self._seed = np.uint64(next_seed(self.np_random) if seed is None else seed)
        games = self._games
        games.seeds[0] = self._seed
        if start is None:
            games.start_one(0)
        else:
            games.place(np.ones(1, dtype=np.bool_), start)
        self._begun = True
        if self.render_mode == "human":
            self.render()
        return games.first_observation.copy(), self._info(*games.first_numbers.tolist())

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Make a move, 0 to 3; `truncated` is always False here.

        Raises:
            ResetNeeded: `reset` has not been called.
            InvalidMove: the action is not 0 to 3.
            IllegalMove: the move changes nothing, and `illegal="error"`.
            TileTooLarge: a merge would make an exponent past 35.
        """
        if not self._begun:
            raise ResetNeeded("call reset before the first step")
        try:
            move = index(action) | 0  # a plain int for every type of action
        except TypeError:
            move = -1
        if not 0 <= move <= 3:
            raise InvalidMove(f"expected an action from 0 to 3, got {shown(action)}")
        games = self._games
        ended, reward, score, move_number, max_tile = games.step_one(move)
        if self.render_mode == "human":
            self.render()
        info = self._info(score, move_number, max_tile)
        return games.first_observation.copy(), reward, ended != 0, False, info

    def _info(self, score: int, move_number: int, max_tile: int) -> dict[str, Any]:
        info = {
            "action_mask": self._games.first_legal.copy(),
            "max_tile": max_tile,
            "move_number": move_number,
            "score": score,
            "seed": self._seed,
        }
        if self.settings.spawn_info:
            (info["spawn_cell"],), (info["spawn_tile"],) = self._games.spawns.tolist()
        return info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool, shape (4,), as sb3-contrib's MaskablePPO needs it."""
        return np.array(self._games.first_legal, dtype=np.bool_)

    def afterstates(self) -> Afterstates:
        """The afterstates of the four actions: boards, rewards, mask."""
        boards, rewards, mask = self._games.afterstates()
        return Afterstates(boards[0], rewards[0], mask[0])

    @property
    def board(self) -> Board:
        """The board, for players and evaluators of twofold."""
        return self._games.board(0)

    @property
    def game(self) -> Game:
        """A new `Game` that begins at the current position."""
        return self._games.game(0)

    def render(self) -> Any:
        """The board as text, as an image of shape (height, width, 3), or None, by render mode.

        `human` writes the text to the terminal, automatically after each reset and step.
        """
        games = self._games
        if self.render_mode == "rgb_array":
            return draw(self.board)
        if self.render_mode is None:
            return None
        text = write(self.board, games.scores.item(), games.move_numbers.item())
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
        return None
