"""Players of a file: named by its content, and refused when it is another."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.policies import make_policy, write
from twofold.errors import InvalidInput, InvalidNetwork, InvalidSpec, InvalidTable, LimitExceeded
from twofold.game.rules import Rules
from twofold.learn.checkpoint import save
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.players import PlayerSpec, canonical, make_player, short_spec
from twofold.tables.exact import ExactTable
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore
from twofold.values.network_file import network_hash


def network(path: Path, other: bool = False) -> None:
    settings = TrainingSettings(patterns="0123" if other else "0123 4567")
    save(Training(settings, games=1), path)


def policy(path: Path, other: bool = False) -> None:
    write(path, make_policy(seed=9 if other else 1))


def table(path: Path, other: bool = False) -> None:
    problem = Problem.parse("2x2" if other else "2x3", "score")
    store = LayerStore(problem)
    Solver(problem, store).run()
    store.write(path)


class Kind(NamedTuple):
    """A player of a file.

    Attributes:
        spec: its text before the path.
        make: makes a file, or another one.
        key: the key of its hash.
        digest: the hash of a file.
    """

    spec: str
    make: Callable[..., None]
    key: str
    digest: Callable[[str], str]


KINDS = [
    Kind("ntuple:net=", network, "net_sha256", network_hash),
    Kind("policy:net=", policy, "net_sha256", network_hash),
    Kind(
        "exact:table=", table, "table_sha256", lambda path: str(ExactTable.open(path).layers.digest)
    ),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.spec)
def test_the_canonical_spec_names_the_content(kind: Kind, tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    kind.make(mine)
    spec = canonical(f"{kind.spec}{mine}")
    assert f"{kind.key}={kind.digest(str(mine))}" in spec
    assert canonical(spec) == spec == make_player(spec).spec
    assert short_spec(spec) == f"{kind.spec}{mine}"
    shutil.copy(mine, tmp_path / "copy")
    assert kind.digest(str(mine)) in canonical(f"{kind.spec}{tmp_path / 'copy'}")
    kind.make(other, other=True)
    with pytest.raises(InvalidSpec, match=f"the file of {kind.key}=.* has changed"):
        make_player(spec.replace(str(mine), str(other)))
    shutil.copy(other, mine)
    assert canonical(f"{kind.spec}{mine}") != spec
    with pytest.raises(InvalidSpec, match=f"the file of {kind.key}=.* has changed"):
        make_player(spec)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("ntuple:net=nobody", InvalidNetwork, r"expected a network \("),
        ("ntuple:net=no/such.safetensors", InvalidNetwork, "cannot read"),
        ("ntuple:net=tiny,downgrade=3", LimitExceeded, "expected downgrade from 512"),
        ("ntuple:net=tiny,downgrade=1025", InvalidSpec, "expected downgrade as an even number"),
        ("ntuple:net=tiny,ply=0", LimitExceeded, "expected ply from 1"),
        ("ntuple:net=tiny,eval=rows", InvalidSpec, "expected a key of ntuple"),
        ("exact", InvalidSpec, "expected exact:table=FILE, got no file"),
        ("exact:table=gone", InvalidTable, "cannot read 'gone'"),
        ("exact:file=x", InvalidSpec, "expected a key of exact"),
    ],
)
def test_files_and_keys_that_cannot_be_used(
    spec: str, error: type[InvalidInput], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_player(spec)


def test_home_of_a_spec_is_that_of_its_table(tmp_path: Path) -> None:
    table(tmp_path / "t")
    assert PlayerSpec.parse(f"exact:table={tmp_path / 't'}").home == Rules(2, 3)
    assert PlayerSpec.parse("greedy").home is PlayerSpec.parse("my_player.py:Tidy").home is None
    with pytest.raises(InvalidSpec):
        _ = PlayerSpec.parse("nobody").home
