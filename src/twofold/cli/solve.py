"""`twofold solve`: a small game is solved exactly."""

import contextlib
import shutil
import time
from pathlib import Path
from typing import Annotated, Any, Final, Self

import msgspec
import typer
from msgspec import UNSET, UnsetType

from twofold.cli import _output, same_command
from twofold.cli._documents import OutcomesDocument, Part
from twofold.cli._options import (
    ForceOption,
    JsonOption,
    ThreadsOption,
    argument,
    flag,
    option,
    read_rules,
    read_tile,
)
from twofold.errors import InvalidInput, ResourceError
from twofold.figures import bytes_words, counted
from twofold.game.board import Board
from twofold.game.notation import shell_line, shown
from twofold.limits import cores
from twofold.storage.files import alone, new_file, work_folder
from twofold.storage.work import WorkFile
from twofold.tables.exact import ExactTable, Outcomes, describe, outcomes
from twofold.tables.parts import LayerProgress
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver, estimate, load_kernels
from twofold.tables.store import LayerStore, parts_in, read_layers

EXAMPLE = """  twofold solve --rules 2x2
  twofold solve --rules 2x3 --goal 64 --outcomes
  twofold solve --rules 3x3 --out 3x3.table
  twofold analyse 3x3:211/010/000 --player exact:table=3x3.table"""


APART = [
    (
        "--goal",
        "--score",
        "one of them is maximised. --rules '3x3 goal=64 stop=goal' is the score of games that "
        "end at 64",
    )
]


GOES_ON = "--out"

SHAPES: Final = "2x2 2x3 2x4 3x3"
"""Shapes that a shell offers: larger ones are too large for most machines."""


