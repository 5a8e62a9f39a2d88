"""The game that is seen from outside: which move, and which new tile, explains each board."""

from collections.abc import Mapping

from twofold.board import Board
from twofold.game import Game
from twofold.records.record import Record
from twofold.rules import Move, Rules

NewTile = tuple[int, int]
"""(cell, tile) of the tile that appeared after a move."""


def new_tile(afterstate: Board, seen: Board, rules: Rules) -> NewTile | None:
    """The one tile of the rules that turns an afterstate into the board seen; None if none does."""
    if afterstate.shape != seen.shape:
        return None
    pairs = enumerate(zip(afterstate.exponents, seen.exponents, strict=True))
    changed = [(cell, before, now) for cell, (before, now) in pairs if before != now]
    if len(changed) != 1:
        return None
    cell, before, now = changed[0]
    return (cell, 1 << now) if before == 0 and now in rules.spawn_exponents else None


class PageFollower:
    """Keeps the game that a page shows, from its boards alone.

    Args:
        rules: the rules of the page; None for those of the original on a board of any shape.

    Attributes:
        made: moves that we made.
        followed: moves that somebody else made.
        breaks: boards that no single move explained, the first one not counted.
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
        """Whether a board was seen."""
        return self._game is not None

    @property
    def board(self) -> Board:
        """The board now."""
        return self.game.board

    @property
    def score(self) -> int | None:
        """Points so far; None where the page showed none to begin with."""
        return self.game.score if self._score_is_known else None

    def begin(self, board: Board, score: int | None) -> None:
        """Take a board as it is: the first one, or one that no move explains.

        Raises:
            InvalidBoard: it has not the shape of the rules that were given.
            LimitExceeded: nobody has so many points.
        """
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
        """Go on with a move that was made."""
        self.game.play(move, spawn=spawn)
        self.made += ours
        self.followed += not ours

    def follow(self, seen: Board, score: int | None) -> Move | None:
        """Take a board that came without us: after one move, or as it is.

        Returns:
            The move that explains it, the first one of several; None if none does.
        """
        for move in Move:
            spawn = self.explain(move, seen)
            if spawn is not None:
                self.advance(move, spawn, ours=False)
                return move
        self.begin(seen, score)
        return None

    def may_have_ended(self, move: Move) -> bool:
        """Whether a move that was made may have left a board without a legal move."""
        if move not in self.board.legal_moves():
            return False
        after = self.board.slide(move).board
        spawns = after.spawns(self.game.rules)
        return any(after.place(one.cell, one.tile).is_over for one in spawns)

    def record(self, *, player: str, date: str, tags: Mapping[str, str]) -> Record | None:
        """The record of what was seen since the last break, every new tile given; None of nothing.

        Args:
            player: who played.
            date: when, as 2048-01-31.
            tags: further tags.
        """
        if not self.game.can_undo:
            return None
        return Record.from_game(self.game, player=player, date=date, tags=tags)
