"""Wheel and source distribution, installed as users do, and the demo of the README run there."""

import os
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LIMIT_S = 3_600

pytestmark = pytest.mark.long


def find_python(version: str) -> str | None:
    """A Python of this version: of this process, on the PATH, or installed by pyenv."""
    name = f"python{version}"
    installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/{name}"))
    running = [sys.executable] if f"{sys.version_info[0]}.{sys.version_info[1]}" == version else []
    for place in [*running, shutil.which(name), *map(str, installed)]:
        if place and not subprocess.run([place, "-c", ""], capture_output=True).returncode:
            return place
    return None


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The two files that `scripts/package` builds and checks, by kind, made once a run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "dist"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            subprocess.run([ROOT / "scripts" / "package", folder], check=True, timeout=LIMIT_S)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


class Installed:
    """Twofold in an environment of its own."""

    def __init__(self, python: str, folder: Path, cache: Path) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TWOFOLD"))}
        self.environment = {
            **kept, "TWOFOLD_CACHE_DIR": str(cache), "TWOFOLD_STATE_DIR": str(folder / "state")
        }  # fmt: skip

    def bin(self, name: str) -> Path:
        return self.folder / "venv" / "bin" / name

    def run(self, name: str, *words: str | Path, code: int = 0) -> str:
        """Run a command of the environment in an empty folder, and return what it printed."""
        done = subprocess.run(
            [self.bin(name), *words], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        return done.stdout

    def install(self, what: str | Path) -> None:
        self.run("python", "-m", "pip", "install", "--quiet", what)


@pytest.fixture(scope="module", params=PYTHONS)
def python(request: pytest.FixtureRequest) -> str:
    found = find_python(request.param)
    if found is None:
        pytest.skip(f"no Python {request.param} here: install it to test with it")
    return found


@pytest.fixture(scope="module")
def cache(python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled kernels of one Python; wheel and source distribution have the same."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_demo_runs_where_it_is_installed(
    kind: str, python: str, cache: Path, built: dict[str, Path], tmp_path: Path
) -> None:
    here = Installed(python, tmp_path, cache)
    here.install(built[kind])
    assert "scipy" not in here.run("python", "-m", "pip", "list").lower()
    assert "reached" in here.run("twofold", "watch", "greedy", "--plain", "--seed", "7")
    assert "signature" in here.run("twofold", "selftest")
    assert "seeds from 1" in here.run("twofold", "bench", "greedy", "--games", "2")
    if kind == "wheel":
        check_hints(here)
    here.install("twofold[web]")  # as the command says: twofold is there, so this adds the extra
    check_page(here)


def check_hints(here: Installed) -> None:
    """Every command that needs an extra names it, and how to install it."""
    here.run("twofold", "bench", "greedy", "--games", "2", "--out", "s.db")
    here.run("twofold", "watch", "greedy", "--plain", "--record", "g.2048")
    needs = {
        "web": ["serve", "--no-open"],
        "browser": ["drive", "http://127.0.0.1:1/"],
        "tune": ["tune", "expectimax:eval=snake", "--trials", "2", "--out", "t.db"],
        "ray": ["bench", "greedy", "--games", "2", "--ray", "local"],
        "report": ["report", "s.db", "--html", "s.html"],
        "tui": ["review", "g.2048", "--walk"],
    }
    listed = here.run("twofold", "doctor")
    for extra, words in needs.items():
        hint = f"pip install 'twofold[{extra}]'"
        assert f"needs the extra '{extra}'. Install it with: {hint}" in here.run(
            "twofold", *words, code=2
        )
        assert hint in listed


def check_page(here: Installed) -> None:
    """`twofold serve` prints its address, and a page is there."""
    words = [str(here.bin("twofold")), "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(
        words, cwd=here.folder, env=here.environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with opener.open(address, timeout=60) as answer:
                assert b"<title>" in answer.read()
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(address.partition("?")[0], timeout=60)
        finally:
            server.terminate()


def test_the_sdist_has_every_file_of_the_repository(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    assert not set(listed.stdout.splitlines()) - found
