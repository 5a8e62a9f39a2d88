"""Reports: exact tables, pages that are equal for equal games, hostile names made harmless."""

import html
import itertools
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from twofold.arena.boards import parse_boards
from twofold.arena.games import GameRow
from twofold.arena.reports import report as module
from twofold.arena.reports.page import page
from twofold.arena.reports.report import gather, markdown, tdl_table, write_html
from twofold.arena.studies.study import Study, Wanted
from twofold.errors import InvalidInput, MissingExtra

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=64 stop=never"
HOSTILE = ["<script>alert(1)</script>", "$x^2$ \\frac|`a`", ']]>--><b>"&', "a\x1b[2J\x00\n\u202e"]


def row(seed: int, score: int, exponent: int, seconds: float = 0.001) -> GameRow:
    reached = tuple(range(0, 4 * exponent + 1, 4))
    return GameRow("", seed, score, 100, 1 << exponent, reached, seconds)


def add(study: Study, name: str, rules: str = RULES, spec: str = "", **more: Any) -> int:
    about = {"signature": "1", "twofold": "0.1", "machine": {"cores": 2}, "reproducible": True}
    spec = spec or f"greedy:k={len(study.runs())}"
    return study.add_run(spec, name, rules, **(about | more))  # type: ignore[arg-type]


def small(study: Study) -> None:
    """Two players: scores 100, 200, 300 and 400 against 200 each; the last seed is beyond 2^63."""
    strong, weak = add(study, "strong"), add(study, "weak")
    for place, seed in enumerate((0, 1, 2, 2**64 - 1)):
        study.add(strong, row(seed, 100 * (place + 1), 4 + place))
        study.add(weak, row(seed, 200, 5, seconds=0.1))
    for run in (strong, weak):
        study.want(run, 2**64 - 1, 4)


# ---- tables


def ended(study: Study, name: str, sums: list[int | None], **more: Any) -> None:
    run = add(study, name, **more)
    for seed, total in enumerate(sums, 1):
        study.add(run, replace(row(seed, 100 * seed, 5), tile_sum=total))


def test_where_games_end() -> None:
    with Study() as study:
        ended(study, "known|`a`", [100, 130, 260, 400])
        ended(study, "partly", [130, None])
        text = markdown(study)
        (section,) = gather(study)
        whole = page(gather(study))
    assert "Where games ended: of those that came to a band of tile sums" in text
    assert "| `` known\\|`a` `` | 100 to 120 | 4 | 1 | 25.0 | 4.6 to 69.9 | 75.0 |" in text
    assert "| `partly` | 120 to 140 | 1 | 1 | 100.0 | 20.7 to 100.0 | 0.0 |" in text
    assert "tile sums of some games are not known (an older twofold): partly" in text
    assert [len(entry.fates) for entry in section.entries] == [4, 1]
    assert "<h3>Where they end</h3>" in whole
    assert "<details open><summary>Where they end, by tile sum</summary>" in whole
    assert "survival-1-" in whole


def test_nothing_is_said_of_ends_that_are_not_known() -> None:
    with Study() as study:
        small(study)
        assert "Where games ended" not in markdown(study)
        assert "Where they end" not in page(gather(study))


def test_games_from_boards_have_a_section() -> None:
    boards = parse_boards("3210/2100/1000/0000", "<b>.txt")
    with Study() as study:
        ended(study, "greedy", [100, 130])
        ended(study, "greedy", [100, 130], boards=boards)
        plain, late = gather(study)
        text, whole = markdown(study), page([plain, late])
    assert (plain.boards, late.boards) == (None, boards)
    assert late.entries[0].label == "greedy"  # names differ within a section alone
    assert late.entries[0].fates.starts.tolist() == [22, 22]
    assert ", from boards `<b>.txt`" in text
    assert ", from boards <code>&lt;b&gt;.txt</code></h2>" in whole
    assert "<b>" not in whole
    first, second = module.commands(replace(late, plans=plans(late)))
    assert first == "twofold report study.db --write-boards ."
    assert f"--boards {boards.hash}.txt" in second


def plans(section: module.Section) -> tuple[Wanted, ...]:
    return (Wanted(section.entries[0].run.run, 1, 2),)


def test_every_game_of_a_run_is_found() -> None:
    with Study() as study:
        small(study)
        add(study, "empty")
        assert study.all_games(1).seeds.tolist() == [0, 1, 2, 2**64 - 1]
        assert study.all_games(1).scores.tolist() == [100, 200, 300, 400]
        assert study.all_games(1).reached[3, :9].tolist() == [
            0, 4, 8, 12, 16, 20, 24, 28, -1,
        ]  # fmt: skip
        assert len(study.all_games(3)) == 0


def test_the_best_player_comes_first_and_rules_have_sections() -> None:
    with Study() as study:
        small(study)
        study.add(add(study, "other", rules="3x3"), row(1, 50, 4))
        first, second = gather(study)
        assert [entry.label for entry in first.entries] == ["strong", "weak"]
        assert [entry.summary.score.value for entry in first.entries] == [250, 200]
        assert (second.rules, [entry.label for entry in second.entries]) == ("3x3", ["other"])
        assert second.plans == ()


