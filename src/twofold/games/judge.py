"""Judge: grades each move by its ratio, the share of the best move's value that it keeps, 0 to 1.

* Expected points: `(FLOOR + value) / (FLOOR + best value)`, negative values as 0.
* Chances, also of an endgame table that chooses the best move: their quotient.
* Values of heuristics, and logarithms of a policy's probabilities:
  `exp(-TYPICAL * loss / spread)`, `loss` being the difference from the best and `spread` the
  typical loss of a random move, measured in games of the same player.

`docs/howto/review-a-game.md` gives the reasons.

The formulas of accuracy, in percent, are those of lichess.org for chess (its page "Accuracy",
2022), with constants and weights for 2048.
"""

import math
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from twofold.errors import IllegalMove, InvalidSpec
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import shown
from twofold.game.rules import Move, Rules
from twofold.games.reasons import CLOSE, MoveReason, reason_of
from twofold.limits import BITS_MAX_EXPONENT
from twofold.players import Player
from twofold.search.analysis import PROBABILITY, Analysis
from twofold.search.budget import Budget, Stop

if TYPE_CHECKING:
    from twofold.tables.library import TableAnswer

Label = Literal["best", "fine", "inaccuracy", "mistake", "blunder"]

LABELS: Final[tuple[tuple[Label, float], ...]] = (
    ("best", 1 - 3e-10),
    ("fine", 0.99),
    ("inaccuracy", 0.975),
    ("mistake", 0.9),
    ("blunder", -math.inf),
)
"""Labels by ratio: the first whose lower bound is reached; `best` must exceed its bound. The
bounds are among those of 2048EndgameTablebase."""

MISTAKES: Final[tuple[Label, ...]] = ("mistake", "blunder")
"""The labels of moves to learn from."""

LOWEST: Final = -3.1669
"""Accuracy at infinite loss; results are clipped at 0. Chess: -3.1669."""

NOTHING: Final = 25.0
"""Loss in percent at which accuracy is 0. Chess: 80."""

DECAY: Final = math.log((100 - LOWEST) / -LOWEST) / NOTHING
"""Decay of accuracy per percent lost: 0.13934. Chess: 0.04354."""

MIN_STAKE: Final = 0.5
"""Smallest weight of a move, in percent. Chess: 0.5."""

MAX_STAKE: Final = 12.0
"""Largest weight of a move, in percent. Chess: 12."""

LEAST_ACCURACY: Final = 5.0
"""Lower bound of accuracies in the harmonic mean, in percent, since a single 0 would make it 0.
Chess: 1; games of 2048 have a hundred times as many moves."""


def label_of(ratio: float) -> Label:
    """The label of a move with this ratio.

    >>> [label_of(ratio) for ratio in (1.0, 0.9999, 0.98, 0.95, 0.2)]
    ['best', 'fine', 'inaccuracy', 'mistake', 'blunder']
    """
    if ratio > LABELS[0][1]:
        return LABELS[0][0]
    return next(label for label, least in LABELS[1:] if ratio >= least)


def move_accuracy(ratio: float) -> float:
    """The accuracy of a move with this ratio, in percent."""
    accuracy = (100 - LOWEST) * math.exp(-DECAY * 100 * (1 - ratio)) + LOWEST
    return min(max(accuracy, 0.0), 100.0)


def stake_of(ratios: Sequence[float]) -> float:
    """The mean loss of a random move, in percent within bounds, from the legal moves' ratios."""
    lost = 100 * (1 - math.fsum(ratios) / len(ratios))
    return min(max(lost, MIN_STAKE), MAX_STAKE)


