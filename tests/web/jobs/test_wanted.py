"""Requests for jobs, and the commands made of them."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.web.own_players import FIRST
from twofold.errors import InvalidInput
from twofold.web.job_kinds import MAX_GAMES, BenchJob, TableJob, TrainJob, Wanted
from twofold.web.roster import MAX_THREADS

Usage = namedtuple("Usage", "total used free")


def read(**fields: Any) -> BenchJob | TrainJob | TableJob:
    found: BenchJob | TrainJob | TableJob = msgspec.convert(fields, type=Wanted)
    return found


def bench(**fields: Any) -> BenchJob:
    found = read(**{"kind": "bench", "players": ["greedy"], "name": "one"} | fields)
    assert isinstance(found, BenchJob)
    return found


def train(**fields: Any) -> TrainJob:
    found = read(**{"kind": "train", "network": "2x4", "name": "net"} | fields)
    assert isinstance(found, TrainJob)
    return found


def test_a_bench_is_a_command(tmp_path: Path) -> None:
    wanted = bench(
        players=["greedy", "expectimax:eval=snake,ply=2", "fast", "greedy"], rules=" 3x3 "
    )
    plan = wanted.plan(tmp_path)
    assert plan.command == (
        "twofold bench greedy expectimax:eval=snake,ply=2 fast --games 100 --seed 1 --rules 3x3 "
        "--out one.db"
    )
    assert (plan.again, plan.result) == (plan.words, "/lab?study=one.db")


def test_a_training_is_a_command(tmp_path: Path) -> None:
    plan = train(seconds=90, schedule="td:0.1@90%,tc:1@10%", threads=1).plan(tmp_path)
    assert plan.command == (
        "twofold train 2x4 --out net.safetensors --time 90s --threads 1 "
        "--schedule td:0.1@90%,tc:1@10% --seed 1"
    )
    assert " ".join(plan.again) == (
        "train 2x4 --out net.safetensors --resume --time 90s --threads 1 --rules 4x4"
    )
    assert plan.files == ("net.safetensors", "net.csv")
    assert plan.disk == plan.memory


@pytest.mark.parametrize("fields", [
    {"players": []}, {"players": ["greedy"] * 13}, {"games": 0}, {"games": MAX_GAMES + 1},
    {"games": "5"}, {"players": ["g" * 5000]}, {"out": "/etc/passwd"}, {"threads": 0},
    {"name": None}, {"threads": MAX_THREADS + 1},
])  # fmt: skip
def test_values_beyond_limits_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        bench(**fields)


@pytest.mark.parametrize("name", [
    "", ".", "..", "a/b", "../a", "/a", "a\\b", "-a", ".a", "a.db", "a b", "a\n", "C:a", "é",
    "a" * 61, "a\0",
])  # fmt: skip
def test_names_are_plain(name: str) -> None:
    for make in (bench, train):
        with pytest.raises(msgspec.ValidationError):
            make(name=name)


@pytest.mark.parametrize("wanted", [
    bench(rules="--out x"), bench(players=[FIRST]), bench(players=["ntuple"], rules="3x3"),
    bench(seed="-1"),
    train(network="own.safetensors"), train(network="--start"), train(schedule="rule"),
    train(schedule="own.py:rate"), train(rules="5x5"),
    TableJob(table="/tmp/x.twofold-table"), TableJob(table="default"), TableJob(table="--out"),
])  # fmt: skip
def test_other_values_are_checked(wanted: Wanted, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        wanted.plan(tmp_path)
