"""What a model did not read: counted for chunks and queries, warned of, or the end of the cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from embedding.spy import Spy
from helpers import QUERIES, config, done, session, tiny

from runner import pipeline
from runner.embedding import stage
from runner.errors import ComponentError
from runner.keyring import keyring
from runner.parts import parts
from runner.store import Store

LONG = {"query_id": "q6", "text": "heron kestrel osprey plover wren finch"}
"""Six words, of which the spy reads five."""
CHOSEN = {"retrieval": "vector", "strategy": "document"}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    Spy.fresh()
    yield
    Spy.fresh()


def test_a18_error_fails_the_cell_and_says_how_many_and_the_first(tmp_path: Path) -> None:
    """The three texts have twelve, eight and four words, the five queries at most four."""
    data = tiny(tmp_path / "data")
    with pytest.raises(ComponentError) as caught:
        done(data, tmp_path / "out", embedding=Spy(on_truncate="error"), **CHOSEN)
    assert str(caught.value).startswith(
        "embedding spy: cannot read all of 2 of 3 chunks, first 'birds#0000' (5 of 12 tokens read). Make"
    )
    assert not (tmp_path / "out" / "runs").is_dir()
    # What was embedded is kept: with smaller chunks, or with `warn`, nothing is embedded twice.
    before = len(Spy.asked)
    done(data, tmp_path / "out", embedding=Spy(), **CHOSEN)
    assert len(Spy.asked) == before
    assert "embedding" in [s for s, _, _ in Store(tmp_path / "out" / "store").artifacts()]


def test_a18_error_is_an_error_after_a_run_that_only_warned(tmp_path: Path) -> None:
    """Policy is in the key of the run: the one recorded with truncated chunks is not the one asked for."""
    data = tiny(tmp_path / "data")
    done(data, tmp_path / "out", embedding=Spy(), **CHOSEN)
    with pytest.raises(ComponentError, match="2 of 3 chunks"):
        done(data, tmp_path / "out", embedding=Spy(on_truncate="error"), **CHOSEN)
    keys = [
        keyring(parts(config(data, embedding=Spy(on_truncate=on), **CHOSEN)), session(tmp_path / "out"))
        for on in ("warn", "error")
    ]
    assert keys[0].model == keys[1].model  # the vectors are the same
    assert keys[0].run != keys[1].run


def test_a18_queries_count_too(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data", queries=[*QUERIES, LONG])
    run = done(data, tmp_path / "out", embedding=Spy(), retrieval="vector")
    (read,) = (s for s in run.meta["stages"] if s["stage"] == "embedding")
    assert (read["truncated"], read["truncated_queries"]) == (0, 1)
    assert "embedding spy did not read the end of 1 of 6 queries" in run.meta["warnings"]
    chosen = config(data, embedding=Spy(on_truncate="error"), retrieval="vector")
    with pytest.raises(ComponentError, match=r"1 of 6 queries, first 'q6' \(5 of 6 tokens read\)"):
        pipeline.run(chosen, session(tmp_path / "out"))


def test_a_run_without_truncation_passes_either_way(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    run = done(data, tmp_path / "out", embedding=Spy(on_truncate="error"), retrieval="vector")
    assert not [w for w in run.meta["warnings"] if "did not read" in w]


def test_prompts_in_effect_are_recorded(tmp_path: Path) -> None:
    """`null` in the config leaves them to the model; the record says what they were."""
    run = done(
        tiny(tmp_path / "data"), tmp_path / "out", embedding=Spy(query_prompt="q: ", document_prompt=None)
    )
    (read,) = (s for s in run.meta["stages"] if s["stage"] == "embedding")
    assert read["prompts"] == {"query": "q: ", "document": ""}


def test_money_is_price_times_tokens() -> None:
    read = {"tokens_distinct": 1_500_000, "tokens_billed": 500_000}
    assert stage.money(read, 0.02) == {"price_per_million_tokens": 0.02, "cost": 0.03, "cost_billed": 0.01}
    assert stage.money(read, None) == {}
