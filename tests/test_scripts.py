"""The scripts run anywhere and do what the documentation says."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = [*sorted((ROOT / "scripts").iterdir()), ROOT / ".ci" / "run"]


def test_the_scripts_are_there() -> None:
    assert {"demo", "test", "check", "bench"} <= {script.name for script in SCRIPTS}


@pytest.mark.parametrize(
    ("test", "check", "failed"),
    [
        ("touch .venv/.installed-docs", "true", ""),
        ("touch .venv/.installed-docs; false", "true", "failed: test\n"),
        ("touch .venv/.installed-docs; sleep 2", "false", "failed: check\n"),
        ("false # nothing was installed", "true", "failed: test check\n"),
    ],
)
def test_ci_runs_the_tests_beside_the_checks(
    test: str, check: str, failed: str, tmp_path: Path
) -> None:
    """It fails where one of them does, and what the checks say follows what the tests say."""
    for folder in (".ci", "scripts", ".venv"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    for name, command in (("test", test), ("check", check)):
        script = tmp_path / "scripts" / name
        script.write_text(f"#!/bin/sh\necho {name} $CI\n{command}\n")
        script.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run(
        [tmp_path / ".ci" / "run"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    checked = [] if "nothing" in test else ["check"]
    assert [line.strip() for line in done.stdout.splitlines()] == ["test true", *checked]
    assert done.returncode == bool(failed)
    assert done.stderr.endswith(failed)


def test_installs_nothing_when_nothing_changed(tmp_path: Path) -> None:
    """In a folder with a space, called from elsewhere: a fresh .venv is left alone."""
    root = tmp_path / "a folder"
    (root / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "_venv", root / "scripts")
    (root / "pyproject.toml").touch()
    (root / ".venv" / "bin").mkdir(parents=True)
    python = root / ".venv" / "bin" / "python"
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)
    (root / ".venv" / ".path").write_text(f"{root.resolve()}\n")
    for stamp in ("base", "test"):
        path = root / ".venv" / f".installed-{stamp}"
        path.touch()
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 10))
    done = subprocess.run(
        [root / "scripts" / "_venv", "test"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout + done.stderr == ""


def test_says_which_python_is_missing(tmp_path: Path) -> None:
    """Without a usable Python the script stops with one clear sentence."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "_venv", tmp_path / "scripts")
    (tmp_path / "pyproject.toml").touch()
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "dirname", "cat", "env"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    done = subprocess.run(
        [tmp_path / "scripts" / "_venv"],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "twofold needs Python 3.11 or later" in done.stderr
    assert not (tmp_path / ".venv").exists()
