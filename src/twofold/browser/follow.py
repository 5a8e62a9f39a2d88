"""Follows a game by its boards: which move and which new tile explain each board."""

from collections.abc import Mapping

from twofold.board import Board
from twofold.game import Game
from twofold.records.record import Record
from twofold.rules import Move, Rules

NewTile = tuple[int, int]
"""(cell, tile) of the new tile after a move."""


def new_tile(afterstate: Board, seen: Board, rules: Rules) -> NewTile | None:
    """The new tile that turns an afterstate into the board seen; None if no single tile does."""
    if afterstate.shape != seen.shape:
        return None
    pairs = enumerate(zip(afterstate.exponents, seen.exponents, strict=True))
    changed = [(cell, before, now) for cell, (before, now) in pairs if before != now]
    if len(changed) != 1:
        return None
    cell, before, now = changed[0]
    return (cell, 1 << now) if before == 0 and now in rules.spawn_exponents else None


class PageFollower:
    """Keeps the game that a page shows, by its boards; by default under the original's rules.

    Attributes:
        made: number of the driver's moves.
        followed: number of moves by others.
        breaks: number of boards that no single move explained, without the first board.
    """

    def __init__(self, rules: Rules | None = None) -> None:
        self._rules = rules
        self._game: Game | None = None
        self._score_is_known = False
        self.made = 0
        self.followed = 0
        self.breaks = 0

    @property
    def game(self) -> Game:
        """The game since the last board that no single move explained."""
        assert self._game is not None, "begin comes first"
        return self._game

    @property
    def has_begun(self) -> bool:
        """True if a board was seen."""
        return self._game is not None

    @property
    def board(self) -> Board:
        """The present board."""
        return self.game.board

    @property
    def score(self) -> int | None:
        """Points so far; None if the page showed no score at the start."""
        return self.game.score if self._score_is_known else None

    def begin(self, board: Board, score: int | None) -> None:
        """Start from a board: the first one, or one that no move explains."""
        rules = self._rules or Rules(rows=board.rows, cols=board.cols)
        game = Game.from_board(board, rules, score=score or 0, seed=0)
        self.breaks += self._game is not None
        self._game, self._score_is_known = game, score is not None

    def explain(self, move: Move, seen: Board) -> NewTile | None:
        """The new tile if this move leads to the board seen."""
        if move not in self.board.legal_moves():
            return None
        return new_tile(self.board.slide(move).board, seen, self.game.rules)

    def advance(self, move: Move, spawn: NewTile, *, ours: bool) -> None:
        """Add a move."""
        self.game.play(move, spawn=spawn)
        self.made += ours
        self.followed += not ours

    def follow(self, seen: Board, score: int | None) -> Move | None:
        """Accept a board of someone else's making; the first move that explains it, or None."""
        for move in Move:
            spawn = self.explain(move, seen)
            if spawn is not None:
                self.advance(move, spawn, ours=False)
                return move
        self.begin(seen, score)
        return None

    def may_have_ended(self, move: Move) -> bool:
        """True if a move may have left a board without a legal move."""
        if move not in self.board.legal_moves():
            return False
        after = self.board.slide(move).board
        spawns = after.spawns(self.game.rules)
        return any(after.place(one.cell, one.tile).is_over for one in spawns)

    def record(self, *, player: str, date: str, tags: Mapping[str, str]) -> Record | None:
        """The record since the last break, with all new tiles; None without a move."""
        if not self.game.can_undo:
            return None
        return Record.from_game(self.game, player=player, date=date, tags=tags)
