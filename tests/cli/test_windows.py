"""Commands where a system lacks the functions of POSIX, as Windows does."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "support" / "without_posix.py"


def test_commands_need_no_function_of_posix(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
