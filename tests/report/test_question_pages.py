"""Pages of questions: trees, contexts and numbers equal the run folder; hostile text is inert."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from report.pages import QUERIES, Parsed, experiment, within_main

from runner.report import question_pages, telling
from runner.report.setups import setups


@pytest.fixture(scope="module")
def pages(home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Parsed]:
    """The pages of `windows`, by question."""
    reports = tmp_path_factory.mktemp("reports")
    found = experiment(home, "windows")
    made = question_pages.panels(found, 30)
    question_pages.write(found, reports, made)
    folder = next(reports.iterdir())
    return {p.query_id: within_main((folder / p.address).read_text("utf-8")) for mine in made for p in mine}


def test_every_question_has_a_page_and_flips_come_first(home: Path, pages: dict[str, Parsed]) -> None:
    assert set(pages) == set(QUERIES)
    mixed = setups(experiment(home, "mixed"))[0]
    chosen = telling.telling(mixed, 30)
    # `sentence` loses gold of q1 at top_k, and the other cells keep it; nobody else differs.
    assert [t.query_id for t in chosen if t.why == "flips"] == ["q1"]
    assert chosen[0].query_id == "q1"
    assert telling.telling(mixed, 2) == chosen[:2]


def test_measures_equal_their_column(home: Path, pages: dict[str, Parsed]) -> None:
    runs = {s.run.key: s.run for s in setups(experiment(home, "windows"))[0]}
    seen = 0
    for query, page in pages.items():
        for a in page.having("data-measure"):
            rows = runs[a["data-run"]].table("measures")
            recorded = rows.filter(query_id=query, measure=a["data-measure"])["value"].item()
            assert float(a["data-value"]) == recorded
            seen += 1
    assert seen == 3 * 3 * 12  # judged questions, cells shown, measures


def test_the_tree_and_the_context_are_the_recorded_ones(home: Path, pages: dict[str, Parsed]) -> None:
    html = pages["q2"].raw
    place = [p.query_id for p in question_pages.panels(experiment(home, "windows"), 30)[0]].index("q2")
    part = html[html.index(f'id="cell-{3 * place + 1}"') :]
    key = part[part.index('data-run="') :].split('"')[1]
    run = next(s.run for s in setups(experiment(home, "windows"))[0] if s.run.key == key)
    assert run.badge.prev + run.badge.following > 0
    page = Parsed(
        part[
            part.index('<section class="block"><h2>Expansion') : part.index('<section class="block"><h2>From')
        ]
    )
    drawn = [a["data-chunk"] for a in page.having("data-chunk")]
    assert (
        drawn == run.table("expansion").filter(query_id="q2").sort("hit_rank", "offset")["chunk_id"].to_list()
    )
    context = run.table("context").filter(query_id="q2").sort("position")
    flat = Parsed(
        part[
            part.index('<ol class="flat">') : part.index('<section class="block"><h2>Candidates')
        ].removesuffix("</section>\n")
    )
    assert [a["data-chunk"] for a in flat.having("data-role")] == context["chunk_id"].to_list()
    running = [int(a["data-value"]) for a in flat.of_class("run")]
    assert running == context["tokens"].cum_sum().to_list()


def test_misses_are_headed_as_bounded(home: Path, pages: dict[str, Parsed]) -> None:
    run = {s.nums[0]: s.run for s in setups(experiment(home, "windows"))[0]}[0]
    window = run.table("candidates").filter(pl.col("query_id") == "q2").height
    assert f"Bounded window, not exhaustive: {window} of 7 chunks." in pages["q2"].text
    assert "inspect query q2 --run" in pages["q2"].text


def test_hostile_text_is_inert(pages: dict[str, Parsed]) -> None:
    for page in pages.values():
        assert "\u202e" not in page.raw
        assert [t for t, a in page.tags if t == "script" and "src" not in a] == []
        assert [
            t for t, a in page.tags if t == "img" or any(n.startswith("on") or n == "style" for n in a)
        ] == []
