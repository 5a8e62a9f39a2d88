"""A search in a thread of its own, and its analysis for people and for programs.

The search is shown while it goes on; Ctrl-C ends it with its best answer.
"""

import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Self, TypeVar

from rich.console import Console, Group
from rich.text import Text

from twofold.cli import _output
from twofold.cli._documents import Part
from twofold.cli._output import catching_interrupt, waiting
from twofold.cli.tui.picture import Canvas
from twofold.cli.tui.tiles import draw_board, flat_look
from twofold.figures import format_search_time, format_table, format_three_digits
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.games.threads import Reading
from twofold.players import Player
from twofold.players.base import as_fault, typed_spec
from twofold.search.analysis import (
    PROBABILITY,
    Analysis,
    critic_words,
    format_moves,
    format_value,
    table_words,
    unit_words,
)
from twofold.search.budget import Budget, Stop
from twofold.values.evaluator import Explanation

LABEL: Final = 11
"""Columns of the labels before the figures."""

MAX_COLUMNS: Final = 100
"""Widest text, on however wide a terminal."""

UNBROKEN: Final = "\N{NO-BREAK SPACE}"
"""A space at which no line ends, until it is printed."""


# ---- for people


def move_table(analysis: Analysis) -> list[Text]:
    """What each move is worth, a line each below a heading; the best one stands out."""
    header, *lines = format_moves(analysis).split("\n")
    drawn = [Text(header, style="dim")]
    for one, line in zip(analysis.moves, lines, strict=True):
        style = "bold" if one.move == analysis.best else "" if one.legal else "dim"
        drawn.append(Text(line, style=style))
    return drawn


def figures(analysis: Analysis, width: int, player: str) -> list[Text]:
    """What was searched, how fast, the best line, by whom: a line or more each."""
    hits = f", {analysis.hits:,} table hits" if analysis.hits else ""
    pairs = [
        ("table", "" if analysis.table is None else table_words(analysis.table)),
        ("values", _in_unit(analysis)),
        ("critic", critic_words(analysis)),
        ("not tried", _untried(analysis)),
        ("evaluator", analysis.evaluator),
        ("searched", analysis.depth and f"{analysis.depth}: {analysis.nodes:,} nodes{hits}"),
        ("time", _time(analysis)),
        ("line", "; ".join(words.replace(" ", UNBROKEN) for words in line_words(analysis))),
        ("player", player.replace(" ", UNBROKEN)),
    ]
    return [line for label, text in pairs if text for line in labelled(label, text, width)]


def labelled(label: str, text: str, width: int) -> list[Text]:
    """A label and a text that is wrapped beside it."""
    room = max(min(width, MAX_COLUMNS) - LABEL, 20)
    lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    names = [label, *[""] * (len(lines) - 1)]
    return [
        Text.assemble((f"{name:<{LABEL}}", "dim"), line.replace(UNBROKEN, " "))
        for name, line in zip(names, lines, strict=True)
    ]


def _in_unit(analysis: Analysis) -> str:
    unit = analysis.unit
    if unit == PROBABILITY:
        return "probability of each move"
    words = unit_words(unit)
    if not analysis.exact:
        return words
    return f"exact, {words}" if unit == "points" else f"exact, {unit}"


def _untried(analysis: Analysis) -> str:
    """The moves that a policy network finds too improbable for the search, if they look better."""
    best = analysis.value
    if analysis.critic is None or analysis.table is not None or best is None:
        return ""
    values = [(one.move, one.value) for one in analysis.moves if one.value is not None]
    names = [move.name.lower() for move, value in values if value > best]
    words = "too improbable for the critic's value to be trusted"
    return f"{', '.join(names)}: {words}" if names else ""


def _time(analysis: Analysis) -> str:
    if not analysis.seconds:
        return ""
    rate = format_three_digits(analysis.nodes / analysis.seconds)
    return format_search_time(analysis.seconds) + f", {rate} nodes/s" * bool(analysis.nodes)


