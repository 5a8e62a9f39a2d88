"""What a player takes of the machine, by its spec; a study from others may not ask for more."""

from collections.abc import Mapping

from twofold.figures import bytes_words
from twofold.limits import cores
from twofold.memory import SHARE, free_memory
from twofold.notation import parse_spec, shown


def excess_of(spec: str) -> str:
    """How a player exceeds the machine: more threads than cores, or a table too large; or "".

    The table counts once for each core, as games are played on all of them.
    """
    values = parse_spec(spec).values
    threads, table = _whole(values, "threads"), _whole(values, "table_mb") * 2**20
    if threads > cores():
        return f"{shown(spec)} takes {threads} threads for a move, more than the cores here"
    free = free_memory()
    if free is not None and table * cores() > SHARE * free:
        return (
            f"{shown(spec)} takes {bytes_words(table)} for each game played at a time, more than "
            "the free memory"
        )
    return ""


def _whole(values: Mapping[str, str], key: str) -> int:
    text = values.get(key, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else 0
