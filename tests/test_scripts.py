"""The scripts run anywhere and do what the documentation says."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


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
