"""`twofold convert`: games from one format of records and replays to another."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import islice
from typing import IO, Annotated

from twofold.cli._options import ForceOption, argument, option, standard_input
from twofold.cli._output import print_bytes, print_note, waiting
from twofold.errors import InvalidInput, InvalidRecord
from twofold.figures import counted
from twofold.game.formats import FORMATS, format_games, format_of_file, games_of
from twofold.game.notation import did_you_mean, shown
from twofold.game.record import Record, format_record
from twofold.games.pictures import replay
from twofold.games.store import saved_game
from twofold.limits import MAX_GAMES
from twofold.storage.files import atomic_write, new_file, open_regular, writing

EXAMPLE = """  twofold convert replay.txt game.2048
  twofold convert game.2048 replay.txt --to verse
  twofold convert stats.txt games.jsonl
  twofold convert stats.txt best.2048 --game 17
  twofold convert game.2048 --to original
  twofold convert game.2048 game.html"""

PAGE = "html"
"""Not a format of records: it is written only."""

WRITTEN = (*(one.name for one in FORMATS if one.format), PAGE)
SUFFIXES = (*(one.suffix for one in FORMATS if one.suffix and one.format), f".{PAGE}")


def command(
    source: Annotated[str, argument("IN", "File or saved game to read; - reads standard input.")],
    target: Annotated[str, argument("OUT", "File to write. Default: standard output.")] = "-",
    from_: Annotated[
        str | None, option("FORMAT", "Format of IN. Default: detected.", name="--from")
    ] = None,
    to: Annotated[
        str | None,
        option(
            "FORMAT",
            "Format of OUT. Default: by the name of OUT, else twofold.",
            follows="formats and html",
        ),
    ] = None,
    game: Annotated[
        int | None,
        option(
            "N", "Convert only game N, counted from 1. Default: all games.", min=1, max=MAX_GAMES
        ),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Read games in one format and write them in another.

    Formats: twofold (records, .2048), jsonl (records, one a line, .jsonl), verse (replays of
    2048verse.com), moporgic (episodes of 2048-Framework and TDL2048, one a line). Only read:
    verse-old, next and next-v4c (2048-next), rpl and vrs (2048EndgameTablebase, .rpl, .vrs),
    openfun (Open Fun Game 2048). Positions: original (the saved game of the original page and its
    clones, .json), json (a board and its points), text, hex, hex-low. html (.html, only written) is
    a page that replays one game in any browser, without a server.

    Every game is replayed when it is read, and checked again after it is written. Data that the
    new format cannot hold is left out, and a note names it.
    """
    form = _target_format(target, to)
    check = partial(new_file, target, inputs=[source], force=force)
    if target != "-":
        check()
    lost: dict[str, None] = {}
    with waiting("converting ..."), _opened(source) as file:
        name = "input" if source == "-" else shown(source)
        records: Iterator[Record] = games_of(file, from_, name)
        if game is not None:
            records = _only(records, game)
        texts = [_page(records)] if form == PAGE else format_games(records, form, lost.setdefault)
        count = _write(target, texts, check)
    if target != "-":
        print_note(f"{counted(count, 'game')} written to {target}")
    if lost:
        print_note(f"left out, as {form} has no place for it: {', '.join(lost)}")


def _target_format(target: str, to: str | None) -> str:
    if to in WRITTEN:
        return to
    if to is not None:
        only = ", which is only read" if any(one.name == to for one in FORMATS) else ""
        raise InvalidInput(
            f"expected a format that is written ({', '.join(WRITTEN)}), got {shown(to)}{only}"
            f"{did_you_mean(to, WRITTEN)}"
        )
    if target.endswith(f".{PAGE}"):
        return PAGE
    found = format_of_file(target)
    if target != "-" and (found is None or found.name not in WRITTEN):
        raise InvalidInput(
            f"expected --to FORMAT or a name that ends in {', '.join(SUFFIXES)}, "
            f"got {shown(target)}"
        )
    return "twofold" if found is None else found.name


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield standard_input("games")
        return
    if (saved := saved_game(source)) is not None:
        yield BytesIO(format_record(saved).encode())
        return
    with open_regular(source, InvalidRecord) as file:
        yield file


def _only(records: Iterator[Record], number: int) -> Iterator[Record]:
    passed = 0
    for passed, record in enumerate(islice(records, number), 1):
        if passed == number:
            yield record
            return
    raise InvalidInput(f"expected --game from 1 to {passed}, got {number}")


def _page(records: Iterator[Record]) -> str:
    """The page that replays the game."""
    found = list(islice(records, 2))
    if len(found) != 1:
        got = "several. Choose one with --game N" if found else "none"
        raise InvalidInput(f"expected one game in the format {PAGE}, got {got}")
    return replay(found[0], scale=1.0).html


def _write(target: str, texts: Iterable[str], check: Callable[[], object]) -> int:
    """Write the texts to a file in one step, or to the output; how many there were.

    `check` refuses a file that another program has written while the games were read.
    """
    count = 0

    def parts() -> Iterator[bytes]:
        nonlocal count
        for text in texts:
            yield text.encode()
            count += 1
        if target != "-":
            check()

    if target != "-":
        with writing(target):
            atomic_write(target, parts())
    else:
        print_bytes(parts())
    return count
