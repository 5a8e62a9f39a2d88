"""The tables as Markdown."""

import re

from tests.arena.reports.studies import RULES, add, ended, row, small
from twofold.arena.page import html as html_of
from twofold.arena.report import gather
from twofold.arena.study import Study
from twofold.arena.tables import markdown, plain
from twofold.game.notation import SeedRange


def test_where_games_end() -> None:
    with Study() as study:
        ended(study, "known|`a`", [100, 130, 260, 400])
        ended(study, "other", [130])
        text = markdown(gather(study))
        (section,) = gather(study)
        whole = html_of(gather(study))
    assert "Where games ended: for each band of tile sums" in text
    assert "| `` known\\|`a` `` | 100 to 120 | 4 | 1 | 25.0 | 4.6 to 69.9 | 75.0 |" in text
    assert "| `other` | 120 to 140 | 1 | 1 | 100.0 | 20.7 to 100.0 | 0.0 |" in text
    assert [len(entry.fates) for entry in section.entries] == [4, 1]
    assert "<h3>Where they end</h3>" in whole
    assert "<details open><summary>Where they end, by tile sum</summary>" in whole
    assert 'alt="Where games ended, by tile sum"' in whole


def test_markdown_has_exact_figures() -> None:
    with Study() as study:
        small(study)
        lines = markdown(gather(study)).splitlines()
    assert lines[:6] == [
        f"## Rules `{RULES}`",
        "",
        "| player | games | mean score | 95 % interval | median | best | moves/s | time a move |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        # 250 +- 3.182 * 129.1 / 2
        "| `strong` | 4 | 250 | 44.6 to 455 | 250 | 400 | 100,000 | 10 µs |",
        "| `weak` | 4 | 200 | 200 to 200 | 200 | 200 | 1,000 | 1 ms |",
    ]
    assert "| reached, % of games | 16 | 32 | 64 | 128 |" in lines
    assert "| `strong` | 100 (51–100) | 75 (30–95) | 50 (15–85) | 25 (5–70) |" in lines
    assert "| `weak` | 100 (51–100) | 100 (51–100) | 0 (0–49) | 0 (0–49) |" in lines
    assert "| `strong` | `weak` | 4 | 50 | −155 to 255 | 25 | 2, 1, 1 | 0.495 | 0.495 |" in lines
    assert f"    twofold bench strong weak --games 4 --seed {2**64 - 1} --rules '{RULES}' --out again.db" in lines  # noqa: E501  # fmt: skip
    assert "Machine of `strong`, `weak`: `cores 2`" in lines


def test_many_comparisons_are_noted_in_every_form_and_their_p_values_corrected() -> None:
    with Study() as study:
        small(study)
        study.add(weaker := add(study, "weaker"), row(0, 90, 4))
        study.add(weaker, row(1, 110, 4))
        terminal, page = plain(gather(study)), html_of(gather(study))
        forms = (" ".join(terminal.split()), markdown(gather(study)), page)
    note = (
        "The intervals are not corrected for multiple comparisons: one of 20 is expected to miss."
    )
    assert [form.count(note) for form in forms] == [1, 1, 1]
    rows = [line.split()[-2:] for line in terminal.splitlines() if re.search(r"  \S+ to ", line)]
    # the smallest of three p values times 3, the next times 2
    assert rows == [["0.495", "0.859"], ["0.430", "0.859"], ["0.063", "0.190"]]


def test_missing_games_are_reported() -> None:
    with Study() as study:
        run = add(study, "broken", reproducible=False)
        study.want(run, SeedRange(1, 10))
        study.want(run, SeedRange(5, 10))
        study.add(run, row(1, 5, 4))
        study.fail(run, 2, "it broke")
        study.want(dead := add(study, "dead"), SeedRange(7, 3))
        study.fail(dead, 7, "at once")
        study.want(add(study, "idle", rules="3x3"), SeedRange(1, 2))
        text, terminal = markdown(gather(study)), plain(gather(study))
    assert "\n16 games still to play: " in terminal
    assert "\nrules 3x3\n2 games still to play: " in terminal
    assert "\nno finished game: dead\n" in terminal
    for line in (
        "broken: 1 game failed, not counted; seed 2: it broke",
        "dead: 1 game failed, not counted; seed 7: at once",
        "games asked for that are not finished: broken (13), dead (3)",
        "not reproducible: under a time budget, or by a player that makes other moves each time: "
        "broken",
        "no finished game: dead",
    ):
        assert f"- `{line}`" in text


def test_the_spread_of_the_time_of_moves_is_shown_where_it_is_known() -> None:
    with Study() as study:
        small(study)
        assert "99 %" not in markdown(gather(study))
        timed = add(study, "timed")
        study.add(timed, row(0, 10, 4, move_seconds=(0.001, 0.0205)))
        text = markdown(gather(study))
        assert "median, 99 %" in text
        assert "1 ms, 20.5 ms" in text
        assert "those of the median game." in html_of(gather(study))
