"""`twofold review`: how good the moves of a game were."""

import time
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from twofold.cli import _options
from twofold.cli._documents import MovesTiming, Part
from twofold.cli._output import draws, live, print_note, print_out, print_words, waiting, write_json
from twofold.cli._thinking import drawn, follow, print_lines
from twofold.cli.tui.picture import beside, can_open, has_extra
from twofold.errors import INTERRUPTED, InvalidInput, MissingExtra
from twofold.figures import clock, counted, format_search_time, format_table, format_three_digits
from twofold.game.board import Board
from twofold.game.formats import parse_any_record
from twofold.game.notation import shell_line
from twofold.game.record import Record
from twofold.game.record_text import located
from twofold.game.rules import Move
from twofold.games.judge import Label, MoveJudgement
from twofold.games.makers import player_names
from twofold.games.review import (
    NO_CHOICE,
    accuracy_words,
    default_judge,
    judge,
    judge_words,
    move_words,
    percent_words,
    positions,
    review,
    tables_note,
    unit_of,
    worst_of,
)
from twofold.games.store import read_game
from twofold.limits import MAX_PLY, MAX_RECORD_BYTES
from twofold.players import Player, PlayerSpec
from twofold.search.analysis import TableDocument, format_chance, format_value
from twofold.search.budget import Budget, Stop

EXAMPLE = """  twofold review game.2048
  twofold review game.2048 --walk
  twofold review game.2048 --worst 3 --player expectimax:eval=snake,ply=4
  twofold review game.2048 --player ntuple --ply 2 --json"""

MOST_WORST: Final = 1_000
"""Most moves that are drawn."""


JUDGING: Final = "judging moves; Ctrl-C ends it with those judged so far ..."


def command(
    file: Annotated[
        str, _options.argument("FILE", "Record or id of the game; - reads standard input.")
    ],
    player: Annotated[
        str | None,
        _options.option("PLAYER", f"Player that judges the moves. {_options.USUAL_JUDGE}"),
    ] = None,
    ply: Annotated[
        int | None,
        _options.option(
            "N", "Search depth per move, in plies. Default: the player's.", min=1, max=MAX_PLY
        ),
    ] = None,
    worst: Annotated[
        int, _options.option("N", "How many of the worst moves to show.", min=0, max=MOST_WORST)
    ] = 10,
    walk: Annotated[bool, _options.flag("--walk", "Step through the game on the screen.")] = False,
    json: _options.JsonOption = False,
) -> None:
    """Judge every move of a recorded game; show the worst ones.

    FILE is a record written by `watch --record`, `play` or the web app, or a replay of another
    program that `convert` reads. Accuracy is 100 % if no move could have been better, and missing
    if none had an alternative; docs/howto/review-a-game.md has the formulas. Ctrl-C stops the
    review and shows the moves judged so far.
    """
    budget = None if ply is None else Budget(ply=ply)
    record = _record(file)
    if walk:
        if file == "-":
            _options.read_keys_from_terminal()
        if json:
            raise InvalidInput("expected --walk or --json, got both")
        if not has_extra():
            raise MissingExtra.of("tui", "--walk")
        if not can_open():
            raise InvalidInput("expected a terminal for --walk, got none")
    spec = PlayerSpec.parse(player or default_judge(record.rules))
    if walk:
        _walk(record, spec, budget)
        return
    with _options.open_player(spec, record.rules, 0) as opened:
        _options.check_limits(opened, *([] if ply is None else ["ply"]))
        unit, judged, seconds, interrupted = _judged(record, opened, budget)
        name = opened.spec
    if json:
        more = {"player": spec.title, "unit": unit, "interrupted": interrupted}
        document = _document(record, name, judged, worst, **more)
        rate = len(judged) / seconds if seconds else None
        write_json("review", document, MovesTiming(seconds, rate))
    else:
        _print(record, spec.title, name, unit, judged, worst, seconds)
        if file != "-" and can_open():
            print_out(f"\nwalk through the game: {shell_line('twofold', 'review', file, '--walk')}")
    if interrupted:
        print_note("interrupted: the result is that of the moves judged so far")
        raise typer.Exit(INTERRUPTED)


