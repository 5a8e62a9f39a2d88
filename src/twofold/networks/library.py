"""Finds networks by name or path: shipped networks, network files and TDL2048+ files."""

import hashlib
import os
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from twofold.errors import InvalidNetwork
from twofold.files import file_name, open_regular
from twofold.networks.file import read_network
from twofold.networks.network import Network
from twofold.networks.tdl_format import read_tdl
from twofold.notation import did_you_mean, shown

FOLDER: Final = Path(__file__).parent.parent / "data"
SUFFIX: Final = ".safetensors"
POLICY: Final = "policy"
"""Name of the policy network in the package."""
TDL_SUFFIX: Final = ".w"
"""Suffix of weight files of TDL2048+."""


def shipped() -> tuple[str, ...]:
    """Names of the n-tuple networks in the package."""
    names = {path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}")}
    return tuple(sorted(names - {POLICY}))


def network_path(name: str) -> Path:
    """The file of a shipped network; any other name is taken as a path.

    An identifier that is neither raises `InvalidNetwork`.
    """
    if name in (*shipped(), POLICY):
        return FOLDER / f"{name}{SUFFIX}"
    path = Path(file_name(name, InvalidNetwork))
    if name.isidentifier() and not path.exists():
        known = (*shipped(), POLICY)
        raise InvalidNetwork(
            f"expected a network ({', '.join(known)}) or a file, got {shown(name)}"
            f"{did_you_mean(name, known)}"
        )
    return path


class NamedFile:
    """The file that a name stands for: looked up once, when it is needed first."""

    def __init__(self, name: str, find: Callable[[str], Path] = network_path) -> None:
        self._name, self._find = name, find

    @cached_property
    def identity(self) -> tuple[Path, int, int]:
        """See `file_identity`."""
        return file_identity(self._find(self._name))

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the file."""
        return file_hash(*self.identity)


def load_network(name: str | NamedFile) -> Network:
    """Load a network by name or path, shared by repeated calls; errors as in `read_network`."""
    file = NamedFile(name) if isinstance(name, str) else name
    return _load(*file.identity)


@lru_cache(maxsize=4)
def _load(path: Path, _changed: int, _size: int) -> Network:
    if path.suffix == TDL_SUFFIX:
        return read_tdl(path).network
    network, _ = read_network(path)
    return network


def network_hash(name: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a network's file."""
    return NamedFile(name).hash


@lru_cache(maxsize=64)
def file_hash(path: Path, _changed: int, _size: int) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a file, see `file_identity`."""
    digest = hashlib.sha256()
    with open_regular(path, InvalidNetwork) as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()[:16]


def file_identity(path: Path) -> tuple[Path, int, int]:
    """Path, time of the last change and size: together they identify the content."""
    with open_regular(path, InvalidNetwork) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size
