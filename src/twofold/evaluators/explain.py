"""Explanations: the named parts of an evaluator's values of a board and its moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from twofold.board import Board
from twofold.evaluators.base import Evaluator
from twofold.rules import STANDARD, Move, Rules

TOLERANCE: Final = 1e-6
"""Largest difference between the sum of the parts and the value, as a share of the parts."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The parts of a value by name, in the evaluator's unit, and the value as a search uses it."""

    parts: Mapping[str, float]
    value: float

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())

    @property
    def add_up(self) -> bool:
        """Whether the parts add up to the value, up to rounding."""
        size = sum(map(abs, self.parts.values()))
        return abs(self.total - self.value) <= TOLERANCE * max(size, 1.0)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of the value of a board, and of the value after each move.

    Attributes:
        evaluator: the evaluator.
        board: the parts on the board itself.
        moves: the parts for up, right, down and left, None for an illegal move: of the
            afterstate, or for an evaluator of states the means over all spawns.
    """

    evaluator: Evaluator
    board: Terms
    moves: tuple[Terms | None, Terms | None, Terms | None, Terms | None]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, in the order of the evaluator."""
        every = [terms.parts for terms in (self.board, *self.moves) if terms is not None]
        return tuple(dict.fromkeys(name for parts in every for name in parts))

    @property
    def add_up(self) -> bool:
        """Whether all parts add up."""
        return all(terms.add_up for terms in (self.board, *self.moves) if terms is not None)


def explain(
    evaluator: Evaluator, board: Board, score: int = 0, rules: Rules = STANDARD
) -> Explanation:
    """The parts of the value of a board, and of the value after each legal move.

    There is no search. A reward counts only through the score. `rules` gives the spawns for
    evaluators of states. Raises `UnsupportedRules`.
    """
    legal = board.legal_moves()

    def after(move: Move) -> Terms | None:
        if move not in legal:
            return None
        slide = board.slide(move)
        if evaluator.at == "afterstate":
            return _terms(evaluator, slide.board, score + slide.reward)
        return _mean_terms(evaluator, slide.board, score + slide.reward, rules)

    up, right, down, left = map(after, Move)
    return Explanation(evaluator, _terms(evaluator, board, score), (up, right, down, left))


def _terms(evaluator: Evaluator, board: Board, score: int) -> Terms:
    return Terms(dict(evaluator.terms(board, score)), evaluator.value(board, score))


def _mean_terms(evaluator: Evaluator, after: Board, score: int, rules: Rules) -> Terms:
    parts: dict[str, float] = {}
    value = 0.0
    for spawn in after.spawns(rules):
        terms = _terms(evaluator, after.place(spawn.cell, spawn.tile), score)
        value += spawn.probability * terms.value
        for name, part in terms.parts.items():
            parts[name] = parts.get(name, 0.0) + spawn.probability * part
    return Terms(parts, value)
