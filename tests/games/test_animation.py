"""Games as GIF and WebP: frames, times and limits."""

import io

import pytest
from PIL import Image, ImageChops

from twofold.errors import InvalidInput, LimitExceeded, MissingExtra
from twofold.game.game import Game
from twofold.game.rules import Rules
from twofold.games import pictures
from twofold.games.pictures import FORMS, LAST_MS, AnimationForm, Easel, animate, scale_of, scenes
from twofold.limits import MAX_ANIMATION_MOVES


def played(moves: int, rules: str = "") -> Game:
    game = Game(Rules.parse(rules), 1)
    while game.move_number < moves and not game.is_finished:
        game.play(game.legal_moves()[0])
    return game


def frames(content: bytes) -> list[tuple[Image.Image, int]]:
    """The pictures, and how long each is shown, in milliseconds."""
    found = []
    with Image.open(io.BytesIO(content)) as file:
        for number in range(getattr(file, "n_frames", 1)):
            file.seek(number)
            file.load()
            found.append((file.convert("RGB"), int(file.info["duration"])))
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rules", ["", "2x3"])
def test_each_position_is_a_frame(form: AnimationForm, rules: str) -> None:
    game = played(12, rules)
    content = animate(game, form=form, rate=10)
    found = frames(content)
    assert [time for _, time in found] == [100] * game.move_number + [LAST_MS]
    easel = Easel(*game.board.shape, "light", scale_of(*game.board.shape), captioned=True)
    for (picture, _), scene in zip(found, scenes(game, None, None), strict=True):
        wanted = easel.board(scene.exponents)
        box = (0, 0, wanted.width, wanted.height - 24)  # without the line below
        differ = ImageChops.difference(picture.crop(box), wanted.crop(box)).convert("L")
        assert (
            max(differ.tobytes()) <= 24
        )  # 256 colours for faces, numbers and what is between them


def test_invalid_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = played(20)
    with pytest.raises(InvalidInput, match="expected a rate"):
        animate(game, rate=3)
    with pytest.raises(LimitExceeded, match="expected the first move from 0 to 20, got 21"):
        animate(game, first=21)
    with pytest.raises(LimitExceeded, match="expected the last move from 5 to 20, got 4"):
        animate(game, first=5, last=4)
    monkeypatch.setattr(pictures, "MAX_ANIMATION_MOVES", 19)
    with pytest.raises(LimitExceeded, match="a number of moves in an animation"):
        animate(game)
    assert MAX_ANIMATION_MOVES == 1_000
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra):
        animate(game)


def test_the_callback_can_stop_it() -> None:
    class Enough(Exception):
        pass

    def stop(number: int) -> None:
        if number == 3:
            raise Enough

    with pytest.raises(Enough):
        animate(played(20), on_scene=stop)