class GameAccuracy:
    """The accuracy of a game, in percent, as its moves are added; None before the first.

    It adds up what is missing from 100 %, so that best moves have exactly 100.
    """

    def __init__(self) -> None:
        self._moves = 0
        self._stakes = self._lost = self._inverses = 0.0

    def add(self, accuracy: float, stake: float) -> None:
        """Add a move."""
        self._moves += 1
        self._stakes += stake
        self._lost += (100 - accuracy) * stake
        self._inverses += 100 / max(accuracy, LEAST_ACCURACY) - 1

    @property
    def percent(self) -> float | None:
        """Of the moves so far, the mean of their weighted and their harmonic mean."""
        if not self._moves:
            return None
        weighted = 100 - self._lost / self._stakes
        harmonic = 100 / (1 + self._inverses / self._moves)
        return (weighted + harmonic) / 2


def game_accuracy(moves: Iterable[tuple[float, float]]) -> float | None:
    """The accuracy of a game, in percent, from accuracy and stake of each move; None of none."""
    game = GameAccuracy()
    for accuracy, stake in moves:
        game.add(accuracy, stake)
    return game.percent


POINTS: Final = "points"
CHANCE: Final = "chance"
"""Units of expected values: points to come, or a probability."""

THEN: Final = ", then "
"""Between the units of a player in parts: `points, then own unit`."""

FLOOR: Final = 100.0
"""Points added to expected points before division."""

TYPICAL: Final = 0.055
"""Loss of a random move, as -ln(ratio): median over positions of the mean over moves.

Measured with `ntuple:net=default,ply=3` on positions of games that `eval=rows` and `eval=snake`
play as below."""

SPREAD_GAMES: Final = 2
"""Games that measure the spread, with seeds 0, 1, ..."""

SPREAD_MOVES: Final = 1_000
"""Maximum moves of each."""

SPREAD_POSITIONS: Final = 32
"""Positions of each that are evaluated."""

SPREAD_PLAY: Final = Budget(ply=2)
"""Search depth of the moves in these games."""

SPREAD_DEPTH: Final = Budget(ply=3)
"""Search depth of the evaluated positions if the review is limited by time or nodes."""

OPENINGS: Final = 100
"""Seeds tried until a game has a legal move: on 2 cells most have none."""

Values = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class MoveJudgement:
    """The grade of one move.

    Attributes:
        move_number: moves made before it.
        best: the best move; `move` itself if no other is better.
        values: of up, right, down, left, in `unit`; None for illegal moves.
        shares: of the best move's value that each of them keeps, 0 to 1; None for illegal moves.
        accuracy: in percent.
        stake: mean loss of a random move, in percent within bounds.
        table: the endgame table's answer behind the ratio, or None.
        unit: unit of the values; of a player in parts, that of the part that plays the board.
        reason: what an inaccuracy or a worse move breaks or risks; None for other moves.
    """

    move_number: int
    move: Move
    best: Move
    values: Values
    shares: Values
    accuracy: float
    label: Label
    stake: float
    table: "TableAnswer | None" = None
    unit: str = ""
    reason: MoveReason | None = None

    @property
    def ratio(self) -> float:
        """Share of the best move's value that `move` keeps, 0 to 1."""
        share = self.shares[self.move]
        assert share is not None
        return share

    @property
    def forced(self) -> bool:
        """True for the only legal move."""
        return sum(value is not None for value in self.values) == 1

    @property
    def is_best(self) -> bool:
        """True if no other move is better."""
        return self.label == "best"


