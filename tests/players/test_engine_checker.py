"""The checker of engines passes conforming engines and finds violations."""

import re
import sys
from collections.abc import Iterator

import pytest

from tests.players.engines import EXAMPLE, rogue
from twofold.players.engine import conformance
from twofold.players.engine.conformance import CHECKS, CheckOutcome, Subject, check_engine

SLACK = 20.0
"""Test machines are busy; `engine-check` itself has the real limits."""

MINE = EXAMPLE.with_name("my_player.py")
"""A player in plain Python, which starts at once."""

NAMES = [check.name for check in CHECKS]


def outcome_of(mode: str, check: str, slack: float = 1.0) -> CheckOutcome:
    """The outcome of one check of a rogue engine."""
    subject = Subject(rogue(mode), boards=30, slack=slack)
    try:
        return subject.passes(CHECKS[NAMES.index(check)])
    finally:
        subject.lose()


def failures(outcomes: Iterator[CheckOutcome]) -> dict[str, str]:
    return {one.name: one.detail for one in outcomes if not one.passed}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(rogue("small"), id="without values or large tiles"),
        pytest.param(rogue("options"), id="with options"),
        pytest.param([sys.executable, "-m", "twofold", "engine", f"{MINE}:Tidy"], id="twofold"),
    ],
)
def test_conforming_engines_pass(words: list[str]) -> None:
    outcomes = list(check_engine(words, boards=10, slack=SLACK))
    assert failures(iter(outcomes)) == {}
    assert [one.name for one in outcomes] == NAMES
    details = {one.name: one.detail for one in outcomes}
    assert re.fullmatch("4 cases: 4 (errors|moves)", details["bad limits"])
    large = "20 errors" if "small" in words else "10 moves"
    assert details["large tiles"] == f"10 cases: {large}"
    assert all(one.detail and one.demand and one.seconds >= 0 for one in outcomes)


@pytest.mark.parametrize(
    ("mode", "check", "says"),
    [
        ("no-author", "handshake", "expected id author before u2048ok, got none"),
        ("dies-at-once", "handshake", "no such weights"),
        ("no-games", "ready", "to be accepted, got error: no games today"),
        ("strict", "unknown words", "expected no answer as reply to .*, got .error what is"),
        ("quiet", "bad lines", "expected one error as reply to 'position', got no answer"),
        ("dies-of-errors", "bad lines", "its stderr ends with: "),
        ("dies-of-errors", "long line", "expected readyok .*, got its end with exit code 1"),
        ("takes-all", "bad lines", "as reply to 'option frobnicate 1', got no answer"),
        ("illegal", "moves", "expected a legal move .* got 'bestmove"),
        ("illegal", "shapes", "expected a legal move .* got 'bestmove"),
        ("illegal", "large tiles", "expected a legal move .* got 'bestmove"),
        ("error", "moves", "expected a legal move .* got 'error not today'"),
        ("garbage", "moves", "got 'bestmove sideways'"),
        ("mute", "moves", "expected a bestmove .* got nothing for 0.5 s"),
        ("undead", "dead board", "expected 'bestmove none' as reply to .* got 'bestmove u'"),
        ("twice", "one answer", "expected a legal move .* got 'bestmove .' and 'bestmove .'"),
        ("bad-info", "info", r"got 'info depth deep' \(expected depth as a whole number"),
        ("partial-info", "info", "expected values of all legal moves or of none"),
        ("other-best", "info", "expected bestmove to be the last best"),
        ("deep-info", "limits", "expected at most 1 plies for 'go ply 1', got 99"),
        ("many-nodes", "limits", "expected 1000 nodes at most, got 5000"),
        ("stops-twice", "stop, idle", "expected no answer as reply to 'stop, stop', got"),
        ("forgetful", "repeat", "expected equal games after equal new lines"),
        ("bad-exit", "quit", "expected exit code 0 after quit, got 4"),
        ("stays", "quit, busy", "expected the program to end within .* s of quit"),
        *(("late", check, "within 50 ms of") for check in ("time", "stop", "busy")),
        ("stays", "end of input", "the program to end within .* s of the end of its input"),
    ],
)
def test_violations_are_found(
    mode: str, check: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mode in ("mute", "stays"):  # what does not answer is not waited for as long
        monkeypatch.setattr(conformance, "PATIENCE_SECONDS", 0.5)
        monkeypatch.setattr(conformance, "QUIT_SECONDS", 0.3)
    outcome = outcome_of(mode, check, 1.0 if mode in ("mute", "stays", "late") else SLACK)
    assert not outcome.passed
    assert re.search(says, outcome.detail), outcome.detail
