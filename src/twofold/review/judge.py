"""Judge: a player who says what each move of a position is worth, and by that of the one made.

The ratio of a move says which share of the best move's value it kept, 0 to 1:

* Where values are points to be expected, as with an n-tuple network or a solved game, it is
  `(FLOOR + value) / (FLOOR + value of the best)`, values below 0 taken as 0. The floor is a few
  points that keep the last moves of a game, where hardly any points are left to be lost, from
  counting for as much as all before them. Where values are chances it is the same without a floor.
* Heuristics have a unit and a zero of their own, so that quotients of their values mean nothing.
  There it is `exp(-TYPICAL * loss / spread)`, where `loss` is how far the move's value is below
  the best, and `spread` what a random move loses in games that the player plays for this alone:
  a random move in such a game keeps the same share with every player.

Where an endgame table chooses the judge's move, that move is the best one, and the ratio of
another is its chance by the chance of the best. A move that the table does not know, since it
shifts a large tile or exceeds a cap, keeps what it keeps by the search's values.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.errors import IllegalMove, InvalidSpec
from twofold.game import Game
from twofold.notation import shown
from twofold.players import Player
from twofold.players.values import searching_of, values_of
from twofold.review.accuracy import Label, label_of, move_accuracy, stake_of
from twofold.rules import Move, Rules
from twofold.search.analysis import PROBABILITY
from twofold.search.budget import Budget
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer

POINTS: Final = "points"
CHANCE: Final = "chance"
"""Units of values that are expected: of points to come, or a chance."""

FLOOR: Final = 100.0
"""Points that are added to expected points before they are divided."""

TYPICAL: Final = 0.055
"""What a random move loses, as -ln(ratio): the median over positions of the mean over moves.

