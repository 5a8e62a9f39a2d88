"""Settings said once: the option of a command, checks, the document and its way back."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from twofold.cli._options import Given, takes
from twofold.errors import InvalidInput, LimitExceeded
from twofold.game.rules import Rules
from twofold.learn.policy_settings import PolicySettings
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.settings import check_settings, document, from_document, setting, settings_of


def parse_pair(text: str) -> dict[str, int]:
    low, _, high = text.partition("-")
    return {"low": int(low), "high": int(high)}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of each kind."""

    name: Annotated[str, setting("Its name.", "NAME", argument=True)]
    count: Annotated[int, setting("How many.", "N", ge=1, le=9)] = 3
    share: Annotated[float, setting("Which part.", "P", option="--part", ge=0, le=1)] = 0.5
    turned: Annotated[bool, setting("Do not turn it.", option="--unturned")] = True
    low: Annotated[int, setting("From low to high.", "A-B", option="--range", parse=parse_pair)] = 0
    high: int = 9
    board: Annotated[Rules, setting("The board.", "B", parse=Rules.parse, format=str)] = Rules()
    lambda_: Annotated[float, setting("L.", "L")] = msgspec.field(name="lambda", default=0.0)
    inner: Annotated[float | None, setting(name="inner part", ge=0, le=1)] = None

    def __post_init__(self) -> None:
        check_settings(self)


def told(*words: str) -> Settings:
    """The settings that a command gets from these words."""
    found: list[Settings] = []

    @dataclass(kw_only=True)
    class Options:
        context: typer.Context
        given: Given[Settings]

    app = typer.Typer()

    @app.command()
    @takes(Options)
    def command(options: Options) -> None:
        """Take them."""
        found.append(options.given.make())

    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return found[0]


def test_a_command_has_the_options_of_its_settings() -> None:
    assert told("x") == Settings(name="x")
    words = "x --count 1 --part 0.25 --unturned --range 2-4 --board 2x2 --lambda 1"
    assert told(*words.split()) == Settings(
        name="x", count=1, share=0.25, turned=False, low=2, high=4, board=Rules(2, 2), lambda_=1.0
    )


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"count": 0}, LimitExceeded, "expected count from 1 to 9, got 0"),
        ({"count": 1.5}, LimitExceeded, "expected count as a whole number from 1 to 9, got 1.5"),
        ({"share": 1.5}, InvalidInput, "expected share from 0 to 1, got 1.5"),
        ({"share": float("nan")}, InvalidInput, "expected share from 0 to 1, got nan"),
        ({"share": "1"}, InvalidInput, "expected share from 0 to 1, got '1'"),
        ({"inner": 2.0}, InvalidInput, "expected inner part from 0 to 1, got 2"),
    ],
)
def test_numbers_beyond_their_limits(
    values: dict[str, Any], error: type[InvalidInput], message: str
) -> None:
    with pytest.raises(error, match=message):
        Settings(name="x", **values)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(name="x", board=Rules(2, 3), lambda_=0.5, inner=0.25),
        PolicySettings(rules=Rules(2, 3), hidden=(8, 4), symmetric=False, seed=2**64 - 1),
        TrainingSettings(
            patterns="01 12", rules=Rules(2, 3), schedule=parse_schedule("td@50%,tc@50%"),
            stages=(32, 64), lambda_=0.5, restart=5, restart_at=0.25, seed=2**64 - 1,
        ),
    ],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_a_document_reads_back(settings: msgspec.Struct) -> None:
    said = msgspec.json.decode(msgspec.json.encode(document(settings)))
    assert set(said) <= {one.key for one in settings_of(type(settings))}
    assert from_document(type(settings), said) == settings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"more": 1}, "expected settings of Settings, got 'more'"),
        ({"board": 5}, "expected another value of board: Expected `str`, got `int`"),
        ({"board": "9x99"}, "expected"),
        ({"count": "3"}, "expected another value of count"),
        ({"count": 99}, "expected count from 1 to 9"),
    ],
)
def test_documents_that_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        from_document(Settings, document(Settings(name="x")) | change)
