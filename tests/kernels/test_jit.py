"""Machine code: its cache folder, its plain path, what is imported and compiled for it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from numba.core import config

from twofold.kernels import COMPILING, _jit, warmup

ROOT = Path(__file__).parents[2]
PACKAGE = Path(_jit.__file__).parents[1]
KERNELS = Path(_jit.__file__).parent
KERNEL_MODULES = sorted(
    ".".join(path.relative_to(KERNELS).with_suffix("").parts)
    for path in KERNELS.rglob("*.py")
    if path.stem != "__init__"
)

CALLEE = """
from twofold.kernels._jit import kernel

@kernel("int64(int64)")
def callee(number):
    return number + 1
"""

CALLER = """
from twofold.kernels._jit import kernel
from twofold.kernels.callee_for_test import callee

@kernel("int64(int64)")
def caller(number):
    return callee(number) * 10
"""

CALL = """
from twofold.kernels import BUILT, _jit
from twofold.kernels.caller_for_test import caller
from twofold.kernels.callee_for_test import callee
assert not caller.overloads
result, hits = caller(1), sum(caller.stats.cache_hits.values())
assert BUILT == [] if hits else BUILT == ["caller", "callee"]
assert bool(callee.overloads) == bool(BUILT)  # machine code in the cache contains its callees
print(result, hits, _jit.CACHE_FOLDER, sep="\\n")
"""


def run_python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a new interpreter."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def run_copy(home: Path, cache: Path, program: str) -> list[str]:
    """The lines of a program with the package found in a folder, its warnings as errors."""
    found = {"PYTHONPATH": str(home), "TWOFOLD_CACHE_DIR": str(cache)}
    done = run_python("-W", "error", "-c", program, **found)
    assert done.stderr in ("", f"twofold: {COMPILING}\n")
    return done.stdout.splitlines()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of the package in it."""
    shutil.copytree(PACKAGE, tmp_path / "home" / "twofold", ignore=shutil.ignore_patterns("__py*"))
    return tmp_path / "home"


@pytest.mark.promise("R5")
def test_a_changed_callee_in_another_module_is_compiled_again(copied: Path, tmp_path: Path) -> None:
    """In a folder with spaces and letters of any kind in its name."""
    kernels, cache = copied / "twofold" / "kernels", tmp_path / "the cache, ü"
    (kernels / "caller_for_test.py").write_text(CALLER)
    (kernels / "callee_for_test.py").write_text(CALLEE)
    result, hits, folder = run_copy(copied, cache, CALL)
    assert (result, hits) == ("20", "0")
    result, hits, same = run_copy(copied, cache, CALL)
    assert (result, hits) == ("20", "1")  # machine code is kept ...
    assert same == folder
    (kernels / "callee_for_test.py").write_text(CALLEE.replace("+ 1", "+ 2"))
    result, hits, other = run_copy(copied, cache, CALL)
    assert (result, hits) == ("30", "0")  # ... until a source of any kernel changes
    assert other != folder
    assert sorted(map(str, (cache / "kernels").iterdir())) == sorted([folder, other])


def test_settings_that_change_machine_code_change_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TWOFOLD_CACHE_DIR", str(tmp_path))
    folders = [_jit._choose_folder()]
    for name in ("PLAIN", "BOUNDSCHECK", "OPT", "CPU_NAME"):
        holder = _jit if name == "PLAIN" else config
        with monkeypatch.context() as patch:
            patch.setattr(holder, name, "another")
            folders.append(_jit._choose_folder())
    assert len(set(folders)) == 5
    assert None not in folders


def test_every_kernel_is_served_from_the_cache(tmp_path: Path) -> None:
    """A table too large to be compiled in makes Numba stop caching, and only warn of it."""
    names = [name for name in KERNEL_MODULES if name != "_jit"]
    program = f"""
import importlib
from twofold.kernels import _jit
for name in {names}:
    importlib.import_module("twofold.kernels." + name)
_jit.load(*_jit.DECLARED)
for kernel in _jit.DECLARED:
    print(kernel.__module__, kernel.__name__, sum(kernel.stats.cache_hits.values()))
"""
    environment = os.environ.get("TWOFOLD_CACHE_DIR")
    assert _jit.CACHE_FOLDER is not None
    root = Path(environment) if environment else _jit.CACHE_FOLDER.parents[1]
    for _ in range(2):  # the first one may compile what this run has not
        lines = sorted(set(run_copy(PACKAGE.parent, root, program)))
        compiled = [line for line in lines if not line.endswith(" 1")]
        if not compiled:
            break
    assert len(lines) > 50
    assert compiled == []


