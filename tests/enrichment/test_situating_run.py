"""`situating` in a run: nothing asked twice, money counted once, answers kept, no key in any file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import FAST, Line
from enrichment.answers import KEY, PROMPT, answer, made
from helpers import CHUNKS, DOCUMENTS, config, done, session, tiny
from service import Reply, Service

from runner import pipeline
from runner.errors import ComponentError
from runner.verbs.recompute import compare


def _run(service: Service, **changes: Any) -> dict[str, Any]:
    """A run with a price of 2 and 10 for a million tokens."""
    prices = {"price_per_million_prompt_tokens": 2.0, "price_per_million_completion_tokens": 10.0}
    return {"enrichment": made(service, **{**prices, **changes}), "retrieval": "vector"}


def test_books_of_a_run(service: Service, tmp_path: Path) -> None:
    """Six chunks of other words: six answers of 10 and 3 tokens, at 2 and 10 for a million."""
    run = done(tiny(tmp_path / "data"), tmp_path / "out", **_run(service))
    assert len(service.asked) == len(CHUNKS) == 6
    rolled_up = run.meta["enrichment"]
    assert {k: rolled_up[k] for k in ("chunks_enriched", "answers", "answers_new", "deterministic")} == {
        "chunks_enriched": 6, "answers": 6, "answers_new": 6, "deterministic": False,
    }  # fmt: skip
    assert (rolled_up["prompt_tokens"], rolled_up["completion_tokens"]) == (60, 18)
    assert rolled_up["cost"] == rolled_up["cost_billed"] == pytest.approx((60 * 2 + 18 * 10) / 1e6)
    said = run.meta["identities"]["enrichment"]
    assert (said["deterministic"], said["model"], said["prompt"]) == (False, "m-1", PROMPT)
    assert any("documents were sent to 127.0.0.1:" in w for w in run.meta["warnings"])
    key = run.meta["keys"]["enrichment"]
    kept = pl.read_parquet(tmp_path / "out" / "store" / "enrichment" / key / "headers.parquet")
    assert kept["text"][0] == "About plover."
    assert set(kept["model_id"]) == {"m-1-of-today"}


def test_no_price_no_cost(service: Service, tmp_path: Path) -> None:
    run = done(
        tiny(tmp_path / "data"), tmp_path / "out", **_run(service, price_per_million_prompt_tokens=None)
    )
    assert "cost" not in run.meta["enrichment"]


def test_nothing_is_asked_twice(service: Service, tmp_path: Path) -> None:
    """Not for another run, budget or price; of other chunks, some of them the same, for the new."""
    data, outputs = tiny(tmp_path / "data"), tmp_path / "out"
    first = done(data, outputs, **_run(service))
    again = pipeline.run(config(data, **_run(service), top_k=2), session(outputs))
    assert again.counters["tokens_billed"] == 0
    priced = _run(service, price_per_million_prompt_tokens=9.0, requests_at_once=3, timeout=5.0)
    assert pipeline.run(config(data, **priced), session(outputs)).run_key == first.key
    shorter = done(data, outputs, **_run(service, max_header_tokens=1))
    assert shorter.meta["enrichment"]["answers_new"] == 0
    assert shorter.meta["enrichment"]["cost"] == first.meta["enrichment"]["cost"]
    assert shorter.meta["enrichment"]["cost_billed"] == 0
    assert len(service.asked) == 6
    # `trees` has four words: as a document and as a window of four it is the same chunk of the same document.
    wide = done(data, outputs, **_run(service), strategy="document")
    assert wide.meta["enrichment"]["answers_new"] == 2
    assert len(service.asked) == 8


def test_another_prompt_asks_anew(service: Service, tmp_path: Path) -> None:
    data, outputs = tiny(tmp_path / "data"), tmp_path / "out"
    keys = set()
    for changes in (
        {},
        {"prompt": f"Now {PROMPT}"},
        {"max_document_chars": 5},
        {"model": "m-2"},
        {"request": {}},
    ):
        keys.add(done(data, outputs, **_run(service, **changes)).key)
    assert len(keys) == 5
    assert len(service.asked) == 5 * 6


def test_a_run_that_ends_half_way_keeps_what_was_answered(service: Service, tmp_path: Path) -> None:
    data, outputs = tiny(tmp_path / "data"), tmp_path / "out"
    service.replies = [answer({"messages": [{"content": "x"}]})] * 3 + [Reply({"error": "no more"}, 402)]
    with pytest.raises(ComponentError, match="HTTP 402"):
        done(data, outputs, **_run(service))
    assert len(service.asked) == 4
    run = done(data, outputs, **_run(service))
    assert len(service.asked) == 4 + 3
    assert (run.meta["enrichment"]["answers"], run.meta["enrichment"]["answers_new"]) == (6, 3)
    assert run.meta["enrichment"]["cost_billed"] == run.meta["enrichment"]["cost"] / 2


def test_of_requests_in_flight_together_the_good_ones_are_kept(service: Service, tmp_path: Path) -> None:
    bad = DOCUMENTS[1]["text"].split()[3]  # the first chunk of `metals` ends in it

    def reply(body: Any) -> Reply:
        last = body["messages"][0]["content"].split()[-1]
        return Reply({"error": "no"}, 400) if last == bad else answer(body)

    service.otherwise = reply
    data, outputs = tiny(tmp_path / "data"), tmp_path / "out"
    with pytest.raises(ComponentError, match="HTTP 400"):
        done(data, outputs, **_run(service, requests_at_once=6))
    service.otherwise = answer
    assert done(data, outputs, **_run(service)).meta["enrichment"]["answers_new"] == 1


def test_verify_asks_nothing(service: Service, tmp_path: Path) -> None:
    """A service that answers otherwise now: what it said then is an input of the run."""
    run = done(tiny(tmp_path / "data"), tmp_path / "out", **_run(service))
    service.otherwise = lambda body: answer(body, text="Something else.")
    assert all(row["equal"] for row in compare(run))
    assert len(service.asked) == 6


def test_a58_the_key_is_in_no_file(service: Service, tmp_path: Path) -> None:
    done(tiny(tmp_path / "data"), tmp_path / "out", **_run(service))
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert [p for p in files if KEY.encode() in p.read_bytes()] == []


def _words(service: Service) -> list[str]:
    return [
        "enrichment=situating", f"enrichment.base_url={service.url}", "enrichment.model=m-1",
        "retrieval=vector", "enrichment.key_env=TEST_API_KEY",
        "enrichment.price_per_million_prompt_tokens=1.0",
        "enrichment.price_per_million_completion_tokens=1.0",
    ]  # fmt: skip


def test_a_plan_asks_nothing_and_a_run_shows_what_it_cost(service: Service, line: Line) -> None:
    assert line("plan", *FAST, "dataset.path=data", *_words(service)).code == 0
    assert service.asked == []
    assert "78 tokens billed by a service" in line.fast(*_words(service)).out  # 6 · (10 + 3)
    assert len(service.asked) == 6
    assert "cost_billed" in line("show").out
    assert json.loads(line("show", "--json").out)["enrichment"]["cost"] == pytest.approx(78 / 1e6)
