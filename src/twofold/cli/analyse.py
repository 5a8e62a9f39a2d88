"""`twofold analyse`: what a player thinks of the four moves on a board."""

import os
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer
from msgspec import UNSET, UnsetType
from rich.console import Console
from rich.text import Text

from twofold.cli import _thinking
from twofold.cli._documents import OutcomesDocument
from twofold.cli._options import (
    USUAL_PLAYER,
    JsonOption,
    argument,
    check_limits,
    flag,
    open_player,
    option,
    standard_input,
)
from twofold.cli._output import can_redraw, print_note, write_json
from twofold.errors import INTERRUPTED, InvalidBoard, InvalidSpec
from twofold.game.board import Board
from twofold.game.foreign.boards import ScoredBoard
from twofold.game.formats import parse_position
from twofold.game.notation import shown
from twofold.game.record_text import located
from twofold.game.rules import Rules
from twofold.limits import MAX_JOBS, MAX_NODES, MAX_PLY, MAX_RECORD_BYTES, MAX_SCORE
from twofold.players import Player, PlayerSpec, entries
from twofold.players.base import assumed_score, check_going
from twofold.players.registry import default_player
from twofold.search.analysis import Analysis, AnalysisDocument, Timing
from twofold.search.budget import Budget, parse_seconds
from twofold.storage.files import read_start
from twofold.values import Evaluator
from twofold.values.evaluator import Explanation, explain

if TYPE_CHECKING:
    from twofold.tables.exact import Outcomes

BOARD: Final = "0012/0013/0024/1357"
"""The board that a message shows as an example."""

DIGITS: Final = "0 is an empty cell, 1 the tile 2, 2 the tile 4, a the tile 1024"
"""What the message says of its digits."""

EXAMPLE = """  twofold analyse 0012/0013/0024/1357
  twofold analyse '2 4 8 16 / 0 0 0 2 / 0 0 0 0 / 0 0 0 0' --time 1s
  twofold analyse 0012/0013/0024/1357 --player expectimax:eval=snake --explain
  twofold analyse 3x3:012/034/000 --player greedy --json
  twofold analyse 0x7531420031002100 --board-format hex-low
  twofold analyse 3x3:211/010/000 --player exact:table=3x3.table --outcomes
  cat board.txt | twofold analyse - --time 10s --threads 4"""