def line_words(analysis: Analysis) -> list[str]:
    """How the game may go on: `down, 2 in r3c1` (row 3, column 1), `right`."""
    words = []
    for step in analysis.line:
        row, col = divmod(step.cell or 0, analysis.board.cols)
        spawn = "" if step.cell is None else f", {step.tile} in r{row + 1}c{col + 1}"
        words.append(step.move.name.lower() + spawn)
    return words


def terms_table(explanation: Explanation, analysis: Analysis) -> list[Text]:
    """The parts of the value: of the board, and of what each legal move makes of it.

    Args:
        explanation: the parts.
        analysis: of the same board: where an endgame table chooses the move, that is said.
    """
    evaluator = explanation.evaluator
    moves = [(move, terms) for move, terms in zip(Move, explanation.moves, strict=True) if terms]
    columns = [explanation.board, *(terms for _, terms in moves)]
    header = ["term", "board", *(move.name.lower() for move, _ in moves)]
    rows = [(name, [terms.parts.get(name, 0.0) for terms in columns]) for name in explanation.names]
    count = len(rows)
    if count > 1:
        rows.append(("total", [terms.total for terms in columns]))
    if not explanation.add_up:
        rows.append(("value", [terms.value for terms in columns]))
    largest = max((abs(value) for _, values in rows for value in values), default=0.0)
    cells = [[name, *(format_value(value, largest) for value in values)] for name, values in rows]
    heading, *lines = format_table(header, cells).split("\n")
    table = [Text(line, style="bold" * (row >= count)) for row, line in enumerate(lines)]
    at = "the mean of the states after a move"
    if evaluator.at == "afterstate":
        at = "the afterstate of each move"
    note = f"terms of {evaluator.name}: the board, and {at}"
    return [Text(note), Text(heading, style="dim"), *table, *_doubts(explanation, analysis)]


def _doubts(explanation: Explanation, analysis: Analysis) -> list[Text]:
    """Notes on how to read the table."""
    notes = []
    if analysis.table is not None:
        name = analysis.table.table
        notes.append(f"the endgame table {name} chooses the move here, and not these terms")
    if not explanation.add_up:
        notes.append("the terms do not add up to the value: it is rounded, or has further parts")
    if explanation.evaluator.adds_reward:
        notes.append("a search adds the rewards on the way to the value")
    return [Text(note, style="dim") for note in notes]


# ---- for programs


class PartsDocument(Part, frozen=True):
    """The parts of a value; null for an illegal move, text for `inf` and `nan`.

    Attributes:
        parts: the terms by name.
        total: their sum.
        value: the value as a search uses it.
    """

    parts: dict[str, float | str] | None
    total: float | str | None
    value: float | str | None


class MovePartsDocument(PartsDocument, frozen=True):
    """The parts of the value after a move.

    Attributes:
        move: `up`, `right`, `down` or `left`.
        legal: true if it is legal.
    """

    move: str
    legal: bool


class TermsDocument(Part, frozen=True):
    """The parts of the evaluator's value of a board, and of the value after each move.

    Attributes:
        evaluator: name of the evaluator.
        unit: unit of the values.
        at: the boards that it values: `afterstate`, or `state`, of which the means are given.
        add_up: true if the parts add up to the value.
        board: the parts of the board.
        moves: the parts after up, right, down and left.
    """

    evaluator: str
    unit: str
    at: str
    add_up: bool
    board: PartsDocument
    moves: list[MovePartsDocument]

    @classmethod
    def of(cls, source: Explanation, **given: Any) -> Self:
        """The document of an explanation."""
        illegal = {"parts": None, "total": None, "value": None}
        moves = [
            MovePartsDocument.of(terms, move=move, legal=terms is not None, **more)
            for move, terms in zip(Move, source.moves, strict=True)
            for more in [{} if terms else illegal]
        ]
        evaluator = source.evaluator
        return super().of(
            source, evaluator=evaluator.name, unit=evaluator.unit, at=evaluator.at, moves=moves
        )


