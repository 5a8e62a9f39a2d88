"""Training settings: parsing, refusals, round trips."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from twofold.errors import InvalidInput, InvalidNetwork
from twofold.game.rules import Rules
from twofold.kernels.updates import MAX_STEPS
from twofold.learn.settings import (
    Phase,
    TrainingSettings,
    format_schedule,
    parse_restart,
    parse_schedule,
)

# Schedules


@pytest.mark.parametrize(
    ("text", "phases"),
    [
        ("td", [Phase("td", 0.1)]),
        ("tc", [Phase("tc", 1.0)]),
        ("td:0.025", [Phase("td", 0.025)]),
        ("tc:1e-3", [Phase("tc", 0.001)]),
        ("tc@100%", [Phase("tc", 1.0)]),
        ("td:0.1@90%,tc:1@10%", [Phase("td", 0.1, 0.9), Phase("tc", 1.0, 0.1)]),
        (" td@90% , tc@10% ", [Phase("td", 0.1, 0.9), Phase("tc", 1.0, 0.1)]),
        ("td@50%,td:0.01@25.5%,tc:10@24.5%",
         [Phase("td", 0.1, 0.5), Phase("td", 0.01, 0.255), Phase("tc", 10.0, 0.245)]),
    ],
)  # fmt: skip
def test_schedules(text: str, phases: list[Phase]) -> None:
    assert parse_schedule(text) == tuple(phases)


def test_schedules_read_back() -> None:
    rng = random.Random(3)
    for _ in range(200):
        digits = rng.randrange(4)
        shares, left = [], 100.0
        for _ in range(rng.randrange(4)):
            shares.append(round(left * rng.uniform(0.001, 0.9), digits + 2))
            left -= shares[-1]
        shares.append(round(left, digits + 2))
        text = ",".join(
            f"{rng.choice(['td', 'tc'])}:{rng.choice([rng.uniform(1e-9, 10), 1, 0.1])}@{share}%"
            for share in shares
        )
        schedule = parse_schedule(text)
        assert parse_schedule(format_schedule(schedule)) == schedule
    tiny = parse_schedule("td@0.000001%,tc@99.999999%")
    assert parse_schedule(format_schedule(tiny)) == tiny


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected phases such as tc, td:0.1 or td:0.1@90%,tc:1@10%, got ''"),
        ("sarsa", "expected phases such as .*, got 'sarsa'"),
        ("td:nan", "expected phases"),
        ("td@50%,", "expected phases"),
        ("td:٣", "expected phases"),
        (",".join(["td@1%"] * 101), "expected phases .*got 'td@1%,.*[.][.][.].*@1%'"),
        ("td,tc", "expected a share such as @90% for each of several phases"),
        ("td:1e@100%", "expected phases"),
        ("td:0.1@1.2.3%", "expected phases"),
        ("td:0", "expected a learning rate above 0 and up to 10, got 0"),
        ("td:10.1", "expected a learning rate above 0 and up to 10, got 10.1"),
        ("td@0%", "expected a share above 0% and up to 100%, got 0%"),
        ("td@-5%,tc@105%", "expected a share above 0%"),
        ("td@99%", "expected shares that add up to 100%, got 'td@99%'"),
    ],
)
def test_schedules_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidNetwork, match=message):
        parse_schedule(text)


# Settings


def test_names_of_patterns_are_kept_and_lists_are_named() -> None:
    assert TrainingSettings(patterns="2x4").patterns == "2x4"
    assert TrainingSettings(patterns="3210,7654").patterns == "2x4"
    assert TrainingSettings(patterns="10 23", rules=Rules(2, 2)).patterns == "01 23"


@pytest.mark.parametrize(
    ("lambda_", "steps"),
    # n with lambda^n at most 0.1, as delayed TC(lambda) has it; 5 for n-step TD.
    [(0.0, 1), (0.05, 1), (0.1, 1), (0.3, 2), (0.5, 4), (0.7, 7), (0.9, MAX_STEPS), (1.0, 5)],
)
def test_steps_follow_from_lambda(lambda_: float, steps: int) -> None:
    assert TrainingSettings(patterns="2x4", lambda_=lambda_).steps == steps
    assert TrainingSettings(patterns="2x4", lambda_=lambda_, steps=2).steps == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rules": Rules(5, 4)}, "expected rules of up to 4x4 .*, got 5x4"),
        ({"rules": Rules(spawn=((65536, 1),))}, "expected .* spawn tiles up to 32768, got 4x4"),
        ({"rules": Rules(3, 3)}, "expected patterns such as '0123 2345' for 3x3, got 2x4"),
        ({"patterns": "99"}, "expected different cells"),
        ({"patterns": "0g"}, "expected one of 4x6, .*got '0g'"),
        ({"stages": (3,)}, "expected stages as ascending sums of tiles"),
        ({"optimism": float("nan")}, "expected optimism from -10000000 to 10000000, got nan"),
        ({"restart_at": 0.0}, "expected part of restarts from 0.01 to 0.99, got 0"),
        ({"lambda_": -0.1}, "expected lambda from 0 to 1, got -0.1"),
        ({"lambda_": float("nan")}, "expected lambda from 0 to 1, got nan"),
        ({"order": "sideways"}, "expected order forward or backward, got 'sideways'"),
        ({"carousel": True}, "expected stages for the carousel"),
        ({"carousel": True, "stages": (512,), "restart": 10},
         "expected one of the carousel, restarts and bands, got the carousel and restarts"),
        ({"bands": (512,), "restart": 10}, "expected one of .*, got restarts and bands"),
        ({"bands": (512,), "carousel": True, "stages": (64,)}, "got the carousel and bands"),
        ({"bands": (64, 64)}, "expected bands as ascending tile sums up to 524,288, .*got 64,64"),
        ({"bands": (64, 600_000)}, "expected bands as ascending"),
        ({"bands": (64,), "band_share": 0.0}, "expected band share from 0.001 to 1, got 0"),
        ({"bands": (64,), "band_share": float("nan")}, "expected band share from 0.001 to 1, got"),
        ({"steps": 17}, "expected steps from 1 to 16, got 17"),
        ({"restart": -1}, "expected restart from 0 to 1000000000, got -1"),
        ({"seed": -1}, "expected seed from 0 to 18446744073709551615, got -1"),
        ({"downgrade": 511}, "expected downgrade from 512 to 65536, got 511"),
        ({"bands": tuple(range(2, 132, 2))}, "expected bands from 0 to 64, got 65"),
        ({"threads": 0}, "expected threads from 1 to 1024, got 0"),
        ({"stages": tuple(range(2, 34, 2))}, "expected stages from 1 to 16, got 17"),
        ({"patterns": "012345678"}, "expected cells of a pattern from 1 to 8, got 9"),
    ],
)  # fmt: skip
def test_settings_that_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        TrainingSettings(**{"patterns": "2x4"} | values)


def test_restarts() -> None:
    for text, restart in (("0", (0, 0.5)), ("10", (10, 0.5)), ("100@0.3", (100, 0.3))):
        assert tuple(parse_restart(text).values()) == restart
    for text in ("", "ten", "10@", "@0.5", "10@1", "10@0.5@0.5", "-1", "10@nan"):
        with pytest.raises(InvalidNetwork, match=r"expected a restart such as 10 or 10@0\.3, got"):
            parse_restart(text)


def test_describe_lists_settings_that_are_not_defaults() -> None:
    plain = TrainingSettings(patterns="4x6")
    assert plain.describe() == "tc:1"
    rich = replace(
        plain, schedule=parse_schedule("td@90%,tc@10%"), optimism=320_000.0, lambda_=0.5, steps=3,
        order="backward", stages=(16384, 32768), carousel=True,
    )  # fmt: skip
    assert rich.describe() == (
        "td:0.1@90%,tc:1@10%, optimism 320000, lambda 0.5, 3 steps, backward, "
        "stages 16384/32768, carousel"
    )
    assert replace(plain, steps=3).describe() == "tc:1, lambda 0, 3 steps"
    assert replace(plain, restart=10).describe() == "tc:1, restart 10"
    assert replace(plain, restart=9, restart_at=0.3).describe() == "tc:1, restart 9@0.3"
    banded = replace(plain, bands=(14000, 24000), band_share=0.25)
    assert banded.describe() == "tc:1, bands 14000/24000 for 0.25 of the games"
    assert replace(plain, downgrade=24576).describe() == "tc:1, downgrade 24576"