def command(
    board: Annotated[str, argument("BOARD", "The board, or its file; - reads standard input.")],
    player: Annotated[
        str | None, option("PLAYER", f"Player that analyses the board. {USUAL_PLAYER}")
    ] = None,
    time: Annotated[str | None, option("T", "Time limit: 50ms, 1s, 2m. Default: none.")] = None,
    nodes: Annotated[
        int | None, option("N", "Node limit: 100000, 1e6. Default: none.", min=1, max=MAX_NODES)
    ] = None,
    ply: Annotated[
        int | None,
        option("N", "Search depth, in plies. Default: the player's.", min=1, max=MAX_PLY),
    ] = None,
    threads: Annotated[
        int | None,
        option("N", "Number of search threads. Default: the player's.", min=1, max=MAX_JOBS),
    ] = None,
    score: Annotated[
        int | None,
        option(
            "N",
            "Score so far, for players that use it. Default: from the board.",
            min=0,
            max=MAX_SCORE,
        ),
    ] = None,
    explain: Annotated[
        bool, flag("--explain", "Show how the evaluator's value is made up.")
    ] = False,
    board_format: Annotated[
        str | None,
        option(
            "FORMAT",
            "Format of BOARD, as --from of convert. Default: detected.",
            follows="text hex hex-low original",
        ),
    ] = None,
    outcomes: Annotated[
        bool, flag("--outcomes", "Show the probability of each final tile; needs exact:table=.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show what each of the four moves on a board is worth.

    BOARD can also be a printed board (rows on lines, tiles in decimal, a dot for an empty cell),
    the saved game of the original page (with its score), or 16 hexadecimal digits that begin
    (hex) or end (hex-low) with the top-left cell. A text that is no board, but names a file, stands
    for the board in that file, or the last one of its game.

    In a terminal the values improve while the search goes deeper; Ctrl-C stops the search and
    shows the best answer so far.

    The line shows the moves that the player expects: `left, 2 in r3c1` is a move to the left,
    then a 2 in row 3, column 1.
    """
    position, points = _read_board(board, board_format)
    limits = {"ply": ply, "time": time, "nodes": nodes}
    given = [name for name, limit in limits.items() if limit is not None]
    budget = Budget(ply, None if time is None else parse_seconds(time, "--time"), nodes)
    score = points if score is None else score
    check_going(position)
    rules = Rules(rows=position.rows, cols=position.cols, start_tiles=1)
    spec = PlayerSpec.parse(player) if player else default_player(rules)
    spec = spec if threads is None else _with_threads(spec, threads)
    with open_player(spec, rules, 0, at_home=True) as opened:
        check_limits(opened, *given)
        explanation = _explanation(opened, position, score, spec.title) if explain else None
        ends = _outcomes(opened, position, spec.title) if outcomes else None
        live = not json and can_redraw(sys.stdout.isatty() and sys.stderr.isatty())
        answer = _thinking.think(opened, position, budget if given else None, score, live=live)
        # With several threads the values are equal, but not the numbers of nodes.
        alone = opened.made_from.values.get("threads", "1") == "1"
        timed = answer.interrupted or budget.seconds is not None
        reproducible = opened.reproducible and alone and not timed
    if answer.analysis is None:
        print_note("interrupted before there was an answer")
        raise typer.Exit(INTERRUPTED)
    if json:
        common = msgspec.structs.asdict(AnalysisDocument.of(answer.analysis))
        document = AnalyseDocument(
            **common | {"player": spec.title},
            spec=common["player"],
            reproducible=reproducible,
            interrupted=answer.interrupted,
            terms=UNSET if explanation is None else _thinking.TermsDocument.of(explanation),
            outcomes=UNSET if ends is None else OutcomesDocument.of(ends),
        )
        write_json("analyse", document, Timing.of(answer.analysis))
    else:
        _print(answer.analysis, spec.title, explanation, ends)
        if budget.seconds is not None:
            _note_rest(answer, budget.seconds)
    if answer.interrupted:
        print_note("interrupted: this is the best answer so far")
        raise typer.Exit(INTERRUPTED)


def _note_rest(answer: _thinking.LiveAnswer, limit: float) -> None:
    """Say where the time went, if much of it went into a depth that was not finished."""
    found = answer.analysis
    if found is not None and found.depth and answer.seconds > max(1.5 * found.seconds, limit / 2):
        print_note(f"the next depth was not finished after {answer.seconds:,.2f} s")


def _read_board(text: str, form: str | None) -> ScoredBoard:
    if text.strip() == "-":
        return parse_position(standard_input("board, row by row").read(MAX_RECORD_BYTES + 1), form)
    try:
        return parse_position(text, form)
    except InvalidBoard as error:
        if not os.path.isfile(text):
            why = f"{error}; there is no such file either" if PurePath(text).suffix else str(error)
            if form is None and " known form, " in why:
                got = shown(text[:100])
                why = f"expected a board such as {BOARD}, or its file, got {got}; {DIGITS}"
            raise InvalidBoard(why) from None
    with located(shown(text)):
        return parse_position(read_start(text, MAX_RECORD_BYTES + 1, InvalidBoard), form)


def _with_threads(spec: PlayerSpec, threads: int) -> PlayerSpec:
    """The spec with its key `threads` set, if the player has one."""
    if not (spec.is_code or spec.has_key("threads")):
        able = ", ".join(entry.name for entry in entries() if "threads" in entry.keys)
        raise InvalidSpec(
            f"expected a player that takes threads ({able}) with --threads, got {shown(spec.text)}"
        )
    return spec.with_keys(threads=str(threads))


def _explanation(player: Player, board: Board, score: int | None, title: str) -> Explanation:
    evaluator = getattr(player.part_for(board), "evaluator", None)
    if not isinstance(evaluator, Evaluator):
        raise InvalidSpec(f"expected a player with an evaluator for --explain, got {shown(title)}")
    points = assumed_score(board) if score is None else score
    return explain(evaluator, board, points, player.rules)


def _outcomes(player: Player, board: Board, title: str) -> "Outcomes":
    from twofold.cli.solve import played_out
    from twofold.tables.exact import ExactTable  # loads kernels

    table = getattr(player, "table", None)
    if not isinstance(table, ExactTable):
        raise InvalidSpec(f"expected exact:table=FILE for --outcomes, got {shown(title)}")
    return played_out(table, board)


class AnalyseDocument(AnalysisDocument, frozen=True, kw_only=True):
    """What a player thinks of a board.

    Attributes:
        player: the player, as short as it can be named.
        spec: the same with all defaults and file hashes.
        reproducible: true if all but `timing` and `machine` is equal in every run.
        interrupted: true if Ctrl-C ended it: the best answer so far.
        terms: the parts of the value; missing without `--explain`.
        outcomes: how games end under optimal play; missing without `--outcomes`.
    """

    spec: str
    reproducible: bool
    interrupted: bool
    terms: _thinking.TermsDocument | UnsetType = UNSET
    outcomes: OutcomesDocument | UnsetType = UNSET


def _print(
    analysis: Analysis, player: str, explanation: Explanation | None, ends: "Outcomes | None"
) -> None:
    console = Console()
    lines = _thinking.picture(analysis.board, analysis, console, player)
    if explanation is not None:
        lines += [Text(), *_thinking.terms_table(explanation, analysis)]
    if ends is not None:
        from twofold.tables.exact import describe

        lines += [Text(), *map(Text, describe(ends))]
    _thinking.print_lines(lines, console)
