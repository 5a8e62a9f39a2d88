"""Games that step together in one kernel, for both environments, and the options of both.

Kernels write observations during play; `observe` is the plain twin, for any board.

A step changes arrays with an element a game, which the kernel finds by their addresses. Other
modules read them by name; only `start`, `place` and `step` write them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box
from numpy.typing import NDArray

from twofold.errors import (
    IllegalMove,
    InvalidBoard,
    InvalidInput,
    InvalidMove,
    TileTooLarge,
    TwofoldError,
    UnsupportedRules,
)
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.kernels import env_games as names
from twofold.kernels import env_vector as kernels
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.limits import (
    BITS_MAX_EXPONENT,
    BITS_MAX_SIDE,
    MAX_EXPONENT,
    TOO_LARGE_MERGE,
    check_limit,
)
from twofold.players.compiled import fits_bits

Observation = Literal["exponents", "onehot", "tiles", "bits"]
"""The forms of an observation, in the order of `kernels.env_games`."""

Reward = Literal["score", "log2", "goal"]
"""The rewards of a move, in the order of `kernels.env_games`."""

Illegal = Literal["noop", "penalty", "terminate", "error"]
"""The effects of an illegal action, in the order of `kernels.env_games`."""

OBSERVATIONS: Final[tuple[Observation, ...]] = get_args(Observation)
REWARDS: Final[tuple[Reward, ...]] = get_args(Reward)
ILLEGALS: Final[tuple[Illegal, ...]] = get_args(Illegal)

START_OPTIONS: Final = ("board", "score", "move_number")
"""Options of `reset(options=...)` that set the first board."""


class Afterstates(NamedTuple):
    """The results of the four moves, before the new tile appears.

    `boards` have the form of the observations, one per action; after an illegal move the board is
    unchanged and the reward 0. `rewards` are float64; `mask` is int8, 1 for each legal move.
    """

    boards: NDArray[Any]
    rewards: NDArray[np.float64]
    mask: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class EnvSettings:
    """The options of an environment, as in `twofold.env.single.Env2048`.

    Raises:
        InvalidInput: a value is not offered.
    """

    rules: Rules = STANDARD
    observation: Observation = "exponents"
    reward: Reward = "score"
    illegal: Illegal = "noop"
    penalty: float = 1.0
    spawn_info: bool = False

    def __post_init__(self) -> None:
        _check_choice("an observation of", self.observation, OBSERVATIONS)
        _check_choice("a reward of", self.reward, REWARDS)
        _check_choice("illegal to be", self.illegal, ILLEGALS)
        if not _is_finite(self.penalty):
            raise InvalidInput(f"expected a finite number as penalty, got {shown(self.penalty)}")
        object.__setattr__(self, "penalty", float(self.penalty))
        if self.observation == "bits" and max(self.rules.shape) > BITS_MAX_SIDE:
            raise UnsupportedRules(
                f"expected at most {BITS_MAX_SIDE} rows and columns for observations in 64 bits, "
                f"got {self.rules.rows}x{self.rules.cols}"
            )
        if not isinstance(self.spawn_info, bool):
            raise InvalidInput(
                f"expected spawn_info as True or False, got {shown(self.spawn_info)}"
            )


class WithSpec:
    """An environment whose spec holds the rules as text, so that JSON can hold it."""

    settings: EnvSettings
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """How Gymnasium made the environment."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None and "rules" in spec.kwargs:
            spec.kwargs["rules"] = str(self.settings.rules)
        self._spec = spec


def _is_finite(number: object) -> bool:
    try:
        return math.isfinite(number)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        offered = ", ".join(choices[:-1]) + " or " + choices[-1]
        raise InvalidInput(f"expected {what} {offered}, got {shown(value)}")


class Start(NamedTuple):
    """A first board, with its score and move number."""

    board: Board
    score: int
    move_number: int


