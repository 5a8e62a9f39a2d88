"""Networks by name or by file: the shipped ones, and files of twofold and of TDL2048+."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from twofold.errors import InvalidNetwork
from twofold.files import open_regular
from twofold.networks.file import read_network
from twofold.networks.network import Network
from twofold.networks.tdl_format import read_tdl
from twofold.notation import did_you_mean, shown

FOLDER: Final = Path(__file__).parent.parent / "data"
SUFFIX: Final = ".safetensors"
TDL_SUFFIX: Final = ".w"
"""How the names of weight files of TDL2048+ end."""


def shipped() -> tuple[str, ...]:
    """The names of the networks that come with the package."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}")))


def network_path(name: str) -> Path:
    """The file of a shipped network or, if there is none of that name, the path itself.

    Raises:
        InvalidNetwork: it looks like a name, and there is neither such a network nor a file.
    """
    if name in shipped():
        return FOLDER / f"{name}{SUFFIX}"
    path = Path(name)
    if name.isidentifier() and not path.exists():
        known = ", ".join(shipped()) or "none"
        raise InvalidNetwork(
            f"expected a network ({known}) or a file, got {shown(name)}"
            f"{did_you_mean(name, shipped())}"
        )
    return path


def load_network(name: str) -> Network:
    """The network of that name, or in that file; read once and shared by all who ask.

    Raises:
        InvalidNetwork: there is none, or the file cannot be used.
        ResourceError: its weights would take more than 80 % of the free memory.
    """
    return _load(*file_identity(network_path(name)))


@lru_cache(maxsize=4)
def _load(path: Path, _changed: int, _size: int) -> Network:
    if path.suffix == TDL_SUFFIX:
        return read_tdl(path).network
    network, _ = read_network(path)
    return network


def network_hash(name: str) -> str:
    """The first 16 digits of the SHA-256 of a network's file.

    Raises:
        InvalidNetwork: there is no such network or file.
    """
    return file_hash(*file_identity(network_path(name)))


@lru_cache(maxsize=64)
def file_hash(path: Path, _changed: int, _size: int) -> str:
    """The first 16 digits of the SHA-256 of a file; the arguments are those of `file_identity`."""
    digest = hashlib.sha256()
    with open_regular(path, InvalidNetwork) as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()[:16]


def file_identity(path: Path) -> tuple[Path, int, int]:
    """The path, when its file was changed, and its size.

    Raises:
        InvalidNetwork: there is no such file.
    """
    with open_regular(path, InvalidNetwork) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size
