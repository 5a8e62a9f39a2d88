"""R5: behaviour has a signature, the same on every path through the code.

`tests/kernels/test_plain.py` has it computed on the plain path and from a cold cache.
"""

import threading
from collections.abc import Callable

import pytest

import twofold
from twofold.cli import selftest
from twofold.game.board import Board
from twofold.version import SIGNATURE


@pytest.mark.promise("R5")
def test_the_signature_is_the_one_on_record(figure: Callable[[str], None]) -> None:
    assert selftest.signature() == SIGNATURE
    figure(str(SIGNATURE))


@pytest.mark.promise("R5")
def test_kernels_and_reference_have_the_same_digest_of_games() -> None:
    assert selftest.games_digest() == selftest.games_digest(selftest.play_by_reference)


@pytest.mark.promise("R5")
def test_two_threads_have_the_signature_of_one() -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(selftest.signature())) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [SIGNATURE, SIGNATURE]


def test_every_check_of_the_selftest_passes() -> None:
    result = selftest.run_selftest()
    assert [check for check in result.checks if not check.passed] == []
    assert result.signature == str(SIGNATURE)


def test_the_digest_depends_on_values_and_order() -> None:
    assert selftest.digest([1, 2]) != selftest.digest([2, 1])
    assert selftest.digest([0]) != selftest.digest([0, 0])


def test_another_move_would_change_the_signature() -> None:
    def last_legal(_spec: str, board: Board) -> twofold.Move:
        return board.legal_moves()[-1]

    assert selftest.searches_digest(last_legal) != selftest.searches_digest()
