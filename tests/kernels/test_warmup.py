"""Everything is compiled, by one process or by two."""

import subprocess
import sys
from pathlib import Path

import pytest

import twofold.kernels
from twofold.kernels import warmup

FOLDER = Path(twofold.kernels.__file__).parent


def test_every_module_with_kernels_is_named() -> None:
    modules = {
        ".".join(path.relative_to(FOLDER).with_suffix("").parts)
        for path in FOLDER.rglob("*.py")
        if "@kernel(" in path.read_text()
    }
    assert set(warmup.MODULES) == modules - {"_jit"}
    assert len(set(warmup.MODULES)) == len(warmup.MODULES)


@pytest.mark.parametrize("cores", [1, 2])
def test_each_module_is_told_once(cores: int) -> None:
    lines: list[str] = []
    warmup.compile_all(lines.append, cores)
    count = len(warmup.MODULES)
    assert [line.split(":")[0] for line in lines] == [
        f"kernels {number}/{count}" for number in range(1, count + 1)
    ]
    assert {line.split(": ")[1].split(",")[0] for line in lines} == set(warmup.MODULES)


def test_without_a_second_process_everything_is_compiled_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = subprocess.Popen(
        [sys.executable, "-c", "raise SystemExit(1)"], stdout=subprocess.PIPE, text=True
    )
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: missing)
    lines: list[str] = []
    warmup.compile_all(lines.append, 2)
    assert len(lines) == len(warmup.BASE + warmup.SEARCH)
