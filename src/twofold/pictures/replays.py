"""Replays: a page that plays back a game, for a notebook cell or a file.

The page is one file with its own style and script, and may not load anything. In a notebook it is
in a sandboxed frame. Player names and comments are inserted as text only.
"""

import base64
import html
import json
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate
from typing import Any, Final

from twofold import drawing
from twofold.drawing import BOARD, CELL, FACE, INK, SCALE, TILES, Theme, light_dark
from twofold.errors import InvalidInput, InvalidSpec
from twofold.files import atomic_write
from twofold.game import Game
from twofold.limits import MAX_REPLAY_MOVES, check_limit
from twofold.notation import DIGITS, Spec, parse_spec, shown
from twofold.records.record import Record

CONTROLS_HEIGHT: Final = 242
"""Pixels for the title, figures, slider, buttons, speed and two lines of comment."""

LEAST_WIDTH: Final = 264
"""Minimum width of the controls, in pixels."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A page that plays back a game; width and height are in pixels."""

    html: str
    title: str
    width: int
    height: int

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts" '
            f'srcdoc="{html.escape(self.html)}" width="{self.width}" height="{self.height}" '
            'style="border:0;max-width:100%"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Replay: {self.title}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file in one step; raises `InvalidInput` or `ResourceError`."""
        atomic_write(path, self.html)


def replay(
    what: Game | Record,
    *,
    first: int | None = None,
    last: int | None = None,
    theme: str = "auto",
    scale: float = SCALE,
) -> Replay:
    """A replay of a game or a record, or of a part of it.

    Args:
        what: the game; a record is played.
        first: first move number; None means the beginning.
        last: last move number; None means the end.
        theme: `auto` follows the page around it, `light` and `dark` do not.
        scale: pixels a unit; a tile has 100 units.

    Raises:
        InvalidInput: there is no such theme, scale or move, or the record is invalid.
        LimitExceeded: there are too many moves for a page; `first` and `last` choose some.
    """
    checked = drawing.check_theme(theme)
    drawing.check_scale(scale)
    if not isinstance(what, Game | Record):
        raise InvalidInput(f"expected a game or a record, got {shown(what)}")
    game = what.replay() if isinstance(what, Record) else what
    low, high = game.start_move_number, game.move_number
    begin = check_limit("the first move", low if first is None else first, low, high)
    end = check_limit("the last move", high if last is None else last, begin, high)
    check_limit("a number of moves in a replay", end - begin, 0, MAX_REPLAY_MOVES)
    comments = dict(what.comments) if isinstance(what, Record) else {}
    player = what.player if isinstance(what, Record) else ""
    caption = drawing.game_caption(game.score, game.move_number, game.status.value)
    title = f"2048 game{f' by {player_names(player)}' if player else ''}: {caption}"
    board_width, board_height = drawing.board_size(*game.board.shape)
    width = max(LEAST_WIDTH, round(board_width * scale))
    height = round(board_height * scale) + CONTROLS_HEIGHT
    page = _page(_data(game, begin, end, comments), title, checked, scale, width)
    return Replay(page, title, width, height)


def _data(game: Game, begin: int, end: int, comments: dict[int, str]) -> dict[str, Any]:
    """The script's data: all boards of the part, and the moves and spawns."""
    low = game.start_move_number
    boards = [game.start_board, *(step.board for step in game.steps)]
    scores = list(accumulate((step.reward for step in game.steps), initial=game.start_score))
    part = slice(begin - low, end - low + 1)
    made = game.steps[begin - low : end - low]
    return {
        "rows": game.board.rows,
        "cols": game.board.cols,
        "first": begin,
        "boards": "".join(DIGITS[e] for board in boards[part] for e in board.exponents),
        "scores": scores[part],
        "moves": "".join(step.move.letter for step in made),
        "cells": [step.cell for step in made],
        "comments": {n: text for n, text in comments.items() if begin <= n <= end},
    }


# ---- the page


def _page(data: dict[str, Any], title: str, theme: Theme, scale: float, width: int) -> str:
    scheme = "light dark" if theme == "auto" else theme
    rules = _tile_rules(max(map(DIGITS.index, data["boards"])))
    packed = base64.b64encode(zlib.compress(json.dumps(data).encode(), 9)).decode()
    return _TEMPLATE.format(
        title=drawing.escaped(title),
        style=f":root{{color-scheme:{scheme}}}\n" + _read("replay.css") + "".join(rules),
        board=_board(data, scale),
        width=width,
        **{name: _SIGN.format(path) for name, path in _SIGNS.items()},
        last=data["first"] + len(data["moves"]),
        first=data["first"],
        data=packed,
        script=_read("replay.js"),
    )


