"""The process of a job: a real training run whose server is killed."""

import os
import subprocess
from pathlib import Path

import pytest

from twofold.errors import INTERRUPTED
from twofold.web.job_process import PROGRAM, PROGRESS, CommandProcess

TRAIN = ["train", "0123 4567", "--out", "net.safetensors", "--time", "1h", "--threads", "1"]
PATIENCE = 120.0


@pytest.mark.promise("R80")
def test_a_training_is_saved_when_its_server_is_killed(tmp_path: Path) -> None:
    """Its input ends, and its output is not read any more."""
    with subprocess.Popen(
        [*PROGRAM, *TRAIN], cwd=tmp_path, env=dict([*os.environ.items(), PROGRESS]),
        stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        while not process.stderr.readline().startswith(b'{"progress": 0.0'):
            assert process.poll() is None
        process.stderr.close()
        process.stdin.close()
        assert process.wait(PATIENCE) == INTERRUPTED
    assert (tmp_path / "net.safetensors").stat().st_size > 1000


def test_python_files_of_the_folder_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "twofold").mkdir()
    for name in ("twofold/__init__.py", "typer.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit(77)")
    process = CommandProcess(["bench", "nobody"], tmp_path)
    assert process.wait(PATIENCE) == 2
    assert process.words.startswith("expected")
