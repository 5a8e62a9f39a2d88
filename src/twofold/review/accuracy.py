"""Accuracy: how good a move was in percent, from the share of the best move's value it kept.

The formulas have the form that lichess.org publishes for chess (its page "Accuracy", 2022):

* a move:  `(100 - LOWEST) * exp(-DECAY * lost) + LOWEST`, `lost` being what it lost in percent;
* a game:  the mean of a weighted mean and of a harmonic mean of its moves.

`lost` is there the drop of the win percent, here the share of the best move's value that the move
gave away. The weights are there how much the win percent moves about in a window of moves, for
nothing is known of the moves that were not made; here they are what was at stake, `stake_of`.
The harmonic mean lets a few terrible moves count for more than many good ones.

The constants were fitted anew for 2048, see `docs/howto/review-a-game.md`.
"""

import math
from collections.abc import Iterable, Sequence
from operator import mul
from typing import Final, Literal

Label = Literal["perfect", "excellent", "nice try", "not bad", "mistake", "blunder", "terrible"]

LABELS: Final[tuple[tuple[Label, float], ...]] = (
    ("perfect", 1 - 3e-10),
    ("excellent", 0.999),
    ("nice try", 0.99),
    ("not bad", 0.975),
    ("mistake", 0.9),
    ("blunder", 0.75),
    ("terrible", -math.inf),
)
"""The label of a move by its ratio: the first one whose bound is reached; a perfect move is
above its bound. Names and bounds are those of 2048EndgameTablebase."""

LOWEST: Final = -3.1669
"""What accuracy would fall to, if it did not end at 0. Chess: -3.1669."""

NOTHING: Final = 25.0
"""The loss from which on accuracy is 0, in percent: where a move is `terrible`. Chess: 80."""

DECAY: Final = math.log((100 - LOWEST) / -LOWEST) / NOTHING
"""How fast accuracy falls, a percent lost: 0.13934. Chess: 0.04354."""

MIN_STAKE: Final = 0.5
"""Least weight of a move, in percent. Chess: 0.5."""

MAX_STAKE: Final = 12.0
"""Largest weight of a move, in percent. Chess: 12."""

LEAST_ACCURACY: Final = 5.0
"""Least accuracy in the harmonic mean, in percent, which one 0 would make 0. Chess: 1; games of
2048 have a hundred times as many moves."""


def label_of(ratio: float) -> Label:
    """The label of a move by its ratio.

    >>> [label_of(ratio) for ratio in (1.0, 0.9999, 0.98, 0.2)]
    ['perfect', 'excellent', 'not bad', 'terrible']
    """
    if ratio > LABELS[0][1]:
        return LABELS[0][0]
    return next(label for label, least in LABELS[1:] if ratio >= least)


def move_accuracy(ratio: float) -> float:
    """The accuracy of a move, 0 to 100, from the share of the best move's value it kept."""
    accuracy = (100 - LOWEST) * math.exp(-DECAY * 100 * (1 - ratio)) + LOWEST
    return min(max(accuracy, 0.0), 100.0)


def stake_of(ratios: Sequence[float]) -> float:
    """How much was at stake at a move: what a random one loses on average, in percent.

    Args:
        ratios: of the legal moves.
    """
    lost = 100 * (1 - math.fsum(ratios) / len(ratios))
    return min(max(lost, MIN_STAKE), MAX_STAKE)


def game_accuracy(moves: Iterable[tuple[float, float]]) -> float:
    """The accuracy of a game in percent.

    Args:
        moves: accuracy and stake of each; at least one.
    """
    accuracies, stakes = zip(*moves, strict=True)
    weighted = math.fsum(map(mul, accuracies, stakes)) / math.fsum(stakes)
    harmonic = len(accuracies) / math.fsum(1 / max(one, LEAST_ACCURACY) for one in accuracies)
    return (weighted + harmonic) / 2
