"""Files that commands write: none is lost in silence, and none is an input."""

import contextlib
import os
import pkgutil
import shlex
import shutil
import sqlite3
import threading
from pathlib import Path

import filelock
import pytest

from tests.support.commands import Cli, write_game
from tests.support.forks import forked_workers as forked_workers  # a fixture
from twofold.game.record import read_record
from twofold.game.rules import Rules
from twofold.storage.files import writing
from twofold.values.network_file import network_path

pytestmark = [pytest.mark.promise("R90"), pytest.mark.usefixtures("forked_workers")]

LEARN = "train '0123 4567' --out out.safetensors --games 20 --threads 1"
PPO = "train-policy 16-8 --rules 2x2 --moves 200 --out out.safetensors"
TUNE = (
    "tune expectimax:eval=rows,ply=1 --games 2 --trials 2 --check-games 2 --rules 2x2 "
    "--weights empty --jobs 1 --out out.db"
)
DRIVE = "drive http://127.0.0.1:1/ --attach 1 --record out.2048"

COMMANDS = [
    ("out.safetensors", "net average a.safetensors tiny --out out.safetensors"),
    ("out.safetensors", "net convert a.safetensors out.safetensors"),
    ("out.w", "net convert a.safetensors out.w"),
    ("out.safetensors", LEARN),
    ("out.csv", LEARN),
    ("out.evaluations.csv", f"{LEARN} --eval-every 10g --eval-games 2"),
    ("out.safetensors", PPO),
    ("out.table", "solve --rules 2x2 --out out.table"),
    ("442-8.twofold-table", "tables build 442-8 --out ."),
    ("out.db", TUNE),
    ("out.db", "bench greedy --games 2 --rules 2x2 --out out.db"),
    ("out.db", "compare greedy random --games 2 --rules 2x2 --out out.db"),
    ("out.html", "report study.db --html out.html"),
    ("out.md", "report study.db --markdown out.md"),
    ("out.csv", "report study.db --csv out.csv"),
    ("out.parquet", "report study.db --parquet out.parquet"),
    ("out.jsonl", "report study.db --records out.jsonl"),
    ("out.svg", "report --curves curve.csv --picture out.svg"),
    ("3a75fae11c843980.txt", "report study.db --write-boards ."),
    ("out.jsonl", "convert game.2048 out.jsonl"),
    ("out.html", "convert game.2048 out.html"),
    ("out.2048", "watch greedy --rules 2x2 --plain --record out.2048"),
    ("out.2048", DRIVE),
]
"""A file that is there before, and a command that would write it."""

NEEDS_MORE = {PPO, DRIVE}
"""Commands that need PyTorch, or a page, to write: --force brings them past the check."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inputs of all commands."""
    folder = tmp_path_factory.mktemp("inputs")
    shutil.copy(network_path("tiny"), folder / "a.safetensors")
    (folder / "boards.txt").write_text("# late\n3x3:211/010/000\n")
    (folder / "curve.csv").write_text("games,mean\n1000,250\n2000,300\n")
    write_game(folder / "game.2048", 20, Rules(2, 2))
    return folder


