"""Lines of text as Textual draws them."""

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Span, Text

from twofold.cli.tui.screen import segments_of

BASE = Style(color="default", bgcolor="default")


def overlapping() -> Text:
    line = Text("bold ", style="bold").append("and green", "green")
    return Text("plain ").append_text(line)


@pytest.mark.parametrize(
    "line",
    [
        Text(),
        Text("plain"),
        Text("dim", style="dim"),
        Text("a").append("b", "red").append("c").append("d", Style(bgcolor="blue")),
        Text.assemble(("name", "dim"), "  text"),
        overlapping(),
    ],
)
def test_the_parts_are_those_of_rich(line: Text) -> None:
    console = Console(color_system="truecolor", force_terminal=True)

    def looks(segments: list[Segment]) -> list[tuple[str, Style]]:
        """Each character with its style."""
        return [(sign, part.style or Style()) for part in segments for sign in part.text]

    whole = line.copy()
    whole.spans.append(Span(0, len(line), ""))  # without any, rich leaves the line's style out
    expected = list(Segment.apply_style(whole.render(console), BASE))
    assert looks(segments_of(line, BASE, console)) == looks(expected)
