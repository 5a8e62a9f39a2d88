"""Accuracy of moves and games, in percent.

The formulas are those of lichess.org for chess (its page "Accuracy", 2022), with constants and
weights for 2048; `docs/howto/review-a-game.md` explains them.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal

Label = Literal[
    "perfect", "excellent", "good", "inaccuracy", "mistake", "blunder", "severe blunder"
]

LABELS: Final[tuple[tuple[Label, float], ...]] = (
    ("perfect", 1 - 3e-10),
    ("excellent", 0.999),
    ("good", 0.99),
    ("inaccuracy", 0.975),
    ("mistake", 0.9),
    ("blunder", 0.75),
    ("severe blunder", -math.inf),
)
"""Labels by ratio: the first whose lower bound is reached; `perfect` must exceed its bound. The
bounds are those of 2048EndgameTablebase."""

LOWEST: Final = -3.1669
"""Accuracy at infinite loss; results are clipped at 0. Chess: -3.1669."""

NOTHING: Final = 25.0
"""Loss in percent at which accuracy is 0; such a move is a severe blunder. Chess: 80."""

DECAY: Final = math.log((100 - LOWEST) / -LOWEST) / NOTHING
"""Decay of accuracy per percent lost: 0.13934. Chess: 0.04354."""

MIN_STAKE: Final = 0.5
"""Smallest weight of a move, in percent. Chess: 0.5."""

MAX_STAKE: Final = 12.0
"""Largest weight of a move, in percent. Chess: 12."""

LEAST_ACCURACY: Final = 5.0
"""Lower bound of accuracies in the harmonic mean, in percent, since a single 0 would make it 0.
Chess: 1; games of 2048 have a hundred times as many moves."""


MISTAKES: Final[tuple[Label, ...]] = ("mistake", "blunder", "severe blunder")
"""The labels of moves to learn from."""


def label_of(ratio: float) -> Label:
    """The label of a move with this ratio.

    >>> [label_of(ratio) for ratio in (1.0, 0.9999, 0.98, 0.2)]
    ['perfect', 'excellent', 'inaccuracy', 'severe blunder']
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

    It adds up what is missing from 100 %, so that perfect moves have exactly 100.
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