def test_markdown_has_exact_figures() -> None:
    with Study() as study:
        small(study)
        lines = markdown(study).splitlines()
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
    assert "| `strong` | `weak` | 4 | 50 | −155 to 255 | 25 | 2, 1, 1 | 0.495 |" in lines
    assert f"    twofold bench strong weak --games 4 --seed {2**64 - 1} --rules '{RULES}' --out study.db" in lines  # noqa: E501  # fmt: skip
    assert "Machine of `strong`, `weak`: `cores 2`" in lines


def test_a_table_in_the_style_of_tdl2048() -> None:
    with Study() as study:
        small(study)
        blocks = tdl_table(study).split("\n\n")
    assert blocks[0].splitlines() == [
        f"strong, 4 games, rules {RULES}",
        "summary 4ms 100000.00ops",
        "total:  avg=250 max=400 tile=128 win=50.00%",
        "tile     count   score    move     rate      win",
        "16           1     100     100   25.00%  100.00%",
        "32           1     200     100   25.00%   75.00%",
        "64           1     300     100   25.00%   50.00%",
        "128          1     400     100   25.00%   25.00%",
    ]
    assert len(blocks) == 2


def test_what_is_not_there_is_said() -> None:
    with Study() as study:
        run = add(study, "broken", reproducible=False)
        study.want(run, 1, 10)
        study.add(run, row(1, 5, 4))
        study.fail(run, 2, "it broke")
        study.fail(add(study, "dead"), 7, "at once")
        text = markdown(study)
    for line in (
        "broken: 1 game failed and not counted; seed 2: it broke",
        "dead: 1 game failed and not counted; seed 7: at once",
        "games asked for that are not finished: broken (9)",
        "played under a time budget, so that games differ each time: broken",
        "no finished game: dead",
    ):
        assert f"- `{line}`" in text


def test_runs_of_one_name_are_told_apart() -> None:
    with Study() as study:
        for signature in ("1", "2"):
            study.add(add(study, "same", spec="greedy", signature=signature), row(1, 9, 4))
        (section,) = gather(study)
    assert [entry.label for entry in section.entries] == ["same (run 1)", "same (run 2)"]