def _record(file: str) -> Record:
    if file != "-":
        with waiting("reading the record ..."):
            return read_game(file)
    with located("standard input"):
        return parse_any_record(_options.standard_input("game").read(MAX_RECORD_BYTES + 1))


def _walk(record: Record, spec: PlayerSpec, budget: Budget | None) -> None:
    from twofold.cli.tui.review_screen import Judging, ReviewScreen  # an extra
    from twofold.cli.tui.screen import Walk, run

    with waiting("reading the record ..."):
        walk = Walk(record.replay())
    player = _options.open_player(spec, record.rules, 0)
    _options.check_limits(player, *([] if budget is None else ["ply"]))
    unit_of(player, record.rules)  # refuses one who values no move before the screen opens
    note = tables_note(record.player, player.spec)
    if run(ReviewScreen(walk, Judging(walk, lambda: player, budget), note=note)):
        raise typer.Exit(INTERRUPTED)


def _judged(
    record: Record, player: Player, budget: Budget | None
) -> tuple[str, list[MoveJudgement], float, bool]:
    """The unit of the values, the judgements, the time they took, and whether Ctrl-C ended it."""
    began = time.perf_counter()
    total = len(record.moves)
    stop = Stop()
    unit = unit_of(player, record.rules)
    found: list[MoveJudgement] = []

    def line(done: int) -> str:
        left = (time.perf_counter() - began) / max(done, 1) * (total - done)
        return f"judging moves, {done:,} of {total:,}, {clock(left)} left"

    with live(line, lambda done: done / total) if draws() else waiting(JUDGING) as show:
        source = judge(record, player, budget, stop=stop)
        tell = lambda _: show and show(len(found))  # noqa: E731
        _, interrupted = follow(source, "twofold-review", stop.raise_flag, tell, found.append)
    judged = list(found)  # a player that is left behind may go on
    return unit, judged, time.perf_counter() - began, interrupted and len(judged) < total


# ---- for people


GAP: Final = 3
"""Columns between a board and what stands beside it."""


def _print(
    record: Record,
    player: str,
    spec: str,
    unit: str,
    judged: Sequence[MoveJudgement],
    worst: int,
    seconds: float,
) -> None:
    print_out(heading(record))
    print_words(judge_words(player, unit))
    if note := tables_note(record.player, spec):
        print_words(note)
    rate = f", {format_three_digits(len(judged) / seconds)} moves/s" if judged else ""
    print_out(f"{counted(len(judged), 'move')} judged in {format_search_time(seconds)}{rate}")
    if not judged:
        print_out(f"no accuracy: {NO_CHOICE}")
        return
    print_out()
    print_out(summary(judged))
    console = Console()
    if worst:
        print_lines(worst_moves(record, judged, worst, console), console)


def heading(record: Record) -> str:
    """One line about the game: `2,100 moves, 36,816 points, 2048 over, by me`."""
    parts = [counted(len(record.moves), "move")]
    parts += [] if record.score is None else [f"{record.score:,} points"]
    parts += [record.result] if record.result else []
    parts += [f"by {player_names(record.player)}"] if record.player else []
    return ", ".join(parts)


def summary(judged: Sequence[MoveJudgement]) -> str:
    """Accuracy and the other figures, and how many moves have each label."""
    found = review(judged)
    choices = found.total - found.forced
    best = sum(one.is_best and not one.forced for one in judged)
    best_words = f"{percent_words(found.match_rate, 100)}, {best:,} of {counted(choices, 'choice')}"
    fit = found.goodness_of_fit
    figures = [
        ("accuracy", accuracy_words(found)),
        ("best moves", best_words if choices else "–"),
        ("goodness of fit", "–" if fit is None else f"{fit:.3g}"),
        ("longest run", f"{counted(found.longest_perfect_run, 'best move')} in a row"),
        ("forced", f"{counted(found.forced, 'move')}, counted as best"),
    ]
    width = max(len(name) for name, _ in figures)
    lines = [f"{name:<{width}}  {text}" for name, text in figures]
    rows = [
        [label, f"{count:,}", f"{100 * count / found.total:.1f}"]
        for label, count in found.labels.items()
    ]
    return "\n".join(lines) + "\n\n" + format_table(["label", "moves", "%"], rows)


