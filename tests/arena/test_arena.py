"""The names of the package, each loaded when it is first used."""

import subprocess
import sys

import twofold.arena as arena


def test_every_public_name_is_there() -> None:
    assert set(arena._HOMES) == set(arena.__all__)
    assert all(getattr(arena, name).__module__ == home for name, home in arena._HOMES.items())


def test_a_table_of_text_loads_no_kernels_of_endgames() -> None:
    script = (
        "import sys, twofold.cli.analyse\n"
        "from twofold import make_player\n"
        "make_player('ntuple:net=tiny').close()\n"
        "loaded = {'twofold.arena.bench', 'twofold.tables.library'} & set(sys.modules)\n"
        "sys.exit(' '.join(loaded) or 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