def parse_start(options: dict[str, Any] | None, rules: Rules) -> Start | None:
    """The first board of `reset` options, which games under the rules can have; None: a new game.

    Raises `InvalidInput`; `InvalidBoard` also if the board leads to larger tiles than the
    observations hold.
    """
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise InvalidInput(f"expected options as a mapping, got {shown(options)}")
    if not options:
        return None
    for key in options:
        if key not in START_OPTIONS:
            raise InvalidInput(f"expected options of {', '.join(START_OPTIONS)}, got {shown(key)}")
    if "board" not in options:
        raise InvalidInput(f"expected a board with {shown(next(iter(options)))}, got none")
    board = options["board"]
    if isinstance(board, np.ndarray):
        board = Board.from_array(board, rules.shape)
    elif not isinstance(board, Board):
        if not isinstance(board, str):
            raise InvalidBoard(f"expected a Board, its text or an array, got {shown(board)}")
        board = Board.parse(board)
    score, move_number = (_whole(options, key) for key in ("score", "move_number"))
    Game.from_board(board, rules, 0, score=score, move_number=move_number)
    beyond = 2 << rules.max_exponent
    if rules.max_exponent < MAX_EXPONENT and sum(board) >= beyond:
        raise InvalidBoard(
            f"expected a sum of tiles below {beyond}, which no game under these rules reaches, "
            f"got {sum(board)}"
        )
    return Start(board, score, move_number)


def _whole(options: dict[str, Any], key: str) -> int:
    value = options.get(key, 0)
    try:
        return index(value)
    except TypeError:
        raise InvalidInput(f"expected a whole number as {key}, got {shown(value)}") from None


def space(form: Observation, rules: Rules) -> Box:
    """The space of the observations; `Rules.max_exponent` bounds all but `bits`."""
    largest = rules.max_exponent
    if form == "exponents":
        return Box(0, largest, rules.shape, np.uint8)
    if form == "onehot":
        return Box(0, 1, (largest + 1, *rules.shape), np.uint8)
    if form == "tiles":
        return Box(0, 1 << largest, rules.shape, np.int64)
    return Box(0, np.iinfo(np.uint64).max, (1,), np.uint64)


def observe(
    board: Board, form: Observation = "exponents", rules: Rules | None = None
) -> NDArray[Any]:
    """A board as an observation, under the original rules on its shape by default.

    The array has the shape and type of `space`. Raises `InvalidBoard` if the board does not fit
    64 bits for `bits`.
    """
    exponents = np.array(board.exponents, dtype=np.uint8).reshape(board.shape)
    if form == "exponents":
        return exponents
    if form == "onehot":
        rules = rules or Rules(board.rows, board.cols)
        planes = np.arange(rules.max_exponent + 1, dtype=np.uint8)[:, None, None]
        return np.equal(exponents, planes).astype(np.uint8)
    if form == "tiles":
        return np.array(board.tiles, dtype=np.int64)
    clipped = [min(exponent, BITS_MAX_EXPONENT) for exponent in board.exponents]
    return np.array([Board(clipped, board.shape).to_bits()], dtype=np.uint64)


BLOCK: Final = 32
"""Seeds in reserve for each game, for new games inside a kernel."""

NO_SPAWN: Final = np.array([[-1], [0]])
"""Cell and tile of a step without a spawn."""

_NO_LIMIT: Final = 1 << 62

_MADE: Final = (
    "_address",
    "_read",
    "_words",
    "first_legal",
    "first_numbers",
    "first_observation",
    "max_tiles",
    "move_numbers",
    "scores",
)
"""Attributes that `_make_words` makes from the others."""


class Numbers(NamedTuple):
    """The arrays of infos, one element a game; `legal` is int8 (count, 4)."""

    legal: NDArray[np.int8]
    scores: NDArray[np.int64]
    move_numbers: NDArray[np.int64]
    max_tiles: NDArray[np.int64]
    seeds: NDArray[np.uint64]


