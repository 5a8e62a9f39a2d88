"""The examples play: named on the command line, from a bench with two jobs."""

import json
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def bench(*specs: str, jobs: int) -> dict[str, object]:
    command = [sys.executable, "-m", "twofold", "bench", *specs]
    command += ["--games", "4", "--seed", "1", "--jobs", str(jobs), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    document = json.loads(done.stdout)
    return {key: value for key, value in document.items() if key not in ("timing", "machine")}


def test_an_evaluator_and_players_of_ones_own_play_in_two_jobs() -> None:
    specs = [
        f"expectimax:eval={EXAMPLES / 'my_evaluator.py'}:EMPTY_CELLS,ply=2",
        f"{EXAMPLES / 'my_player.py'}:Tidy",
    ]
    two = bench(*specs, jobs=2)
    assert two == bench(*specs, jobs=1)
    assert "sha256" in json.dumps(two)