T = TypeVar("T")

PAUSE: Final = 0.1
"""Seconds between two pictures."""

QUIET_SECONDS: Final = 0.3
"""What takes less than this is not shown while it goes on."""

STOP_SECONDS: Final = 1.0
"""How long to wait after Ctrl-C for the player to finish its thought."""

ANALYSING: Final = "analysing; Ctrl-C ends it with the best answer so far ..."


class LiveAnswer(NamedTuple):
    """The best analysis that was found, if any, and whether the user ended the search.

    `seconds` is the time of the whole search, a depth that was not finished included.
    """

    analysis: Analysis | None
    interrupted: bool
    seconds: float


def think(
    player: Player, board: Board, budget: Budget | None, score: int | None, *, live: bool
) -> LiveAnswer:
    """Analyse a board; Ctrl-C ends the search with the best answer so far.

    The player has been started; `budget` is None for its own, `score` if it is not known. `live`
    shows the answers as they improve.
    """
    stop, began, console = Stop(), time.perf_counter(), Console(stderr=True)
    name = typed_spec(player)

    def drawn(latest: Analysis | None, _width: int) -> Group:
        lines = picture(board, latest, console, name)
        most = f" of {budget.seconds:g} s" if budget is not None and budget.seconds else " s"
        status = f"searching, {time.perf_counter() - began:.1f}{most}"
        status += "; Ctrl-C ends it with the best answer so far"
        lines += [Text(), Text(status, style="dim")]
        for line in lines:  # never wrapped, so that the picture keeps its height
            line.no_wrap, line.overflow = True, "crop"
        return Group(*lines)

    with _output.live(None, picture=drawn) if live else waiting(ANALYSING) as show:

        def tell(latest: Analysis | None) -> None:
            if show is not None and time.perf_counter() - began >= QUIET_SECONDS:
                show(latest)

        source = player.stream(board, budget, score=score, stop=stop)
        latest, interrupted = follow(source, "twofold-search", stop.raise_flag, tell)
    return LiveAnswer(latest, interrupted, time.perf_counter() - began)


def follow(
    source: Iterator[T],
    name: str,
    end: Callable[[], object],
    show: Callable[[T | None], None],
    take: Callable[[T], object] = lambda _: None,
) -> tuple[T | None, bool]:
    """Read in a thread what a player finds; the newest item, and whether Ctrl-C ended it.

    `end` is called after Ctrl-C and has the source end soon; one that does not is left behind.
    `show` is called ten times a second with the newest item, `take` with each item, in the thread.
    """
    with catching_interrupt() as asked:
        reading = Reading(source, name, take)
        while not reading.wait(PAUSE) and not asked.is_set():
            show(reading.latest)
        end()
        reading.wait(STOP_SECONDS)
    if reading.error is not None:
        raise as_fault(reading.error)  # Ctrl-C does not reach its thread
    return reading.latest, asked.is_set()


def picture(board: Board, analysis: Analysis | None, console: Console, player: str) -> list[Text]:
    """The board, the four moves and the figures; before the first answer the board alone."""
    lines = drawn(board, console)
    if analysis is not None:
        lines += [Text(), *move_table(analysis), Text(), *figures(analysis, console.width, player)]
    for line in lines:
        line.end = "\n"
    return lines


def drawn(board: Board, console: Console) -> list[Text]:
    """A board: in colour where the console is a terminal."""
    if not console.is_terminal:
        return [Text(line) for line in board.drawn().split("\n")]
    colours = Canvas.of(console, console.width, console.height).colours
    return draw_board(board, flat_look(board, colours))


def print_lines(lines: Sequence[Text], console: Console) -> None:
    """Print lines on stdout, in colour where it is a terminal."""
    for line in lines:
        if console.is_terminal:
            console.print(line, soft_wrap=True)
        else:
            sys.stdout.write(line.plain.rstrip() + "\n")
