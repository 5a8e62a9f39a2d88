"""The runs of a study, by rules and boards."""

import itertools
from dataclasses import replace

import pytest

from tests.arena.reports.studies import add, ended, row, small
from twofold.arena import report as module
from twofold.arena.boards import parse_boards
from twofold.arena.page import html as html_of
from twofold.arena.report import gather
from twofold.arena.study import Study
from twofold.arena.study_rows import Wanted
from twofold.arena.tables import markdown
from twofold.errors import InvalidInput


def test_games_from_boards_have_a_section() -> None:
    boards = parse_boards("3210/2100/1000/0000", "<b>.txt")
    with Study() as study:
        ended(study, "greedy", [100, 130])
        ended(study, "greedy", [100, 130], boards=boards)
        plain, late = gather(study)
        text, whole = markdown(gather(study)), html_of(gather(study))
    assert (plain.boards, late.boards) == (None, boards)
    assert late.entries[0].player == "greedy"  # names differ within a section alone
    assert late.entries[0].fates.starts.tolist() == [22, 22]
    assert ", from boards `<b>.txt`" in text
    assert ", from boards <code>&lt;b&gt;.txt</code></h2>" in whole
    assert "<b>" not in whole
    first, second = module.commands(replace(late, plans=plans(late)))
    assert first == "twofold report study.db --write-boards ."
    assert f"--boards {boards.hash}.txt" in second


def plans(section: module.Section) -> tuple[Wanted, ...]:
    return (Wanted(1, section.entries[0].run.run, "1", 2),)


def test_the_best_player_comes_first_and_rules_have_sections() -> None:
    with Study() as study:
        small(study)
        study.add(add(study, "other", rules="3x3"), row(1, 50, 4))
        first, second = gather(study)
        assert [entry.player for entry in first.entries] == ["strong", "weak"]
        assert [entry.summary.score.value for entry in first.entries] == [250, 200]
        assert (second.rules, [entry.player for entry in second.entries]) == ("3x3", ["other"])
        assert second.plans == ()


def test_runs_of_one_name_are_told_apart() -> None:
    with Study() as study:
        for signature in ("1", "2"):
            study.add(add(study, "same", spec="greedy", signature=signature), row(1, 9, 4))
        (section,) = gather(study)
    assert [entry.player for entry in section.entries] == ["same (run 1)", "same (run 2)"]


def test_pairs_need_common_seeds_and_of_many_players_only_neighbours() -> None:
    with Study() as study:
        for number in range(12):
            run = add(study, f"p{number}")
            for seed in (number // 6, number // 6 + 10, 50 + number):
                study.add(run, row(seed, 100 + number, 4))
        (section,) = gather(study)
        pairs = module.comparisons(section.entries)
        some = module.comparisons(section.entries[3:9])
    names = [entry.player for entry in section.entries]
    assert names == [f"p{number}" for number in range(11, -1, -1)]
    assert [pair.names for pair in pairs] == [
        pair for pair in itertools.pairwise(names) if pair != ("p6", "p5")
    ]
    assert {pair.games for pair in pairs} == {2}
    assert len(some) == 6  # 3 of each half


def test_an_empty_study_is_refused() -> None:
    with Study() as study:
        add(study, "idle")
        with pytest.raises(InvalidInput, match="expected a study with finished games"):
            gather(study)
