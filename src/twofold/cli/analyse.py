"""`twofold analyse`: what a player thinks of the four moves on a board."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli._common import JsonOption, open_player, print_out, write_json

if TYPE_CHECKING:
    from twofold.board import Board
    from twofold.rules import Rules
    from twofold.search.analysis import Analysis, MoveAnalysis
    from twofold.search.budget import Budget

EXAMPLE = """  twofold analyse 0012/0013/0024/1357
  twofold analyse '2 4 8 16 / 0 0 0 2 / 0 0 0 0 / 0 0 0 0' --time 1s
  twofold analyse 3x3:012/034/000 --player greedy --json"""


def command(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="The board.", show_default=False)],
    player: Annotated[
        str | None, typer.Option("--player", metavar="PLAYER", help="Who analyses it.")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="T", help="Time to take: 50ms, 1s, 2m.")
    ] = None,
    nodes: Annotated[
        str | None, typer.Option("--nodes", metavar="N", help="Positions to visit: 100000, 1e6.")
    ] = None,
    ply: Annotated[str | None, typer.Option("--ply", metavar="N", help="Depth in plies.")] = None,
    score: Annotated[
        int | None, typer.Option("--score", metavar="N", help="Points so far, for who needs them.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what each of the four moves on a board is worth."""
    from twofold.board import Board
    from twofold.limits import MAX_SCORE, check_limit
    from twofold.players.base import check_going
    from twofold.players.presets import DEFAULT_PLAYER
    from twofold.rules import Rules

    position = Board.parse(board)
    budget = _budget(ply=ply, time=time, nodes=nodes)
    if score is not None:
        check_limit("a score", score, 0, MAX_SCORE)
    check_going(position)
    rules = Rules(rows=position.rows, cols=position.cols, start_tiles=1)
    analysis = _analyse(
        DEFAULT_PLAYER if player is None else player, rules, position, budget, score
    )
    if json:
        timing = {"seconds": analysis.seconds}
        timed = budget is not None and budget.seconds is not None
        write_json("analyse", {**_document(analysis), "reproducible": not timed}, timing)
    else:
        print_out(position.drawn() + "\n")
        print_out(_text(analysis))


def _budget(**values: str | None) -> "Budget | None":
    from twofold.search.budget import Budget

    given = [f"{key}={value}" for key, value in values.items() if value is not None]
    return Budget.parse(",".join(given)) if given else None


def _analyse(
    spec: str, rules: "Rules", board: "Board", budget: "Budget | None", score: int | None
) -> "Analysis":
    with open_player(spec, rules, 0) as player:
        return player.analyse(board, budget, score=score)


def _document(analysis: "Analysis") -> dict[str, Any]:
    return {
        "board": str(analysis.board),
        "player": analysis.player,
        "best": analysis.best.name.lower(),
        "unit": analysis.unit,
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "moves": [
            {
                "move": one.move.name.lower(),
                "legal": one.legal,
                "value": one.value,
                "reward": one.reward if one.legal else None,
            }
            for one in analysis.moves
        ],
    }


def _text(analysis: "Analysis") -> str:
    from twofold.arena.table import format_table

    unit = f", {analysis.unit}" if analysis.unit else ""
    header = ["move", f"value{unit}", "to best", "reward", ""]
    rows = [_row(analysis, one) for one in analysis.moves]
    about = [f"player {analysis.player}"]
    if analysis.depth:
        about.append(analysis.depth)
    if analysis.nodes:
        about.append(f"{analysis.nodes:,} nodes")
    if analysis.seconds:
        about.append(f"{analysis.seconds:.3g} s")
    return format_table(header, rows) + "\n\n" + ", ".join(about)


def _row(analysis: "Analysis", one: "MoveAnalysis") -> list[str]:
    name = one.move.name.lower()
    mark = "best" if one.move == analysis.best else ""
    if not one.legal:
        return [name, "illegal", "", "", ""]
    best = analysis.value
    if one.value is None or best is None:
        return [name, "-", "-", f"{one.reward:,}", mark]
    distance = format_value(one.value - best, best)
    return [name, format_value(one.value, best), distance, f"{one.reward:,}", mark]


def format_value(value: float, like: float | None = None) -> str:
    """A value with enough digits to tell moves apart, thousands separated.

    Args:
        value: the value, or the distance of one from the best.
        like: a value whose size decides the decimals, so that a column has equal ones.
    """
    size = abs(value if like is None else like)
    if value == 0:
        return "0"
    if abs(value) >= 1e12 or size < 1e-3:
        return f"{value:.5g}"
    decimals = 0 if size >= 1e5 else 1 if size >= 1e4 else 2
    return f"{value:,.{decimals}f}" if round(value, decimals) else f"{value:.1g}"
