"""The networks that a spec can name: shipped ones, files of twofold and of TDL2048+."""

import os
from functools import lru_cache

from twofold.networks.library import TDL_SUFFIX, load_network, network_path
from twofold.networks.network import Network


def find_network(name: str) -> Network:
    """The network of that name, or in that file; read once and shared by all who ask.

    Raises:
        InvalidNetwork: there is none, or the file cannot be used.
        ResourceError: its weights would take more than 80 % of the free memory.
    """
    path = network_path(name)
    if path.suffix != TDL_SUFFIX:
        return load_network(name)
    try:
        changed = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # reading it says why it cannot be read
    return _read(str(path), changed)


@lru_cache(maxsize=2)
def _read(path: str, _changed: int) -> Network:
    from twofold.networks.tdl_format import read_tdl

    return read_tdl(path).network