def worst_moves(
    record: Record, judged: Sequence[MoveJudgement], count: int, console: Console
) -> list[Text]:
    """The worst moves, each with its board and the values of the four moves beside it."""
    lines = []
    for one, board in _worst(record, judged, count):
        lines += [Text(), Text(move_words(one), style="bold")]
        left = drawn(board, console)
        width = max(line.cell_len for line in left)
        lines += beside(left, [Text(line) for line in _values(one)], width + GAP)
    return lines


def _worst(
    record: Record, judged: Sequence[MoveJudgement], count: int
) -> list[tuple[MoveJudgement, Board]]:
    """The worst moves with the boards on which they were made."""
    chosen = worst_of(judged, count)
    numbers = {one.move_number for one in chosen}
    boards = {one.move_number: one.board for one in positions(record) if one.move_number in numbers}
    return [(one, boards[one.move_number]) for one in chosen]


def _values(one: MoveJudgement) -> list[str]:
    best = one.values[one.best]
    rows = []
    for move, value in zip(Move, one.values, strict=True):
        text = "illegal" if value is None else format_value(value, best)
        said = "made" if move == one.move else "best" if move == one.best else ""
        chances = []
        if one.table is not None:  # it may not know the move
            chance = one.table.chances.get(move)
            chances = ["" if chance is None else format_chance(chance)]
        rows.append([move.name.lower(), text, *chances, said])
    lines = format_table(rows[0], rows[1:]).split("\n")
    if one.table is not None:
        lines.append(f"chance of {one.table.target} by table {one.table.table}")
    return lines


# ---- the document


class JudgementDocument(Part, frozen=True):
    """The grade of one move.

    Attributes:
        move_number: number of moves made before it.
        move: `up`, `right`, `down` or `left`.
        best: the best move; the same one if no other is better.
        values: of up, right, down, left; null for an illegal move, text for `inf` and `nan`.
        unit: unit of the values.
        ratio: share of the best move's value that it keeps, 0 to 1.
        accuracy: in percent.
        label: how good it is.
        table: the endgame table's answer behind the ratio; null without.
    """

    move_number: int
    move: str
    best: str
    values: list[float | str | None]
    unit: str
    ratio: float
    accuracy: float
    label: Label
    table: TableDocument | None


class WorstDocument(JudgementDocument, frozen=True):
    """The grade of one of the worst moves.

    Attributes:
        board: the board on which it was made.
    """

    board: str


class ReviewDocument(Part, frozen=True):
    """A review of a game.

    Attributes:
        player: the judge, as short as it can be named.
        spec: the same with all defaults and file hashes.
        unit: unit of its values.
        played_by: who played the game; null if its record does not say so.
        note: a warning about the judge, or why there is no accuracy; null without.
        rules: rules of the game.
        moves: number of moves of the game.
        judged: number of moves that were judged.
        interrupted: true if Ctrl-C ended it before all moves were judged.
        accuracy: in percent; null if no move had an alternative.
        match_rate: share of moves that no other one beats, 0 to 1; null likewise.
        goodness_of_fit: product of all ratios, 0 to 1; null likewise.
        longest_perfect_run: most best moves in a row.
        forced: number of moves without an alternative.
        labels: number of moves with each label.
        worst: the worst moves, worst first.
        judgements: all moves that were judged, in the order of the game.
    """

    player: str
    spec: str
    unit: str
    played_by: str | None
    note: str | None
    rules: str
    moves: int
    judged: int
    interrupted: bool
    accuracy: float | None
    match_rate: float | None
    goodness_of_fit: float | None
    longest_perfect_run: int
    forced: int
    labels: dict[str, int]
    worst: list[WorstDocument]
    judgements: list[JudgementDocument]


def _document(
    record: Record, spec: str, judged: Sequence[MoveJudgement], worst: int, **given: Any
) -> ReviewDocument:
    return ReviewDocument.of(
        review(judged, note=tables_note(record.player, spec)),
        spec=spec,
        played_by=record.player,
        rules=record.rules,
        moves=len(record.moves),
        judged=len(judged),
        worst=[WorstDocument.of(one, board=board) for one, board in _worst(record, judged, worst)],
        judgements=judged,
        **given,
    )
