"""The keys of the full screen app: their actions, and their names in the key line and the help.

They are those of the web app, as far as a terminal can distinguish them.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from twofold.rules import Move


class ScreenKey(NamedTuple):
    """Keys for one action.

    Attributes:
        keys: the keys, as Textual names them, with commas between.
        action: the method `action_...` of the screen.
        shown: the keys as people know them.
        says: the action in words, for the help.
        brief: a short label for the key line; empty to leave it out.
    """

    keys: str
    action: str
    shown: str
    says: str
    brief: str = ""

    @property
    def every(self) -> Iterator[str]:
        """Every key; letters in both cases."""
        for key in self.keys.split(","):
            yield key
            if len(key) == 1 and key.isalpha():
                yield key.upper()


MOVES: Final = (
    ("up,w,k", Move.UP),
    ("right,d,l", Move.RIGHT),
    ("down,s,j", Move.DOWN),
    ("left,a,h", Move.LEFT),
)

MOVE_KEYS: Final = tuple(
    ScreenKey(
        keys, f"move('{move.letter}')", "arrows, WASD, HJKL", "move", "move" * (move is Move.UP)
    )
    for keys, move in MOVES
)

SPEED_KEYS: Final = (
    ScreenKey("plus,equals_sign", "faster", "+", "the player plays faster", "faster"),
    ScreenKey("minus", "slower", "-", "the player plays slower", "slower"),
    ScreenKey("f", "full_speed", "F", "full speed, and back", "full speed"),
)

COMMON_KEYS: Final = (
    ScreenKey("question_mark", "help", "?", "show these keys", "keys"),
    ScreenKey("q", "leave", "Q", "leave", "quit"),
    ScreenKey("ctrl+c", "app.interrupt", "Ctrl-C", "leave at once, with exit code 130"),
)

PLAY_KEYS: Final = (
    *MOVE_KEYS,
    ScreenKey("u,backspace,ctrl+z", "undo", "U, Backspace, Ctrl-Z", "undo", "undo"),
    ScreenKey("i", "hints", "I", "hints on or off", "hints"),
    ScreenKey("enter,space", "best", "Enter, Space", "play the best move", "best"),
    ScreenKey("p", "auto", "P", "let the player play; P or a move takes over", "let it play"),
    ScreenKey("n", "new", "N", "new game, which can be undone", "new"),
    ScreenKey("y,ctrl+y,ctrl+shift+z", "redo", "Y, Ctrl-Y", "redo", "redo"),
    ScreenKey("r", "review", "R", "review this game", "review"),
    *SPEED_KEYS,
    ScreenKey("ctrl+s", "save", "Ctrl-S", "save now, and show the file"),
    *COMMON_KEYS,
)

WATCH_KEYS: Final = (
    ScreenKey("space", "go", "Space", "go, pause", "go, pause"),
    ScreenKey("right", "forward", "→", "one move forward", "step"),
    ScreenKey("left,backspace", "back", "←, Backspace", "one move back"),
    ScreenKey("end", "newest", "End", "to the newest position"),
    ScreenKey("t,p", "take_over", "T, P", "take over: play on from here by hand", "take over"),
    *SPEED_KEYS,
    ScreenKey("r", "review", "R", "review this game", "review"),
    *COMMON_KEYS,
)

REVIEW_KEYS: Final = (
    ScreenKey("right,l", "by(1)", "→, L", "one move forward", "forward"),
    ScreenKey("left,h", "by(-1)", "←, H", "one move back", "back"),
    ScreenKey("pagedown", "by(10)", "Page Down", "ten moves forward"),
    ScreenKey("pageup", "by(-10)", "Page Up", "ten moves back"),
    ScreenKey("home", "to_start", "Home", "to the start"),
    ScreenKey("end", "to_end", "End", "to the end"),
    ScreenKey("n", "next_mistake", "N", "next mistake", "next mistake"),
    ScreenKey("p", "previous_mistake", "P", "previous mistake", "previous"),
    ScreenKey("space", "play", "Space", "play the game, or pause", "play"),
    *SPEED_KEYS,
    *COMMON_KEYS,
    ScreenKey("escape", "leave", "Esc", "leave"),
)


def help_rows(keys: tuple[ScreenKey, ...]) -> list[tuple[str, str]]:
    """The rows of the help, without repetitions."""
    return list(dict.fromkeys((key.shown, key.says) for key in keys))
