"""R5: behaviour has a signature, the same on every path through the code.

`tests/kernels/test_jit.py` has these tests run on the plain path and from a cold cache.
"""

import threading
from collections.abc import Callable

import pytest

from twofold.cli import selftest
from twofold.version import SIGNATURE


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


@pytest.mark.promise("R5")
def test_every_check_of_the_selftest_passes(
    figure: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games by kernels and by the reference are equal, and the signature is the one on record."""
    result = selftest.run_selftest()
    assert [check for check in result.checks if not check.passed] == []
    assert result.signature == str(SIGNATURE)
    figure(result.signature)
    monkeypatch.setattr(selftest, "SIGNATURE", 1)
    monkeypatch.setattr(selftest, "GAMES", [])
    *others, signature = selftest.run_selftest().checks
    assert all(one.passed for one in others)
    assert not signature.passed
    assert "expected 1, that of this version" in signature.detail