def command(
    context: typer.Context,
    board: Annotated[
        str, argument("RULES", "Rules of the game, such as 2x3 or '3x3 start=1'.", follows=SHAPES)
    ] = "",
    rules: Annotated[
        str, option("RULES", "The same as the argument.", follows=SHAPES, show_default=False)
    ] = "",
    goal: Annotated[
        int | None,
        option(
            "TILE",
            "Maximise the chance of this tile. Default: maximise the score.",
            parser=read_tile,
        ),
    ] = None,
    score: Annotated[bool, flag("--score", "Maximise the expected score: the default.")] = False,
    out: Annotated[str, option("FILE", "Write the table to a file.", show_default=False)] = "",
    force: ForceOption = False,
    outcomes: Annotated[bool, flag("--outcomes", "Show how games end under optimal play.")] = False,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Solve a small game exactly.

    The solution is a table with the value of every board under optimal play. It plays as
    exact:table=FILE. To continue an interrupted run, give the same command again: until the table
    is written, the folder FILE.work holds its progress.
    """
    with _output.loading():
        if bool(board) == bool(rules):
            found = "two" if board else "none"
            raise InvalidInput(f"expected the rules of a game, such as 2x3, got {found}")
        problem = Problem.of(read_rules(board or rules), goal)
        workers = threads or cores()
        known = _known_table(out, problem, force=force)
        if known is None:
            load_kernels()
    if known is None:
        _check_size(problem, workers, out)
    resumed = bool(out and parts_in(work_folder(out)))
    began = time.perf_counter()
    table, out = (known, out) if known else _solved(problem, workers, out, same_command(context))
    seconds = time.perf_counter() - began
    if known is not None:
        _output.print_note(f"twofold: {out} holds this solution already")
        if parts_in(work_folder(out)):  # left by a run that was killed once it was written
            with contextlib.suppress(InvalidInput, ResourceError), alone(Path(out), "solution"):
                LayerStore(problem, out).remove()
    ends = played_out(table) if outcomes else None
    assert isinstance(table, ExactTable)
    if json:
        rate = None if known or resumed else len(table) / max(seconds, 1e-9)
        _output.write_json(
            "solve",
            SolveDocument.of(table, file=out, outcomes=UNSET if ends is None else ends),
            SolveTiming(seconds, rate),
        )
    else:
        _print(table, out, ends, None if known or resumed else seconds)


def _known_table(out: str, problem: Problem, *, force: bool) -> ExactTable | None:
    """The table that is there already, if it is the solution of this problem.

    Raises:
        InvalidInput: something else is there.
    """
    if not out:
        return None
    if not Path(out).absolute().parent.is_dir():
        raise InvalidInput(f"expected --out in an existing folder, got {shown(out)}")

    def read(_: Path) -> ExactTable:
        table = ExactTable(read_layers(out, mapped=True))  # it may be larger than the memory
        table.check(ascii(out))
        if table.problem != problem:
            raise InvalidInput(
                f"expected a new file for --out, got {out}, which holds the solution of "
                f"{table.problem} under {table.problem.rules}"
            )
        return table

    is_replaced = new_file(out, force=force, continued=read)
    return None if is_replaced or not Path(out).exists() else read(Path(out))


def _check_size(problem: Problem, threads: int, out: str) -> None:
    """Print the memory and disk space needed; refuse if there is not enough."""
    found = estimate(problem, threads=threads, in_memory=not out)
    _output.print_note(f"twofold: {problem}: {found}")
    if not out:
        found.check(None)
        return
    held = sum(path.stat().st_size for path in parts_in(work_folder(out)))
    found.check(shutil.disk_usage(Path(out).absolute().parent).free + held)


def _solved(problem: Problem, threads: int, out: str, again: str) -> tuple[ExactTable, str]:
    """Solve it, and write the table if that is wanted; the table and its file."""
    with alone(Path(out), "solution") if out else contextlib.nullcontext():
        file, store = WorkFile(out, 0.0, on_move=_say_moved), LayerStore(problem, out or None)
        if store.keys:
            _output.print_note(
                f"twofold: continuing with {counted(store.states, 'state')} of {out}.work"
            )
        with _output.catching_interrupt() as asked, _output.live(progress_line) as show:
            solver = Solver(problem, store, threads=threads, on_progress=show, stop=asked.is_set)
            done = solver.run()
        if not done:
            is_saved = bool(out and parts_in(work_folder(out)))
            kept = f"saved in {out}.work" if is_saved else "nothing is saved"
            _output.end_interrupted(f"; {kept}", again if out else "")
        if not out:
            return ExactTable(store.table()), ""
        file.save(store.write, 0.0)
        store.remove()
    return ExactTable(read_layers(file.path, mapped=True)), str(file.path)


def _say_moved(path: Path) -> None:
    _output.print_note(f"twofold: another program has written the file; the table is in {path}")


def progress_line(now: LayerProgress) -> str:
    """Progress in one line of text."""
    share = "" if now.total is None else f" of {now.total:,}, {now.share:.0%}"
    rate = f", {now.seconds:,.0f} s"
    return f"{now.phase}: sum of tiles {now.layer:,}, {now.states:,} states{share}{rate}"


def played_out(table: ExactTable, board: Board | None = None) -> Outcomes:
    """How games under optimal play end, from a board or from their start, with progress."""
    with _output.live(progress_line, lambda now: now.share) as show:
        began = time.perf_counter()

        def tell(layer: int, states: int) -> None:
            seconds = time.perf_counter() - began
            tile_sum = int(table.layers.index[layer, 0])
            show(LayerProgress("playing", tile_sum, states, len(table), seconds))

        return outcomes(table, board, on_progress=tell)


def _print(table: ExactTable, out: str, ends: Outcomes | None, seconds: float | None) -> None:
    layers = table.layers.index
    value = table.start_value
    _output.print_words(f"{table.problem}: {value:{'.12f' if value <= 1 else ',.10f'}}")
    speed = "" if seconds is None else f", {seconds:,.1f} s, {len(table) / seconds:,.0f} states/s"
    _output.print_words(
        f"{counted(len(table), 'state')} in {counted(len(layers), 'layer')}, "
        f"the largest of {int(layers[:, 1].max()):,}{speed}"
    )
    if out:
        _output.print_out(f"{out}: {bytes_words(Path(out).stat().st_size)}")
        _output.print_out(f"it plays as {shell_line(f'exact:table={out}')}")
    if ends is not None:
        _output.print_out()
        _output.print_out("\n".join(describe(ends)))


# ---- the document


class SolveDocument(Part, frozen=True):
    """The solution of a game.

    Attributes:
        rules: rules of the game.
        objective: what is maximised: `score` or `goal`.
        unit: unit of the value.
        value: value of a game before its first tile.
        states: number of states.
        layers: number of layers, the sums of tiles.
        largest_layer: number of states of the largest layer.
        file: file of the table; null without `--out`.
        outcomes: how games end under optimal play; missing without `--outcomes`.
    """

    rules: str
    objective: str
    unit: str
    value: float
    states: int
    layers: int
    largest_layer: int
    file: str | None
    outcomes: OutcomesDocument | UnsetType = UNSET

    @classmethod
    def of(cls, source: ExactTable, **given: Any) -> Self:
        """The document of a table."""
        problem, layers = source.problem, source.layers.index
        return super().of(
            problem,
            objective=problem.objective.value,
            value=source.start_value,
            states=len(source),
            layers=len(layers),
            largest_layer=int(layers[:, 1].max()),
            **given,
        )


class SolveTiming(msgspec.Struct, frozen=True):
    """Time of the solution.

    Attributes:
        seconds: wall-clock time.
        states_per_second: mean speed; null if a part was solved before.
    """

    seconds: float
    states_per_second: float | None