class Judge:
    """Grades moves with a player, which it uses exclusively; `unit` is that of the values.

    A player in parts grades each move by the part that plays the board; `unit` names all units.

    Raises:
        InvalidSpec: the player does not value moves.
        UnsupportedRules: the player cannot play under these rules.
    """

    def __init__(self, player: Player, rules: Rules, budget: Budget) -> None:
        player.start(rules, 0)
        self._player, self._rules, self._budget = player, rules, budget
        self._scales = [Scale(player, part, rules, budget) for part in player.parts]
        self.unit = THEN.join(dict.fromkeys(scale.unit for scale in self._scales))

    def judgement(
        self, move_number: int, board: Board, score: int, move: Move, stop: Stop | None = None
    ) -> MoveJudgement | None:
        """Grade the move made on a board; None if `stop` ended the search.

        `move_number` counts the moves before, `score` is in points.

        Raises:
            IllegalMove: the move changes nothing.
        """
        flag = stop or Stop()
        part = self._player.part_for(board)
        scale = next(one for one in self._scales if one.part is part)
        if not scale.is_ready(flag):
            return None
        values = _values_of(part, board, score, self._budget, flag)
        if values is None:
            return None
        values = {one: -math.inf if math.isnan(value) else value for one, value in values.items()}
        answer = self._player.table_answer(board)
        best = _best_of(values) if answer is None else answer.best
        ratios = scale.ratios(values, best, answer)
        if move not in ratios:
            raise IllegalMove(f"expected a legal move of {board}, got {move.name}")
        ratio = ratios[move]
        label = label_of(ratio)
        return MoveJudgement(
            move_number,
            move,
            move if label == "best" else best,
            _by_move(values),
            _by_move(ratios),
            move_accuracy(ratio),
            label,
            stake_of(list(ratios.values())),
            answer,
            scale.unit,
            reason_of(board, self._rules, move, best, ratios) if ratio < CLOSE else None,
        )


def _by_move(found: Mapping[Move, float]) -> Values:
    up, right, down, left = map(found.get, Move)
    return up, right, down, left


def analysis_ratios(
    analysis: Analysis, player: Player, rules: Rules, stop: Stop | None = None
) -> dict[Move, float]:
    """The share of the best move's value that each valued move of an analysis keeps, 0 to 1.

    Without `stop`, and for players that are not compiled, no spread is measured: if it is not known
    yet, there are no ratios.
    """
    values = {one.move: one.value for one in analysis.moves if one.value is not None}
    part = player.part_for(analysis.board)
    scale = Scale(player, part, rules, SPREAD_DEPTH, analysis)
    key = player.spec, part.spec, str(rules)
    scale.spread = _SPREADS.get(key)
    if not values or not (scale.is_known or (stop and part.compiled and scale.is_ready(stop))):
        return {}
    if scale.spread is not None:
        _SPREADS[key] = scale.spread
    return scale.ratios(values, analysis.best, analysis.table)


_SPREADS: Final[dict[tuple[str, str, str], float]] = {}
"""Spreads measured for analyses, by player, part and rules."""


