"""What commands share that play on from boards, or show where games end."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli._common import print_out, print_words

if TYPE_CHECKING:
    from twofold.arena.bench import PlayerStanding
    from twofold.arena.boards import StartBoards
    from twofold.arena.games import GameColumns
    from twofold.arena.stats import Interval
    from twofold.rules import Rules

BoardsOption = Annotated[
    str,
    typer.Option("--boards", metavar="FILE", help="Play on from the boards of a text file."),
]


def read_starts(path: str, rules: "Rules") -> "StartBoards | None":
    """The boards that an option names; None where it names none.

    Raises:
        InvalidInput: the file cannot be read, or has a line that is no board of such games.
    """
    if not path:
        return None
    from twofold.arena.boards import read_boards

    return read_boards(path, rules)


def print_boards(boards: "StartBoards | None", games: int) -> None:
    """Say where games began, what scores are then, and whether boards were used again.

    Args:
        boards: where they began; None for new games.
        games: the most games of a player.
    """
    if boards:
        from twofold.arena.boards import warning_of

        print_words(f"boards {boards}; scores are points from there on")
        if warning := warning_of(boards, games):
            print_words(warning)


def print_survival(
    runs: "Sequence[PlayerStanding]", rules: "Rules", boards: "StartBoards | None"
) -> None:
    """Tables of where games ended, below those of scores."""
    from twofold.arena.survival import format_survival

    text = format_survival(runs, rules, boards)
    if text:
        print_words(
            "\nwhere games ended: of those that came to a band, the share that ended in it\n"
        )
        print_out(text)


def boards_document(boards: "StartBoards | None") -> dict[str, Any] | None:
    """Boards as the JSON documents name them."""
    if boards is None:
        return None
    return {"name": boards.name, "boards": len(boards), "hash": boards.hash}


def survival_document(
    games: "GameColumns", rules: "Rules", boards: "StartBoards | None"
) -> list[dict[str, Any]]:
    """Where the games of a player ended, in bands of equal width."""
    from twofold.arena.survival import Fates, bands, edges_of

    fates = Fates.of_games(games, rules, boards)
    return [
        {
            "tile_sum": [band.low, band.high],
            "games": band.at_risk,
            "ended": band.ended,
            **_rate("share", band.share),
            **_rate("going", band.going),
        }
        for band in bands(fates, edges_of([fates]))
    ]


def _rate(name: str, rate: "Interval") -> dict[str, Any]:
    return {name: rate.value, f"{name}_95": [rate.low, rate.high]}