Measured with `ntuple:net=default,ply=3` at positions of such games as are played below, by
`eval=rows` and `eval=snake` alike."""

SPREAD_GAMES: Final = 2
"""Games that are played to find the spread, with the dice of seeds 0, 1, ..."""

SPREAD_MOVES: Final = 1_000
"""Most moves of each."""

SPREAD_POSITIONS: Final = 32
"""Positions of each at which the spread is measured."""

SPREAD_PLAY: Final = Budget(ply=2)
"""How deep the player searches in these games."""

SPREAD_DEPTH: Final = Budget(ply=3)
"""How deep in the positions measured, where the review itself has a limit of time or nodes."""

OPENINGS: Final = 100
"""Seeds tried to find a game with a legal move: on 2 cells most have none."""

Values = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class MoveJudgement:
    """What a player thinks of one move of a game.

    Attributes:
        move_number: moves made before it.
        move: the move that was made.
        best: the best move; the one made, where it is as good as any.
        values: of up, right, down, left, in the player's unit; None for illegal moves.
        ratio: the share of the best move's value that the move kept, 0 to 1.
        accuracy: of the move, in percent.
        label: `perfect`, `excellent`, `nice try`, `not bad`, `mistake`, `blunder`, `terrible`.
        stake: what a random move loses there on average, in percent, within bounds.
        table: what the endgame table says that the ratio is from; None where none does.
    """

    move_number: int
    move: Move
    best: Move
    values: Values
    ratio: float
    accuracy: float
    label: Label
    stake: float
    table: "TableAnswer | None" = None

    @property
    def forced(self) -> bool:
        """Whether it was the only legal move."""
        return sum(value is not None for value in self.values) == 1

    @property
    def is_best(self) -> bool:
        """Whether no move is worth more."""
        return self.label == "perfect"

    @property
    def loss(self) -> float:
        """How far the value of the move is below that of the best, in the player's unit.

        Not below 0: an endgame table may choose a move that the search thinks less of.
        """
        best, made = self.values[self.best], self.values[self.move]
        assert best is not None
        assert made is not None
        return max(best - made, 0.0)


class Judge:
    """A player made ready to judge moves under given rules.

    Args:
        player: who judges; used by nobody else meanwhile.
        rules: rules of the games.
        budget: limits on each position.

    Attributes:
        unit: unit of the values: `points`, or the player's own.

    Raises:
        InvalidSpec: the player does not value moves.
        UnsupportedRules: it cannot play under these rules.
    """

    def __init__(self, player: Player, rules: Rules, budget: Budget) -> None:
        player.start(rules, 0)
        self._player, self._rules, self._budget = player, rules, budget
        self.unit, self._floor = _unit_and_floor(player, rules)
        self._spread: float | None = None

    def judgement(
        self, move_number: int, board: Board, score: int, move: Move, stop: Stop | None = None
    ) -> MoveJudgement | None:
        """What the player thinks of a move; None where the flag ended its thought.

        Args:
            move_number: moves made before it.
            board: the position.
            score: points so far.
            move: the move made there.
            stop: a flag that another thread may raise.

        Raises:
            IllegalMove: the move changes nothing there.
        """
        flag = stop or Stop()
        if not self._is_ready(flag):
            return None
        values = values_of(self._player, board, score, self._budget, flag)
        if values is None:
            return None
        values = {one: -math.inf if math.isnan(value) else value for one, value in values.items()}
        answer = self._player.table_answer(board)
        best = _best_of(values) if answer is None else answer.best
        ratios = {one: self._ratio(value, values[best]) for one, value in values.items()}
        if answer is not None:
            ratios |= {one: chance / answer.chance for one, chance in answer.chances.items()}
        if move not in ratios:
            raise IllegalMove(f"expected a legal move of {board}, got {move.name}")
        ratio = ratios[move]
        label = label_of(ratio)
        return MoveJudgement(
            move_number,
            move,
            move if label == "perfect" else best,
            _in_order(values),
            ratio,
            move_accuracy(ratio),
            label,
            stake_of(list(ratios.values())),
            answer,
        )

    def _ratio(self, value: float, best: float) -> float:
        """The share of the best value that a value keeps."""
        if value >= best:
            return 1.0
        if self._floor is not None:
            return (self._floor + max(value, 0.0)) / (self._floor + max(best, 0.0) or 1.0)
        assert self._spread is not None
        return math.exp(-TYPICAL * (best - value) / self._spread)

    def _is_ready(self, stop: Stop) -> bool:
        """Whether ratios can be given; the spread is measured first where it is needed."""
        if self._spread is None and self._floor is None:
            self._spread = self._measured_spread(stop)
        return not stop.is_raised

    def _measured_spread(self, stop: Stop) -> float:
        """What a random move loses, in the player's unit: the median over positions."""
        limited = self._budget.seconds is not None or self._budget.nodes is not None
        depth = SPREAD_DEPTH if limited else self._budget
        losses = []
        for seed in range(SPREAD_GAMES):
            game = _own_game(self._player, self._rules, seed, stop)
            for board, score in game[:: max(1, len(game) // SPREAD_POSITIONS)]:
                values = values_of(self._player, board, score, depth, stop) or {}
                if len(values) > 1:
                    losses.append(_mean_loss(list(values.values())))
        known = [loss for loss in losses if math.isfinite(loss) and loss > 0]
        return statistics.median(known) if known else 1.0


def _own_game(player: Player, rules: Rules, seed: int, stop: Stop) -> list[tuple[Board, int]]:
    """The positions of a game that the player plays, and the score in each."""
    game = Game(rules, seed)
    seen = []
    while not game.is_finished and game.move_number < SPREAD_MOVES:
        values = values_of(player, game.board, game.score, SPREAD_PLAY, stop)
        if values is None:
            break
        seen.append((game.board, game.score))
        game.play(_best_of(values))
    return seen


def _mean_loss(values: Sequence[float]) -> float:
    return max(values) - math.fsum(values) / len(values)


def _best_of(values: Mapping[Move, float]) -> Move:
    return max(values, key=lambda move: values[move])


def _in_order(values: Mapping[Move, float]) -> Values:
    up, right, down, left = map(values.get, Move)
    return up, right, down, left


def _unit_and_floor(player: Player, rules: Rules) -> tuple[str, float | None]:
    """The unit of a player's values, and what is added to them before they are divided.

    The second is None where they cannot be divided.
    """
    searching = searching_of(player)
    if searching is not None:
        unit, exact, expects = searching.unit, False, searching.evaluator.adds_reward
    else:
        unit, exact = _unit_of_opening(player, rules)
        expects = exact
    if unit in (CHANCE, PROBABILITY) or (exact and unit != POINTS):
        return unit, 0.0
    return unit, FLOOR if expects and unit == POINTS else None


def _unit_of_opening(player: Player, rules: Rules) -> tuple[str, bool]:
    """The unit of a player's values, and whether they are those of optimal play."""
    games = (Game(rules, seed) for seed in range(OPENINGS))
    opening = next((game for game in games if not game.is_finished), None)
    if opening is None:
        return "", False
    analysis = player.analyse(opening.board, Budget(ply=1), score=0)
    if analysis.value is None:
        raise InvalidSpec(
            "expected a player that values moves, such as ntuple or expectimax, "
            f"got {shown(player.spec)}"
        )
    return analysis.unit, analysis.exact
