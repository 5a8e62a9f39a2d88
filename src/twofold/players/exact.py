"""The player `exact`: optimal play with a table of a solved game."""

from pathlib import Path
from typing import Any

from twofold.errors import InvalidBoard, InvalidSpec, InvalidTable, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import solved
from twofold.kernels._jit import address_of
from twofold.players.base import check_going, move_list, typed_spec
from twofold.players.compiled import CompiledPlayer
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget
from twofold.storage.files import kept_by_file
from twofold.tables.exact import ExactTable


class ExactPlayer(CompiledPlayer):
    """Plays optimally by `table`; of equal moves the first. `home` holds the rules of the table."""

    home: Rules
    takes_limits = False

    def __init__(self, table: ExactTable) -> None:
        self.table = table
        self.home = table.problem.rules

    def unsupported(self, rules: Rules) -> str:
        """Why the table is not valid under these rules."""
        home = self.home
        fits = (
            rules.shape == home.shape
            and rules.spawn_exponents == home.spawn_exponents
            and rules.spawn_probabilities == home.spawn_probabilities
            and rules.start_tiles == home.start_tiles
            and rules.stop_at_goal == home.stop_at_goal
            and (rules.goal == home.goal or not home.stop_at_goal)
        )
        return "" if fits else f"expected rules {home}"

    def prepare(self, rules: Rules) -> None:
        """Set the policy."""
        self.policy = address_of(solved.play_by_table)
        self.context = self.table.words

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The optimal move."""
        return self.analyse(board).best

    def analyse(self, board: Board, budget: Budget | None = None, **_: Any) -> Analysis:
        """The exact values of the moves, by look-up."""
        check_going(board)
        if board.shape != self.home.shape:
            raise UnsupportedRules(
                f"expected rules {self.home} for {typed_spec(self)}, "
                f"got rules {Rules(*board.shape)}"
            )
        try:
            found = self.table.move_values(board)
        except InvalidBoard as error:
            raise UnsupportedRules(f"{error} with {typed_spec(self)}") from None
        best = max(found, key=lambda move: found[move])
        values = {move: MoveValue(value, 0) for move, value in found.items()}
        return Analysis(
            board,
            move_list(board, values),
            best,
            self.spec,
            unit=self.table.problem.unit,
            exact=True,
        )


def find_table(path: str) -> ExactTable:
    """Open and check a table, shared by repeated calls; raises `InvalidSpec` or `InvalidTable`."""
    if not path:
        raise InvalidSpec("expected exact:table=FILE, got no file. `twofold solve` makes tables")
    return _open(Path(path))


@kept_by_file(4, InvalidTable)
def _open(path: Path) -> ExactTable:
    return ExactTable.open(path, check=True)
