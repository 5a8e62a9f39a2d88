"""Runs mutants: each a mistake in `src`, made in a copy of the tracked files, and its tests.

A mutant is a table of `tests/mutants/ROOM.toml`: `old` occurs once in all Python and JavaScript of
`src` and is replaced by `new`; at least one of `tests` has to fail then.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 600.0
KILLED, FAILED_TO_RUN = 1, (2, 3, 4, 5)
"""Status of pytest: a test failed; the tests did not run."""


class Mutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mistake.

    Attributes:
        old: a snippet of `src`, found in one place.
        new: what stands there instead.
        tests: paths of pytest, such as `tests/test_rules.py::test_name`.
        why: what the mistake is, where the snippet does not say it.
    """

    old: str
    new: str
    tests: list[str]
    why: str = ""


def read_rooms() -> dict[str, dict[str, Mutant]]:
    """The mutants by room and name."""
    files = sorted(Path(__file__).parent.glob("*.toml"))
    return {
        file.stem: msgspec.convert(tomllib.loads(file.read_text("utf-8")), dict[str, Mutant])
        for file in files
    }


def read_sources(root: Path = ROOT) -> dict[Path, str]:
    """The Python and JavaScript of `src`."""
    found = [path for kind in ("py", "js") for path in (root / "src").rglob(f"*.{kind}")]
    return {path: path.read_text("utf-8") for path in found}


def find_faults() -> list[str]:
    """Says which mutants no longer fit the code, or name tests that do not exist."""
    sources, rooms = read_sources(), read_rooms()
    names = [name for mutants in rooms.values() for name in mutants]
    faults = [f"{name}: two mutants have this name" for name in names if names.count(name) > 1]
    for mutants in rooms.values():
        for name, mutant in mutants.items():
            count = sum(text.count(mutant.old) for text in sources.values())
            if count != 1 or mutant.new == mutant.old:
                faults.append(f"{name}: expected its snippet once in src, got {count}")
            faults += [f"{name}: there is no {test}" for test in mutant.tests if not exists(test)]
            if not mutant.tests:
                faults.append(f"{name}: it names no tests")
    return faults


def exists(test: str) -> bool:
    """True if the file is there and defines the test."""
    path, _, name = test.partition("::")
    file = ROOT / path
    return file.exists() and (not name or f"def {name.split('[')[0]}(" in file.read_text("utf-8"))


def copy_tracked(folder: Path) -> None:
    """Copy the tracked files, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def run_tests(copy: Path, tests: list[str], cache: Path | None = None) -> int | None:
    """Run tests in the copy, whose `src` they and their processes import.

    Args:
        copy: the copied tree.
        tests: paths of pytest.
        cache: the folder for compiled kernels; the usual one if None.

    Returns:
        The status of pytest; None after `SECONDS`.
    """
    environment = os.environ | {"PYTHONPATH": f"{copy / 'src'}", "CI": "true"}
    environment.pop("PYTHONPYCACHEPREFIX", None)
    if cache is not None:
        environment["TWOFOLD_CACHE_DIR"] = f"{cache}"
    options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain"]  # no differences of files
    with (
        (copy / "output.txt").open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=copy,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as process,
    ):
        try:
            return process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with what a failed test has left running


def run_mutant(copy: Path, mutant: Mutant) -> str:
    """Make the mistake, run its tests, undo it; returns the result in words."""
    (path,) = [path for path, text in read_sources(copy).items() if mutant.old in text]
    text = path.read_text("utf-8")
    path.write_text(text.replace(mutant.old, mutant.new), "utf-8")
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory() as cache:
            own = Path(cache) if "kernels" in path.parts else None
            status = run_tests(copy, mutant.tests, own)
    finally:
        path.write_text(text, "utf-8")
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
    if status in FAILED_TO_RUN:
        return "ITS TESTS DID NOT RUN"
    return "SURVIVED" if status == 0 else "tests time out" if status is None else "killed"


def show_output(copy: Path) -> None:
    """Print the end of the last run's output."""
    print("".join((copy / "output.txt").read_text("utf-8", "replace").splitlines(True)[-40:]))


def run_all(rooms: dict[str, dict[str, Mutant]], copy: Path) -> int:
    """Run the tests of each room without a mistake, then with each; returns those not noticed."""
    survived = 0
    for room, mutants in rooms.items():
        tests = sorted({test for mutant in mutants.values() for test in mutant.tests})
        start = time.monotonic()
        if run_tests(copy, tests) != 0:
            show_output(copy)
            raise SystemExit(f"mutants: the tests of {room} fail without any mutant")
        print(f"{room}: no mutant, tests pass, {time.monotonic() - start:.0f} s", flush=True)
        for name, mutant in mutants.items():
            start = time.monotonic()
            result = run_mutant(copy, mutant)
            print(f"{room}: {name}: {result}, {time.monotonic() - start:.0f} s", flush=True)
            if result.isupper():
                survived += 1
                show_output(copy)
    return survived


def main() -> None:
    """Run the mutants that the command line names."""
    parser = argparse.ArgumentParser(prog="scripts/mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ROOM|NAME", help="all without any")
    parser.add_argument("--check", action="store_true", help="only whether each fits the code")
    asked = parser.parse_args()
    if faults := find_faults():
        raise SystemExit("\n".join(faults))
    rooms = read_rooms()
    known = {*rooms, *(name for mutants in rooms.values() for name in mutants)}
    if unknown := set(asked.names) - known:
        raise SystemExit(f"mutants: there is no room or mutant {sorted(unknown)}")
    if asked.check:
        return
    if asked.names:
        chosen = {
            room: {name: one for name, one in mutants.items() if {room, name} & set(asked.names)}
            for room, mutants in rooms.items()
        }
        rooms = {room: mutants for room, mutants in chosen.items() if mutants}
    with tempfile.TemporaryDirectory(prefix="twofold-mutants-") as folder:
        copy_tracked(Path(folder))
        survived = run_all(rooms, Path(folder))
    count = sum(map(len, rooms.values()))
    print(f"{count} mutants, {count - survived} killed")
    raise SystemExit(min(survived, 1))


if __name__ == "__main__":
    main()