@pytest.fixture
def home(inputs: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, to work in."""
    monkeypatch.chdir(inputs)
    study = "bench greedy --rules 3x3 --boards boards.txt --records --out study.db"
    assert Path("study.db").exists() or cli(*shlex.split(study)).code == 0
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "line"), COMMANDS, ids=[" ".join(one) for one in COMMANDS])
def test_a_file_is_replaced_only_by_force(cli: Cli, home: Path, name: str, line: str) -> None:
    out = home / name
    for content in (b"precious\n", network_path("tiny").read_bytes()):
        out.write_bytes(content)
        before = {path: path.stat().st_mtime_ns for path in home.iterdir()}
        code, _, err = cli(*shlex.split(line))
        assert code == 2
        assert err.splitlines()[-1].startswith("twofold: expected ")
        assert err.endswith("--force replaces it\n")
        assert out.read_bytes() == content
        assert {path: path.stat().st_mtime_ns for path in home.iterdir()} == before
    code, _, err = cli(*shlex.split(line), "--force")
    if line in NEEDS_MORE:
        assert "--force" not in err
    else:
        assert code == 0, err
        assert not out.exists() or out.read_bytes() != content


@pytest.mark.promise("R65")
@pytest.mark.parametrize(
    "line",
    [
        "net average a.safetensors tiny --out out.safetensors",
        "net convert a.safetensors out.safetensors",
        "report study.db --html out.html",
        "convert game.2048 out.jsonl",
        "watch greedy --rules 2x2 --plain --record out.2048",
    ],
)
def test_what_another_program_is_writing_is_kept(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """The other one has begun, but its file is not there yet when the command looks first."""
    out, begun, asked = Path(shlex.split(line)[-1]), threading.Event(), threading.Event()
    acquire = filelock.FileLock.acquire

    def write() -> None:
        with writing(out):
            begun.set()
            asked.wait()
            out.write_text("precious\n")

    def ask(lock: filelock.FileLock) -> object:
        asked.set()
        return acquire(lock)

    other = threading.Thread(target=write)
    other.start()
    begun.wait()
    monkeypatch.setattr(filelock.FileLock, "acquire", ask)
    code, text, err = cli(*shlex.split(line))
    asked.set()  # also of a command that asks for nothing
    other.join()
    assert out.read_text() == "precious\n"
    if line.startswith("watch"):
        assert f"written to out-2.2048 (another program has written {out})" in text
    else:
        is_refused = "--force replaces it" in err or "another training run is using" in err
        assert (code, is_refused) == (2, True)


@pytest.mark.promise("R65")
@pytest.mark.parametrize(
    ("name", "line", "step", "words"),
    [
        ("out.table", "solve 2x2 --out out.table", "twofold.cli.solve.Solver.run",
         "another program has written the file; the table is in out-2.table"),
        ("442-8.twofold-table", "tables build 442-8 --out .", "twofold.tables.work.Builder.layers",
         "which another program has written meanwhile. Remove it, and give the same command again"),
        ("out.safetensors", LEARN, "twofold.cli._training.Trainer.go",
         "another program has changed the file; the run is now saved in out-2.safetensors"),
    ],
    ids=["solve", "tables", "train"],
)  # fmt: skip
def test_a_file_that_appears_during_the_work_is_kept(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch, name: str, line: str, step: str,
    words: str,
) -> None:  # fmt: skip
    owner, _, method = step.rpartition(".")
    real = getattr(pkgutil.resolve_name(owner), method)

    def begin(*given: object, **named: object) -> object:
        Path(name).write_text("precious\n")
        return real(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(step, begin)
        done = cli(*shlex.split(line))
    assert words in done.err
    assert Path(name).read_text() == "precious\n"
    if line.startswith("tables"):
        Path(name).unlink()
        assert cli(*shlex.split(line)).code == 0  # the work is kept
    else:
        assert (done.code, Path(name).with_stem("out-2").exists()) == (0, True)


INPUTS = [
    ("a.safetensors", "net average a.safetensors tiny --out LINK"),
    ("a.safetensors", "net convert a.safetensors LINK"),
    ("a.safetensors", "train '0123 4567' --games 20 --start a.safetensors --out LINK"),
    ("a.safetensors", "bench ntuple:net=a.safetensors,ply=1 --games 2 --out LINK"),
    ("a.safetensors", "compare ntuple:net=a.safetensors,ply=1 greedy --games 2 --out LINK"),
    ("a.safetensors", "watch ntuple:net=a.safetensors,ply=1 --plain --record LINK"),
    ("a.safetensors", "drive http://127.0.0.1:1/ --player ntuple:net=a.safetensors --record LINK"),
    ("game.2048", "convert game.2048 LINK --to jsonl"),
    ("study.db", "report study.db --html LINK"),
    ("study.db", "report study.db --csv LINK"),
    ("curve.csv", "report --curves curve.csv --picture LINK"),
    ("boards.txt", "bench greedy --rules 3x3 --boards boards.txt --out LINK"),
]
"""A file that a command reads, and would write by another name."""


@pytest.mark.parametrize(("name", "line"), INPUTS, ids=[line for _, line in INPUTS])
def test_no_input_is_an_output(cli: Cli, home: Path, name: str, line: str) -> None:
    source = home / name
    if not source.exists():
        assert cli("report", "study.db", "--csv", name).code == 0
    content, ending = source.read_bytes(), source.suffix
    os.link(source, f"hard{ending}")
    os.symlink(source, f"soft{ending}")
    for link in (name, f"{home}/../{home.name}/{name}", f"hard{ending}", f"soft{ending}"):
        code, out, err = cli(*shlex.split(line.replace("LINK", link)), "--force")
        assert (code, out) == (2, "")
        assert err == f"twofold: expected another file to write than to read, got {link!r}\n"
        assert source.read_bytes() == content


# ---- what is continued


def test_another_database_is_no_study(cli: Cli, home: Path) -> None:
    with contextlib.closing(sqlite3.connect("out.db")) as database:
        database.execute("create table accounts (name)")
    content = Path("out.db").read_bytes()
    bench = ("bench", "greedy", "--games", "2", "--rules", "2x2", "--out", "out.db")
    for line in (bench, shlex.split(TUNE)):
        code, _, err = cli(*line)
        assert code == 2
        assert err.endswith("; --force replaces it\n")
        assert Path("out.db").read_bytes() == content
    assert cli(*bench, "--force").code == 0
    assert cli(*shlex.split(TUNE)).code == 2  # nor is a study a tuning
    assert cli("report", "out.db").code == 0


def test_a_tuning_goes_on_with_the_same_settings(cli: Cli, home: Path) -> None:
    assert cli(*shlex.split(TUNE)).code == 0
    code, out, _ = cli(*shlex.split(TUNE), "--force", "--trials", "3")
    assert code == 0
    assert "best of 3 trials" in out
    code, _, err = cli(*shlex.split(TUNE), "--games", "3")
    assert code == 2
    assert "expected games 2 as in 'out.db', got 3" in err
    assert err.endswith("; --force replaces it\n")


def test_a_training_run_goes_on_or_is_replaced_whole(cli: Cli, home: Path) -> None:
    line = shlex.split(LEARN)
    assert cli(*line, "--eval-every", "10g", "--eval-games", "2").code == 0
    code, _, err = cli(*line)
    assert code == 2
    assert err == (
        "twofold: expected a new file to write, got 'out.safetensors'; "
        "--resume continues the run in it, --force replaces it\n"
    )
    goes_on = ("train", "--out", "out.safetensors", "--resume", "--games", "30")
    assert cli(*goes_on).code == 0
    assert "expected no --force with --resume" in cli(*goes_on, "--force").err
    assert Path("out.evaluations.csv").exists()
    code, out, _ = cli(*line, "--force")
    assert code == 0
    assert "20 games" in out
    assert not Path("out.evaluations.csv").exists()


def test_what_is_solved_and_built_is_kept(cli: Cli, home: Path) -> None:
    for line in ("solve --rules 2x2 --out out.table", "tables build 442-8 --out ."):
        assert cli(*shlex.split(line)).code == 0
        assert "already" in cli(*shlex.split(line), "--force").err


def test_a_page_replaces_an_older_page(cli: Cli, home: Path) -> None:
    Path("page.html").touch()  # an empty file holds nothing
    for _ in range(2):
        assert cli("report", "study.db", "--html", "page.html").code == 0
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_game_in_play_replaces_only_itself(cli: Cli, home: Path) -> None:
    content = Path("game.2048").read_bytes()
    lines = "save out.2048\nl\nu\nundo\nd\nsave out.2048\nsave game.2048\nquit\n"
    code, out, _ = cli("play", "--plain", "--seed", "1", stdin=lines)
    assert code == 0
    assert out.count("saved to out.2048") == 2
    assert "expected a new file or a save of this game, got 'game.2048'; --force replaces it" in out
    assert Path("game.2048").read_bytes() == content
    cli("play", "--plain", "--seed", "1", stdin="l\nsave --force game.2048\nquit\n")
    assert read_record(Path("game.2048")).seed == 1