class Scale:
    """How values of a part of a player are compared; `analysis` is one of its boards.

    `unit` is that of the values. `floor` is added to values before division; None if quotients
    mean nothing.
    """

    def __init__(
        self,
        player: Player,
        part: Player,
        rules: Rules,
        budget: Budget,
        analysis: Analysis | None = None,
    ) -> None:
        self.part = part
        self._player, self._rules = player, rules
        self.unit, self._floor = _unit_and_floor(part, rules, analysis)
        limited = budget.seconds is not None or budget.nodes is not None
        self._depth = SPREAD_DEPTH if limited else budget
        self.spread: float | None = None

    def ratios(
        self, values: Mapping[Move, float], best: Move, answer: "TableAnswer | None"
    ) -> dict[Move, float]:
        """The ratio of each move; of chances where an endgame table answers."""
        worth = self._worth(values)
        ratios = {one: self._ratio(value, worth[best]) for one, value in worth.items()}
        if answer is not None:
            ratios |= {one: chance / answer.chance for one, chance in answer.chances.items()}
        return ratios

    def _worth(self, values: Mapping[Move, float]) -> dict[Move, float]:
        """The values that are compared: logarithms of the probabilities of a policy."""
        if self.unit != PROBABILITY:
            return dict(values)
        return {move: math.log(max(value, sys.float_info.min)) for move, value in values.items()}

    def _ratio(self, value: float, best: float) -> float:
        if value >= best:
            return 1.0
        if self._floor is not None:
            return (self._floor + max(value, 0.0)) / (self._floor + max(best, 0.0) or 1.0)
        assert self.spread is not None
        return math.exp(-TYPICAL * (best - value) / self.spread)

    @property
    def is_known(self) -> bool:
        """True if no spread is needed, or if it was measured before."""
        return self._floor is not None or self.spread is not None

    def is_ready(self, stop: Stop) -> bool:
        """Measure the spread first, if needed. False if stopped."""
        if not self.is_known:
            spread = self._measured_spread(stop)
            if not stop.is_raised:
                self.spread = spread
        return not stop.is_raised

    def _measured_spread(self, stop: Stop) -> float:
        """Loss of a random move, in the player's unit: median over positions."""
        losses = []
        for seed in range(SPREAD_GAMES):
            game = _own_game(self.part, self._opening(seed), stop)
            for board, score in game[:: max(1, len(game) // SPREAD_POSITIONS)]:
                values = _values_of(self.part, board, score, self._depth, stop) or {}
                worth = self._worth(values).values()
                if len(worth) > 1:
                    losses.append(max(worth) - math.fsum(worth) / len(worth))
        known = [loss for loss in losses if math.isfinite(loss) and loss > 0]
        return statistics.median(known) if known else 1.0

    def _opening(self, seed: int) -> Game:
        """A new game, from a board of the part: that of the rules, or two large tiles."""
        game, empty = Game(self._rules, seed), [0] * (self._rules.rows * self._rules.cols)
        for exponent in range(2, BITS_MAX_EXPONENT + 1):
            if self._player.part_for(game.board) is self.part:
                break
            board = Board([exponent, exponent - 1, *empty[2:]], self._rules.shape)
            game = Game.from_board(board, self._rules, seed)
        return game


def _own_game(player: Player, game: Game, stop: Stop) -> list[tuple[Board, int]]:
    """The positions of a game by the player, with their scores."""
    seen = []
    while not game.is_finished and game.move_number < SPREAD_MOVES:
        values = _values_of(player, game.board, game.score, SPREAD_PLAY, stop)
        if values is None:
            break
        seen.append((game.board, game.score))
        game.play(_best_of(values))
    return seen


def _values_of(
    player: Player, board: Board, score: int, budget: Budget, stop: Stop
) -> dict[Move, float] | None:
    from twofold.players.searching import values_of  # loads kernels

    return values_of(player, board, score, budget, stop)


def _best_of(values: Mapping[Move, float]) -> Move:
    return max(values, key=lambda move: values[move])


def _unit_and_floor(
    part: Player, rules: Rules, analysis: Analysis | None
) -> tuple[str, float | None]:
    """The unit of a player's values and their floor; None if quotients mean nothing."""
    evaluator = getattr(part, "evaluator", None)  # of a search
    adds_reward = evaluator is not None and evaluator.adds_reward
    if analysis is None and evaluator is not None:
        unit, exact, expects = evaluator.unit, False, adds_reward
    elif (found := analysis or _opening_analysis(part, rules)) is not None:
        unit, exact = found.unit, found.exact
        expects = exact or found.critic is not None or adds_reward
    else:
        return "", None
    if unit == CHANCE or (exact and unit != POINTS):
        return unit, 0.0
    return unit, FLOOR if expects and unit == POINTS else None


def _opening_analysis(player: Player, rules: Rules) -> Analysis | None:
    """An analysis of a first board with a legal move; None if no such board is found."""
    games = (Game(rules, seed) for seed in range(OPENINGS))
    opening = next((game for game in games if not game.is_finished), None)
    if opening is None:
        return None
    analysis = player.analyse(opening.board, Budget(ply=1), score=0)
    if analysis.value is None:
        raise InvalidSpec(
            "expected a player that values moves, such as ntuple or expectimax, "
            f"got {shown(player.spec)}"
        )
    return analysis