def test_folders_unused_for_a_month_are_removed(tmp_path: Path) -> None:
    """Folders with other names stay: `TWOFOLD_CACHE_DIR` may have other content."""
    days_unused = {"0" * 20: 0, "1" * 20: 29, "2" * 20: 31, "3" * 20: -9_000, "my kernels": 99}
    for name, days in days_unused.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").touch()
        then = time.time() - days * 86_400
        os.utime(tmp_path / name, (then, then))
    current = tmp_path / ("4" * 20)
    current.mkdir()
    os.utime(current, (0, 0))
    (tmp_path / ("5" * 20)).symlink_to(current)
    os.utime(tmp_path / ("5" * 20), (0, 0), follow_symlinks=False)
    (tmp_path / ("6" * 20)).touch()
    _jit._remove_unused(current)
    left = sorted(path.name[0] for path in tmp_path.iterdir())
    assert left == ["0", "1", "3", "4", "5", "6", "m"]
    assert (tmp_path / "my kernels" / "code.nbc").exists()


@pytest.mark.promise("R68")
@pytest.mark.skipif(os.name != "posix", reason="folders have POSIX owners and modes")
@pytest.mark.parametrize("attack", ["open to others", "a link", "open above"])
def test_code_is_not_read_where_another_user_could_put_it(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TWOFOLD_CACHE_DIR", str(tmp_path / "cache"))
    private = _jit._choose_folder()
    assert private is not None
    assert _jit._choose_folder() == private
    if attack == "a link":
        shared = private
        private.symlink_to(private.rename(tmp_path / "elsewhere"))
    else:
        shared = private if attack == "open to others" else private.parent
        shared.chmod(0o777)
    assert capsys.readouterr().err == ""
    assert _jit._choose_folder() is None
    assert capsys.readouterr().err == (
        f"twofold: other users of this machine can change {shared}; "
        "compiled kernels are kept for this run only\n"
    )


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_anew(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a power failure: Numba does not sync its files."""
    cache = tmp_path / "code"
    monkeypatch.setattr(_jit, "CACHE_FOLDER", cache)

    def compiled() -> int:
        @_jit.kernel("int64(int64)")
        def add(number):
            return number + 1

        assert add(1) == 2
        return sum(add.stats.cache_hits.values())

    assert [compiled(), compiled()] == [0, 1]
    (file,) = cache.glob(f"*.{kind}")
    whole = file.read_bytes()
    middle = len(whole) // 2
    changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for damaged in (b"", bytes(len(whole)), whole[:middle], changed):
        file.write_bytes(damaged)
        assert [compiled(), compiled()] == [0, 1]


def test_a_version_of_numba_that_was_not_tested_loads_as_numba_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "CACHE_FOLDER", tmp_path / "code")
    for quick, hits in [(True, 0), (False, 1)]:
        monkeypatch.setattr(_jit, "QUICK", quick)

        @_jit.kernel("int64(int64)")
        def add(number):
            return number + 1

        assert add(1) == 2
        assert sum(add.stats.cache_hits.values()) == hits


def test_threads_that_call_a_new_kernel_wait_for_one_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "CACHE_FOLDER", tmp_path / "code")

    @_jit.kernel("int64(int64)")
    def factorial(number):
        return number * factorial(number - 1) if number > 1 else 1

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(factorial, range(5))) == [1, 1, 2, 6, 24]
    assert sum(factorial.stats.cache_misses.values()) == 1


@pytest.mark.parametrize("folder", [None, "file/code"])
@pytest.mark.parametrize("cached", [True, False])
def test_without_a_folder_or_room_a_kernel_is_kept_for_the_run(
    cached: bool, folder: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(_jit, "CACHE_FOLDER", folder and tmp_path / folder)

    @_jit.kernel("float64(float64)", cached=cached)
    def inverse(number):
        return 1.0 / number

    assert bool(inverse.overloads) != cached  # else at once, so that its author sees its errors
    with pytest.raises(TypeError):
        inverse("text")
    assert inverse(4) == 0.25  # an int64, converted
    assert inverse(0.0) == float("inf")
    assert [str(types) for types in inverse.signatures] == ["(float64,)"]
    assert _jit.address_of(inverse) > 0


def compiled(signals: int, done: list[str]) -> None:
    """Stands for a kernel that is compiled while signals come."""
    with _jit._interrupts_wait():
        for _ in range(signals):
            signal.raise_signal(signal.SIGINT)
            done.append("inside")


def compiled_with_callee(done: list[str]) -> None:
    with _jit._interrupts_wait():
        compiled(1, done)
        done.append("after the callee")


@pytest.mark.promise("R83")
def test_an_interrupt_waits_until_a_kernel_is_compiled() -> None:
    """LLVM calls back while it compiles; what a handler of signals raises there is lost."""
    before = signal.getsignal(signal.SIGINT)
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        compiled(1, done)
    with pytest.raises(KeyboardInterrupt):
        compiled(2, done)  # the second one does not wait
    with pytest.raises(KeyboardInterrupt):
        compiled_with_callee(done)
    assert done == ["inside"] * 3
    assert signal.getsignal(signal.SIGINT) is before
    compiled(0, done)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(compiled, 0, done).result()
    assert signal.getsignal(signal.SIGINT) is before


# What is imported with Numba

PROGRAM = """
import sys
import twofold.kernels.bits
assert "scipy.linalg" not in sys.modules
import numba, numpy
multiply = numba.njit(lambda a, b: a @ b)
assert (multiply(numpy.eye(2), numpy.ones((2, 2))) == 1).all()
assert "scipy.linalg" in sys.modules
"""


def test_linear_algebra_is_imported_only_where_it_is_used() -> None:
    run_python("-c", PROGRAM)


WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None
from twofold.arena import stats
from twofold.kernels._numba import arraymath, numba
import numpy
assert not arraymath._HAVE_BLAS
try:
    numba.njit(lambda a, b: a @ b)(numpy.eye(2), numpy.eye(2))
except ImportError as error:
    assert "scipy" in str(error)
else:
    raise AssertionError
stats.mean_interval(range(9))
"""


def test_a_plain_install_has_no_scipy() -> None:
    """Only a function that multiplies matrices asks for it."""
    run_python("-c", WITHOUT_SCIPY)


# Without special instructions

TWINS = [
    "tests/kernels/test_words.py::test_instructions_on_one_word",
    "tests/kernels/test_dice.py::test_spawns_equal_the_reference",
    "tests/kernels/test_twins.py::test_moves_in_lanes",
]
"""Tests of all that have special instructions: single words, spawns, games in lanes."""
SIGNATURE = pytest.param(["tests/test_selftest.py"], id="long", marks=pytest.mark.long)
PATH = """
from twofold.kernels import _jit, intrinsics
print(_jit.PLAIN, intrinsics._PDEP, _jit.has_feature("avx2"), _jit.CACHE_FOLDER, sep="\\n")
"""


@pytest.mark.promise("R5")
@pytest.mark.parametrize("more", [pytest.param([], id="ci"), SIGNATURE])
def test_the_plain_path_computes_the_same(more: list[str], figure: Callable[[str], None]) -> None:
    options = ["-p", "no:cacheprovider", "-q", "-n0", "--no-cov"]
    said = run_python("-m", "pytest", *options, *TWINS, *more, TWOFOLD_PLAIN="1")
    (passed,) = [line for line in said.stdout.splitlines() if " passed" in line]
    assert int(passed.split()[0]) > 25
    figure(f"plain path: {passed}")


def test_a_setting_of_zero_is_none() -> None:
    plain, pdep, avx2, folder = run_python("-c", PATH, TWOFOLD_PLAIN="1").stdout.splitlines()
    assert (plain, pdep, avx2) == ("True", "False", "False")
    assert Path(folder) != _jit.CACHE_FOLDER
    other = run_python("-c", PATH, TWOFOLD_PLAIN="0").stdout.splitlines()
    assert _jit.PLAIN or other[3] == str(_jit.CACHE_FOLDER)


# Warming up


def test_every_module_with_kernels_is_named() -> None:
    modules = {
        ".".join(path.relative_to(KERNELS).with_suffix("").parts)
        for path in KERNELS.rglob("*.py")
        if "@kernel(" in path.read_text()
    }
    assert set(warmup.MODULES) == modules - {"_jit"}
    assert len(set(warmup.MODULES)) == len(warmup.MODULES)


def test_each_module_is_told_once() -> None:
    lines: list[str] = []
    warmup.compile_all(lines.append, 2)
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
