"""Draws docs/images/watch.svg and walk.svg: real games in the terminal.

    python docs/picture.py [PLAYER] [SEED] [MOVE]
    python docs/picture.py walk

The first is what `twofold watch` shows: the player plays to the given move number, and on until
three moves are legal. The figures in it are those of the machine that draws it. The second is
what `twofold review --walk` shows. No font is fetched: the pictures use the viewer's own.
"""

import html
import io
import sys
from pathlib import Path

from rich.console import Console, RenderableType
from rich.style import Style
from rich.text import Text

from twofold import Game, Rules, make_player
from twofold.cli.tui.picture import Canvas, ScreenPicture, title_line
from twofold.cli.tui.review_screen import draw_walk, timeline, verdict
from twofold.cli.tui.screen import Walk
from twofold.cli.watch import frames, picture_of
from twofold.games.review import judge
from twofold.players.presets import DEFAULT_PLAYER

OUT = Path(__file__).parent / "images"
COLUMNS, LINES = 80, 17
CELL_WIDTH, CELL_HEIGHT, MARGIN = 9, 20, 16
BLOCKS = {"▄": (0.5, 1.0), "▀": (0.0, 0.5), "█": (0.15, 0.85)}
NAMED = {"green": "#4caf50", "cyan": "#35a7b8", "yellow": "#d3b13c", "red": "#e0604c"}
TEXT, DIM, PAGE = "#d8d4cc", "#8d877d", "#1e1c1a"


def picture(player_spec: str, seed: int, move: int) -> Text:
    """Play up to a move and hold what is on the screen there."""
    player, game = make_player(player_spec), Game(Rules(), seed=seed)
    player.start(game.rules, seed)
    shown = (
        one
        for one in frames(player, game)
        if one.move_number >= move and len(one.board.legal_moves()) >= 3
    )
    lines = picture_of(next(shown), player_spec, seed).lines(Canvas(COLUMNS, LINES))
    return Text("\n").join(lines)


def walk_picture() -> Text:
    """A game of a weak player, judged by a stronger one, at its worst move."""
    game = Game(seed=3)
    with make_player("expectimax:ply=1") as player:
        while not game.is_finished:
            game.play(player.choose(game.board))
    walk = Walk(game)
    with make_player("ntuple:net=tiny,ply=1") as strong:
        for one in judge(game, strong):
            walk.take(one)
    walk.go(min(range(100, walk.last), key=lambda place: walk.judged[place].ratio))
    picture = ScreenPicture(
        title=title_line("review", "4x4 to 2048"),
        board=walk.board,
        figures=[
            ("move", f"{walk.move_number:,} of {walk.last:,}"),
            ("score", f"{walk.score:,}"),
            ("largest", f"{walk.board.max_tile:,}"),
            ("mistakes", f"{len(walk.mistakes):,}"),
            ("judge", "ntuple:net=tiny,ply=1"),
        ],
        panel=lambda width: draw_walk(walk, width),
        note=verdict(walk),
        new=walk.new,
        below=lambda width: timeline(walk, width),
    )
    return Text("\n").join(picture.lines(Canvas(COLUMNS, LINES)))


def colour(style: Style, part: str, default: str) -> str:
    """The colour of a style as `#rrggbb`."""
    value = getattr(style, part)
    if value is None or value.is_default:
        return default
    return NAMED.get(value.name, value.get_truecolor().hex)


def draw(screen: RenderableType, label: str) -> str:
    """The picture as SVG, and what a screen reader says of it."""
    console = Console(
        file=io.StringIO(), width=COLUMNS, height=LINES, force_terminal=True,
        color_system="truecolor",
    )  # fmt: skip
    parts = []
    for line, segments in enumerate(console.render_lines(screen, pad=False)):
        column = 0
        for text, style, _ in segments:
            parts += draw_text(text, style or Style(), column, line)
            column += len(text)
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = LINES * CELL_HEIGHT + 2 * MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" '
            f'aria-label="{label}">',
            "<style>text{font:15px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
            "white-space:pre}</style>",
            f'<rect width="100%" height="100%" rx="8" fill="{PAGE}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def draw_text(text: str, style: Style, column: int, line: int) -> list[str]:
    """A run of characters in one style: its background, then blocks or letters."""
    x, y = MARGIN + column * CELL_WIDTH, MARGIN + line * CELL_HEIGHT
    width = len(text) * CELL_WIDTH
    parts = []
    background = colour(style, "bgcolor", "")
    if background:
        parts.append(rectangle(x, y, width, CELL_HEIGHT, background))
    ink = colour(style, "color", DIM if style.dim else TEXT)
    filled = text.rstrip()
    if filled and filled[0] in BLOCKS:
        top, bottom = (share * CELL_HEIGHT for share in BLOCKS[filled[0]])
        parts.append(rectangle(x, y + top, len(filled) * CELL_WIDTH, bottom - top, ink))
    elif text.strip():
        start = len(text) - len(text.lstrip())
        body = text.strip()
        weight = ' font-weight="bold"' if style.bold else ""
        parts.append(
            f'<text x="{x + start * CELL_WIDTH}" y="{y + 15}" fill="{ink}"{weight} '
            f'textLength="{len(body) * CELL_WIDTH}">{html.escape(body)}</text>'
        )
    return parts


def rectangle(x: float, y: float, width: float, height: float, fill: str) -> str:
    """A filled rectangle."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
        'shape-rendering="crispEdges"/>'
    )


if __name__ == "__main__":
    given = sys.argv[1:] + [None] * 3
    OUT.mkdir(exist_ok=True)
    if given[0] == "walk":
        label = "twofold review: a board in colour, the values of moves, mistakes along the game"
        (OUT / "walk.svg").write_text(draw(walk_picture(), label), encoding="utf-8")
    else:
        label = "twofold watch: a board in colour, score, speed and the values of moves"
        screen = picture(given[0] or DEFAULT_PLAYER, int(given[1] or 1), int(given[2] or 2500))
        (OUT / "watch.svg").write_text(draw(screen, label), encoding="utf-8")
