"""Networks by name or by file: the shipped ones, and those that users train."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from twofold.errors import InvalidNetwork
from twofold.evaluators.network import Network
from twofold.evaluators.network_file import read_network
from twofold.files import open_regular

FOLDER: Final = Path(__file__).parent.parent / "data"
SUFFIX: Final = ".safetensors"


def shipped() -> tuple[str, ...]:
    """The names of the networks that come with the package."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}")))


def network_path(name: str) -> Path:
    """The file of a shipped network or, if there is none of that name, the path itself."""
    if name in shipped():
        return FOLDER / f"{name}{SUFFIX}"
    return Path(name)


def load_network(name: str) -> Network:
    """The network of that name, or in that file; read once and shared by all who ask.

    Raises:
        InvalidNetwork: there is none, or the file cannot be used.
        ResourceError: its weights would take more than 80 % of the free memory.
    """
    return _load(*_identity(name))


@lru_cache(maxsize=4)
def _load(path: Path, _changed: int, _size: int) -> Network:
    network, _ = read_network(path)
    return network


def network_hash(name: str) -> str:
    """The first 16 digits of the SHA-256 of a network's file.

    Raises:
        InvalidNetwork: there is no such network or file.
    """
    return _hash(*_identity(name))


@lru_cache(maxsize=64)
def _hash(path: Path, _changed: int, _size: int) -> str:
    digest = hashlib.sha256()
    with open_regular(path, InvalidNetwork) as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()[:16]


def _identity(name: str) -> tuple[Path, int, int]:
    """The path, when its file was changed, and its size."""
    path = network_path(name)
    with open_regular(path, _missing(name)) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size


def _missing(name: str) -> type[InvalidNetwork]:
    """What is raised where there is no such file: it lists the names where one may be meant."""

    class Missing(InvalidNetwork):
        def __init__(self, text: str) -> None:
            known = ", ".join(shipped()) or "none"
            plain = os.sep not in name and "." not in name
            super().__init__(f"expected a network ({known}) or its file; {text}" if plain else text)

    return Missing