def test_pairs_need_common_seeds_and_of_many_players_only_neighbours() -> None:
    with Study() as study:
        for number in range(12):
            run = add(study, f"p{number}")
            for seed in (number // 6, number // 6 + 10, 50 + number):
                study.add(run, row(seed, 100 + number, 4))
        (section,) = gather(study)
        pairs = module.comparisons(section.entries)
        some = module.comparisons(section.entries[3:9])
    names = [entry.label for entry in section.entries]
    assert names == [f"p{number}" for number in range(11, -1, -1)]
    assert [pair.names for pair in pairs] == [
        pair for pair in itertools.pairwise(names) if pair != ("p6", "p5")
    ]
    assert {pair.games for pair in pairs} == {2}
    assert len(some) == 6  # 3 of each half


def test_an_empty_study_is_refused(tmp_path: Path) -> None:
    with Study() as study:
        add(study, "idle")
        for make in (markdown, tdl_table, lambda one: write_html(one, tmp_path / "o.html")):
            with pytest.raises(InvalidInput, match="expected a study with finished games"):
                make(study)
    assert not list(tmp_path.iterdir())


# ---- the page


def page_of(study: Study, folder: Path) -> str:
    write_html(study, folder / "out.html")
    return (folder / "out.html").read_text(encoding="utf-8")


def plots_of(page: str) -> list[str]:
    return re.findall(r'<svg class="plot".*?</svg>', page, re.DOTALL)


class Reader(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of players with bad names, under two rules, with a time of a move too."""
    rng = np.random.default_rng(1)
    with Study() as study:
        for number, name in enumerate([*HOSTILE, '#0072b2 id="x"', "日本🙂", "x" * 900]):
            run = add(study, name, twofold=name, machine={name: name}, spec=f"greedy:k={number}")
            study.want(run, 1, 3)
            study.fail(run, 99, name)
            for seed, exponent in enumerate(rng.integers(4, 15, 20).tolist()):
                study.add(run, row(seed, 2**exponent * exponent, exponent))
        study.add(add(study, HOSTILE[0], rules="3x3"), row(1, 0, 1, seconds=0.0))
        return page_of(study, tmp_path_factory.mktemp("hostile"))


def test_hostile_names_are_text(hostile: str) -> None:
    found = Reader(hostile)
    assert not {"script", "b", "img", "iframe", "object", "link"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    for text in (HOSTILE[0], HOSTILE[1], HOSTILE[2], r"a\x1b[2J\x00\n\u202e"):
        assert found.text.count(text) >= 5
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", hostile)
    assert html.escape(HOSTILE[2]) in hostile


def test_names_in_plots_are_no_mathematics(hostile: str) -> None:
    plots = plots_of(hostile)
    assert len(plots) == 4  # under 3x3 one game alone, which reached nothing in no time
    assert any("$x^2$ \\frac|`a`" in html.unescape(plot) for plot in plots)
    assert any('#0072b2 id="x"' in html.unescape(plot) for plot in plots)
    assert any("x" * 25 + "…" in plot for plot in plots)
    assert not re.search("x{26}", "".join(plots))


def test_the_page_loads_nothing(hostile: str) -> None:
    found = Reader(hostile)
    loading = {"src", "srcset", "data", "action", "poster", "background"}
    assert not loading & {name for name, _ in found.attributes}
    links = [value for name, value in found.attributes if name.endswith("href")]
    assert links
    assert all(link.startswith("#") for link in links)
    addresses = re.findall(r"\w+=\"https?://[^\"]*|https?://", hostile)
    assert set(addresses) == {'xlink="http://www.w3.org/1999/xlink'}  # a name, never loaded
    assert "@import" not in hostile
    assert re.findall(r"url\((?!#)", hostile) == []
    assert "default-src 'none'" in hostile


def test_ids_are_unique_and_all_that_is_referred_to_is_there(hostile: str) -> None:
    ids = re.findall(r'<[^>]*\bid="([^"]+)"', hostile)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', hostile)) <= {
        pair for one in ids for pair in ((one, ""), ("", one))
    }


def test_colours_come_from_the_page(hostile: str) -> None:
    plots = re.sub(r">[^<]*<", "><", "".join(plots_of(hostile)))  # without its text
    assert set(re.findall(r"#[0-9a-f]{6}\b", plots)) <= {"#ffffff"}
    assert "var(--ink)" in plots
    assert "prefers-color-scheme: dark" in hostile
    assert "@media print" in hostile
    used = set(re.findall(r"var\((--[\w-]+)\)", hostile))
    assert used <= set(re.findall(r"(--[\w-]+):", hostile))


def test_rules_without_a_finished_game_have_a_section(tmp_path: Path) -> None:
    with Study() as study:
        small(study)
        study.fail(add(study, "dead", rules="3x3"), 7, "at once")
        text = Reader(page_of(study, tmp_path)).text
    assert "dead: 1 game failed and not counted; seed 7: at once" in text.partition("Rules 3x3")[2]


def test_equal_games_give_equal_bytes(tmp_path: Path) -> None:
    import matplotlib

    pages = []
    for text in (10.0, 30.0):  # what somebody has set elsewhere changes nothing
        with Study() as study, matplotlib.rc_context({"font.size": text, "axes.grid": False}):
            small(study)
            study._connection.execute("UPDATE run SET created = '2026-01-02T03:04:05+00:00'")
            pages.append(page_of(study, tmp_path))
            assert matplotlib.rcParams["font.size"] == text
    assert pages[0] == pages[1]
    assert "dc:date" not in pages[0]


def test_a_page_shows_the_exact_figures(tmp_path: Path) -> None:
    with Study() as study:
        small(study)
        text = Reader(page_of(study, tmp_path)).text
    assert "2048: 2 runs, 8 games" in text
    for words in ("44.6 to 455", "−155 to 255", "0.495", "10 µs", "--rules", "cores"):
        assert words in text


@pytest.mark.parametrize("scores", [[100], [0, 0], [5, 5, 5], [1, 10**9], list(range(1, 3000))])
def test_any_scores_can_be_drawn(scores: list[int], tmp_path: Path) -> None:
    with Study() as study:
        for name in ("a", "b"):
            run = add(study, name)
            for seed, score in enumerate(scores):
                study.add(run, row(seed, score * (1 + 40 * (name == "a")), 4 + seed % 3))
        assert "How far" in page_of(study, tmp_path) or len(scores) == 1


def test_styles_of_neighbours_differ_in_everything() -> None:
    from twofold.arena.reports.plots import Style

    styles = [Style.of(number) for number in range(84)]
    assert len(set(styles)) == 84
    for one, two in itertools.pairwise(styles):
        assert one.colour != two.colour
        assert one.dashes != two.dashes
        assert one.marker != two.marker


def test_without_the_extra_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with Study() as study:
        small(study)
        with pytest.raises(MissingExtra, match=r"pip install 'twofold\[report\]'"):
            write_html(study, tmp_path / "out.html")
        assert markdown(study)
    assert not list(tmp_path.iterdir())


def test_the_spread_of_the_time_of_moves_is_shown_where_it_is_known(tmp_path: Path) -> None:
    with Study() as study:
        small(study)
        assert "99 %" not in markdown(study)
        timed = add(study, "timed")
        study.add(timed, replace(row(0, 10, 4), move_seconds=(0.001, 0.0205)))
        text = markdown(study)
        assert "median, 99 %" in text
        assert "1 ms, 20.5 ms" in text
        assert "those of the median game." in page_of(study, tmp_path)
