"""The live picture of a game that a player plays: board, figures, the values of the four moves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.text import Text

from twofold.figures import format_rate, format_time
from twofold.tui.moves_view import draw_moves, search_words
from twofold.tui.picture import Canvas, ScreenPicture, title_line

if TYPE_CHECKING:
    from twofold.tui.frame import GameFrame


@dataclass(slots=True)
class Screen:
    """What is drawn: a frame, and what stays the same during the game.

    Attributes:
        frame: the position to draw.
        player: the player's spec, as given.
        seed: the seed of the game.
        note: a line below: what happens, what the user may do.
    """

    frame: "GameFrame"
    player: str
    seed: int
    note: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        for number, line in enumerate(self.lines(console, options.max_width, height)):
            if number:
                yield Segment.line()
            line.truncate(options.max_width)
            line.end = ""
            yield line

    def lines(self, console: Console, width: int, height: int) -> list[Text]:
        """The picture for a terminal of this size, line by line."""
        picture = ScreenPicture(
            title=title_line(self.player),
            board=self.frame.board,
            figures=self._figures(),
            panel=lambda columns, unicode: draw_moves(self.frame.analysis, columns, unicode),
            note=Text(self.note, style="dim"),
        )
        return picture.lines(Canvas.of(console, width, height))

    def _figures(self) -> list[tuple[str, str]]:
        frame = self.frame
        return [
            ("score", f"{frame.score:,}"),
            ("largest", f"{frame.board.max_tile:,}"),
            ("move", f"{frame.move_number:,}"),
            ("speed", f"{format_rate(frame.moves_per_second)} moves/s"),
            ("elapsed", format_time(frame.seconds)),
            ("search", search_words(frame.analysis)),
            ("seed", str(self.seed)),
        ]
