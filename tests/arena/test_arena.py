"""What the package loads, and when."""

import subprocess
import sys


def test_a_table_of_text_loads_no_kernels_of_endgames() -> None:
    script = (
        "import sys, twofold.cli.analyse\n"
        "from twofold import make_player\n"
        "make_player('ntuple:net=tiny').close()\n"
        "loaded = {'twofold.arena.bench', 'twofold.tables.library'} & set(sys.modules)\n"
        "sys.exit(' '.join(loaded) or 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