_SIGN: Final = (
    '<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="{}"/></svg>'
)
_SIGNS: Final = {
    "start": "M5 5h3v14H5zM20 5v14L9 12z",
    "back": "M17 5l-7 7 7 7-2 2-9-9 9-9z",
    "play": "M6 4v16l14-8z",
    "on": "M7 5l7 7-7 7 2 2 9-9-9-9z",
    "end": "M16 5h3v14h-3zM4 5v14l11-7z",
}
"""The icons of the buttons, as paths of 24 by 24, independent of fonts."""

_TEMPLATE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main style="max-width:{width}px">
<h1>{title}</h1>
{board}
<p id="facts"></p>
<div id="controls" hidden>
<input type="range" id="at" min="{first}" max="{last}" value="{first}" step="1" \
aria-label="Move number">
<button type="button" id="start" aria-label="Start">{start}</button>
<button type="button" id="back" aria-label="One move back">{back}</button>
<button type="button" id="play" aria-label="Play">{play}</button>
<button type="button" id="on" aria-label="One move on">{on}</button>
<button type="button" id="end" aria-label="End">{end}</button>
<label title="Keys: + and -">Speed <select id="speed" aria-keyshortcuts="+ -">
<option value="1">1x</option>
<option value="4">4x</option>
<option value="16">16x</option>
<option value="64">64x</option>
</select></label>
</div>
<p id="comment" aria-live="polite"></p>
<noscript><p>This is the first position; walking through the game needs JavaScript.</p></noscript>
</main>
<script type="text/plain" id="data">{data}</script>
<script>
{script}
</script>
</body>
</html>
"""


def _read(name: str) -> str:
    return resources.files("twofold.pictures").joinpath(name).read_text(encoding="utf-8")


def _tile_rules(largest: int) -> Iterator[str]:
    yield f".ground{{fill:{light_dark(BOARD)}}}\n"
    yield f".e0 rect{{fill:{light_dark(CELL)}}}\n.new rect{{stroke:{light_dark(INK)}}}\n"
    for exponent, colours in enumerate(TILES[:largest], 1):
        size = f"font-size:{drawing.number_size(exponent):.4g}px"
        yield (
            f".e{exponent} rect{{fill:{light_dark(colours.face)}}}"
            f".e{exponent} text{{fill:{light_dark(colours.text)};{size}}}\n"
        )


def _board(data: dict[str, Any], scale: float) -> str:
    """The first board, as SVG that the script changes."""
    rows, cols = data["rows"], data["cols"]
    exponents = [DIGITS.index(digit) for digit in data["boards"][: rows * cols]]
    width, height = drawing.board_size(rows, cols)
    cells = []
    for cell, exponent in enumerate(exponents):
        x, y = drawing.cell_corner(cell, cols)
        number = 1 << exponent if exponent else ""
        cells.append(
            f'<g class="e{exponent}" transform="translate({x} {y})">'
            f'<rect width="{FACE}" height="{FACE}" rx="5"/>'
            f'<text x="{FACE // 2}" y="{FACE // 2}">{number}</text></g>'
        )
    words = drawing.escaped(drawing.board_words(rows, cols, exponents))
    return "\n".join(
        [
            f'<svg id="board" role="img" aria-label="{words}" viewBox="0 0 {width} {height}" '
            f'width="{width * scale:.6g}" height="{height * scale:.6g}">',
            f'<rect class="ground" width="{width}" height="{height}" rx="10"/>',
            *cells,
            "</svg>",
        ]
    )


AND: Final = " + "
"""Separates the names of players in a record."""

_PLY: Final = re.compile(r"(\d+)(?:/(\d+)@.*)?", re.ASCII)


def player_names(players: str) -> str:
    """The players of a record by short names; free text stays as it is.

    >>> player_names("me + ntuple:net=default,ply=3,tables=442-512,threads=1")
    'me + network, 3 plies, with tables'
    """
    return AND.join(_player_name(one) for one in players.split(AND))


def _player_name(player: str) -> str:
    try:
        spec = parse_spec(player)
    except InvalidSpec:
        return player
    if not spec.values:
        return player
    tables = spec.values.get("tables", "none") not in ("auto", "none")
    return _kind(spec) + _depth(spec) + (", with tables" if tables else "")


def _kind(spec: Spec) -> str:
    if spec.name == "expectimax":
        return spec.values.get("eval", "rows")
    if spec.name != "ntuple":
        return spec.name
    network = re.split(r"[/\\]", spec.values.get("net", "default"))[-1]
    return "network" if network == "default" else f"network {network}"


def _depth(spec: Spec) -> str:
    found = _PLY.fullmatch(spec.values.get("ply", ""))
    if found is None or found[1] == "0":
        return ""
    if found[2]:
        least, most = sorted(map(int, found.groups()))
        return f", {least} or {most} plies"
    return f", {found[1]} {'ply' if found[1] == '1' else 'plies'}"