class EnvGames:
    """Games under the same rules; each array has one element a game.

    A game is truncated after `max_steps`; with `autoreset` the next step begins a new one.
    `numbers`, int64 (3, count), are scores in points, move numbers and largest tiles. `spawns`,
    int64 (2, count), are cell and tile of each spawn of the last step, with `spawn_info`. `ahead`,
    uint64 (count, BLOCK), holds seeds of future games, of which `used` are used.
    """

    def __init__(
        self,
        settings: EnvSettings,
        count: int,
        max_steps: int | None = None,
        *,
        autoreset: bool = False,
    ) -> None:
        limit = _NO_LIMIT if max_steps is None else max_steps
        self._limit = check_limit("max_episode_steps", limit, 1, _NO_LIMIT)
        self.settings = settings
        self._autoreset = autoreset
        rules = settings.rules
        self.actions = np.zeros(count, dtype=np.int64)
        self.seeds = np.zeros(count, dtype=np.uint64)
        self.numbers = np.zeros((3, count), dtype=np.int64)
        self.legal = np.zeros((count, 4), dtype=np.int8)
        self.spawns = np.repeat(NO_SPAWN, count, axis=1)
        self.rewards = np.zeros(count, dtype=np.float64)
        self.terminated = np.zeros(count, dtype=np.bool_)
        self.truncated = np.zeros(count, dtype=np.bool_)
        form = space(settings.observation, rules)
        self.observations = np.zeros((count, *form.shape), dtype=form.dtype)
        self.ahead = np.zeros((count, BLOCK), dtype=np.uint64)
        self.used = np.full(count, BLOCK, dtype=np.int64)
        self._bits = np.zeros(count, dtype=np.uint64)
        self._cells = np.zeros((count, rules.rows * rules.cols), dtype=np.uint8)
        self._on_cells = np.zeros(count, dtype=np.bool_)
        self._ready = np.zeros(count, dtype=np.uint8)
        self._steps = np.zeros(count, dtype=np.int64)
        self._make_words()

    def _make_words(self) -> None:
        self.scores, self.move_numbers, self.max_tiles = self.numbers
        self.first_observation, self.first_legal = self.observations[0], self.legal[0]
        self.first_numbers = self.numbers[:, 0]
        settings, rules = self.settings, self.settings.rules
        fits = fits_bits(rules)
        table = frame(*(rules.shape if fits else (4, 4)))
        self._distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        self._scratch = np.zeros(names.SCRATCH_SIZE, dtype=np.uint8)
        words = np.zeros(names.WORDS, dtype=np.uint64)
        words[names.GAMES] = len(self)
        words[names.ROWS], words[names.COLS] = rules.shape
        words[names.ACROSS] = table.across.ctypes.data
        words[names.DOWN] = table.down.ctypes.data
        words[names.MASK] = table.mask if fits else 0
        words[names.START_TILES] = rules.start_tiles
        words[names.GOAL] = rules.goal
        words[names.STOPS] = rules.stop_at_goal
        words[names.FORM] = OBSERVATIONS.index(settings.observation)
        words[names.PLANES] = rules.max_exponent + 1
        words[names.SIZE] = self.observations[0].nbytes
        words[names.REWARD] = REWARDS.index(settings.reward)
        words[names.ILLEGAL] = ILLEGALS.index(settings.illegal)
        words[names.PENALTY] = np.float64(settings.penalty).view(np.uint64)
        words[names.LIMIT] = self._limit
        words[names.AUTORESET] = self._autoreset
        words[names.BLOCK] = BLOCK
        self._read: dict[int, NDArray[Any]] = {  # keeps the arrays alive if attributes change
            names.DISTRIBUTION: self._distribution,
            names.ACTIONS: self.actions,
            names.BITS: self._bits,
            names.CELLS: self._cells,
            names.ON_CELLS: self._on_cells,
            names.READY: self._ready,
            names.SEEDS: self.seeds,
            names.SCORES: self.scores,
            names.NUMBERS: self.move_numbers,
            names.STEPS: self._steps,
            names.MAX_TILES: self.max_tiles,
            names.LEGAL: self.legal,
            names.REWARDS: self.rewards,
            names.TERMINATED: self.terminated,
            names.TRUNCATED: self.truncated,
            names.OBSERVATIONS: self.observations,
            names.AHEAD: self.ahead,
            names.USED: self.used,
            names.SCRATCH: self._scratch,
        }
        for place, array in self._read.items():
            words[place] = array.ctypes.data
        self._words, self._address = words, words.ctypes.data

    def __len__(self) -> int:
        return len(self.seeds)

    def __getstate__(self) -> dict[str, Any]:
        """All but addresses, which are only valid in this process, and views of other arrays."""
        return {key: value for key, value in vars(self).items() if key not in _MADE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_words()

    @property
    def told(self) -> Numbers:
        """The arrays of infos, which the next step changes."""
        return Numbers(self.legal, self.scores, self.move_numbers, self.max_tiles, self.seeds)

    # ---- play

    def start(self, which: NDArray[np.bool_]) -> None:
        """Begin the chosen games, each with its seed in `seeds`."""
        self.spawns[:, which] = NO_SPAWN
        kernels.begin_games(self._address, which.view(np.uint8))

    def start_one(self, game: int) -> None:
        """Begin one game with its seed in `seeds`."""
        self.spawns[:, game] = NO_SPAWN[:, 0]
        kernels.begin_game(self._address, game)

    def replace(self, which: NDArray[np.bool_]) -> tuple[int, Numbers]:
        """Begin the chosen games with seeds from `ahead`.

        Returns how many games have used up those seeds, and the final numbers of the chosen games.
        """
        count = len(self)
        legal = np.zeros((count, 4), dtype=np.int8)
        numbers = np.zeros((3, count), dtype=np.int64)
        seeds = np.zeros(count, dtype=np.uint64)
        masks = legal.reshape(-1).view(np.int32)
        chosen = which.view(np.uint8)
        self.spawns[:, which] = NO_SPAWN
        exhausted: int = kernels.replace_games(self._address, chosen, masks, numbers, seeds)
        scores, move_numbers, max_tiles = numbers
        return exhausted, Numbers(legal, scores, move_numbers, max_tiles, seeds)

    def place(self, which: NDArray[np.bool_], start: Start) -> None:
        """Begin the chosen games, with their seeds in `seeds`, on a board of `parse_start`."""
        games = np.flatnonzero(which)
        cells = np.array(start.board.exponents, dtype=np.uint8)
        self.place_each(games, np.tile(cells, (len(games), 1)))
        self.scores[games], self.move_numbers[games] = start.score, start.move_number

    def place_each(self, games: NDArray[np.int64], boards: NDArray[np.uint8]) -> None:
        """Begin games, by their numbers, on boards that are possible, (len(games), cells)."""
        self.spawns[:, games] = NO_SPAWN
        kernels.place_games(self._address, games, boards)

    def step(self) -> int:
        """Step every game with the actions in `actions`.

        Returns the number of games that have ended, and from bit `names.EXHAUSTED` on the number of
        games whose seeds are used up. Raises as `VectorEnv2048.step`.
        """
        if self.settings.spawn_info:
            kernels.foresee_spawns(self._address, self.spawns)
        result: int = kernels.step(self._address)
        if result < 0:
            raise self._fault(result)
        return result

    def step_one(self, action: int) -> tuple[int, float, int, int, int]:
        """Step the only game: result of `step`, reward, score, move number, largest tile."""
        if self.settings.spawn_info:
            self.actions[0] = action
            kernels.foresee_spawns(self._address, self.spawns)
        outcome: tuple[int, float, int, int, int] = kernels.step_one(self._address, action)
        if outcome[0] < 0:
            raise self._fault(outcome[0])
        return outcome

    def sample(self, key: int, actions: NDArray[np.int64]) -> None:
        """Fill `actions` with legal moves, all equally likely; 0 if there is none."""
        kernels.sample_actions(self._address, key, actions)

    def afterstates(self) -> Afterstates:
        """The afterstates of the four moves of every game; arrays of (count, 4, ...)."""
        count, shape = len(self), self.observations.shape[1:]
        boards = np.zeros((count, 4, *shape), dtype=self.observations.dtype)
        rewards = np.zeros((count, 4), dtype=np.float64)
        flat = boards.reshape(-1).view(np.uint8)
        if kernels.afterstates(self._address, flat, rewards.reshape(-1)) < 0:
            raise TileTooLarge(TOO_LARGE_MERGE)
        return Afterstates(boards, rewards, self.legal.copy())

    def board(self, game: int) -> Board:
        """The board of one game."""
        shape = self.settings.rules.shape
        if self._on_cells[game]:
            return Board(self._cells[game].tolist(), shape)
        return Board.from_bits(int(self._bits[game]), shape)

    def game(self, game: int) -> Game:
        """A new `Game` that begins at the current position of one game."""
        return Game.from_board(
            self.board(game),
            self.settings.rules,
            int(self.seeds[game]),
            score=int(self.scores[game]),
            move_number=int(self.move_numbers[game]),
        )

    def _fault(self, fault: int) -> TwofoldError:
        game = int(self._words[names.FAULTY])
        action = int(self.actions[game])
        where = f" in game {game}" if len(self) > 1 else ""
        if fault == names.NO_MOVE:
            return InvalidMove(f"expected an action from 0 to 3, got {shown(action)}{where}")
        if fault == names.ILLEGAL_MOVE:
            legal = ", ".join(move.name.lower() for move in Move if self.legal[game, move])
            return IllegalMove(
                f"expected a legal move ({legal}), got {Move(action).name.lower()} "
                f"on {self.board(game)}{where}"
            )
        return TileTooLarge(TOO_LARGE_MERGE)


def next_seed(generator: np.random.Generator) -> int:
    """The seed of the next game: 64 raw bits."""
    return int(generator.bit_generator.random_raw())


def next_seeds(generator: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """The seeds of the next `count` games: 64 raw bits each, drawn one by one."""
    return np.asarray(generator.bit_generator.random_raw(count), dtype=np.uint64)
