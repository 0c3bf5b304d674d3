"""`endpoint` in a run: no key in any file, money counted once, plans that ask nothing, fixed width."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Line
from embedding.answers import KEY, answer
from helpers import DOCUMENTS, QUERIES, config, done, session, tiny
from service import Reply, Service, serving

from runner import http_json, pipeline
from runner.embedding.endpoint import Endpoint
from runner.errors import RunnerError, StoreError
from runner.runs import Run


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("TEST_API_KEY", KEY)
    monkeypatch.setattr(http_json, "_back_off", lambda tries: 0.0)
    with serving() as found:
        found.otherwise = answer
        yield found


def _chosen(service: Service, **changes: Any) -> dict[str, Any]:
    reach = {"base_url": service.url, "key_env": "TEST_API_KEY", "price_per_million_tokens": 20.0}
    made = Endpoint(model="m-1", **{**reach, **changes})
    return {"embedding": made, "retrieval": "vector", "strategy": "document"}


def _stage(run: Run) -> dict[str, Any]:
    (stage,) = (s for s in run.meta["stages"] if s["stage"] == "embedding")
    found: dict[str, Any] = stage
    return found


def _holds_key(folder: Path) -> list[str]:
    return [str(p) for p in folder.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]


def test_money_is_counted_once(service: Service, tmp_path: Path) -> None:
    """A token for every four letters begun; each distinct text is sent once, whatever is run after it."""
    data, outputs = tiny(tmp_path / "data"), tmp_path / "out"
    tokens = sum(-(-len(d["text"]) // 4) for d in [*DOCUMENTS, *QUERIES])
    first = _stage(done(data, outputs, **_chosen(service)))
    assert first["tokens_billed"] == first["tokens_distinct"] == tokens
    assert first["cost"] == first["cost_billed"] == pytest.approx(tokens * 20 / 1e6)
    sent = len(service.asked)
    again = pipeline.run(config(data, **_chosen(service), top_k=2), session(outputs))
    assert again.counters["tokens_billed"] == 0
    assert len(service.asked) == sent
    second = _stage(Run(outputs, again.run_key))
    assert second["cost"] == first["cost"]


def test_what_the_store_had_is_in_the_cost_and_was_not_charged(service: Service, tmp_path: Path) -> None:
    outputs = tmp_path / "out"
    less = tiny(
        tmp_path / "less",
        documents=DOCUMENTS[:1],
        gold=[{"query_id": "q1", "doc_id": "birds", "quote": "wren"}],
    )
    before = _stage(done(less, outputs, **_chosen(service)))
    after = _stage(done(tiny(tmp_path / "more"), outputs, **_chosen(service)))
    added = sum(-(-len(d["text"]) // 4) for d in DOCUMENTS[1:])
    assert after["tokens_billed"] == added
    assert after["tokens_distinct"] == before["tokens_distinct"] + added


def test_price_is_in_no_key_and_no_price_is_no_money(service: Service, tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    free = done(data, tmp_path / "out", **_chosen(service, price_per_million_tokens=None))
    assert "cost" not in _stage(free)
    outcome = pipeline.run(config(data, **_chosen(service, batch=2)), session(tmp_path / "out"))
    assert outcome.found
    assert outcome.run_key == free.key


def test_where_texts_went_is_said(service: Service, tmp_path: Path) -> None:
    run = done(tiny(tmp_path / "data"), tmp_path / "out", **_chosen(service))
    assert any("texts were sent to 127.0.0.1:" in w for w in run.meta["warnings"])


def test_a58_the_key_is_in_no_file_of_a_run(service: Service, tmp_path: Path) -> None:
    done(tiny(tmp_path / "data"), tmp_path / "out", **_chosen(service))
    assert service.asked[0].headers["Authorization"].endswith(KEY)
    assert _holds_key(tmp_path) == []


def test_a58_the_key_is_in_no_file_of_a_failure(service: Service, line: Line) -> None:
    """The service throws the key back in its answer; a cell that fails leaves its traceback in a file."""
    service.otherwise = lambda body: Reply({"error": {"message": f"bad key {KEY}"}}, 401, {"X-Key": KEY})
    said = line(
        "embedding=endpoint", f"embedding.base_url={service.url}", "embedding.model=m-1", "retrieval=vector",
        "embedding.key_env=TEST_API_KEY", "tokenizer=words", "tracking=off", "dataset=native",
        "dataset.path=data",
    )  # fmt: skip
    assert said.code == 1, said
    assert "TEST_API_KEY" in said.out + said.err
    assert KEY not in said.out + said.err
    assert list(line.at.rglob("traceback.txt"))
    assert _holds_key(line.at) == []


def test_a58_the_key_is_in_no_error(service: Service, tmp_path: Path) -> None:
    service.otherwise = lambda body: Reply(f"<p>{KEY}".encode(), 400)
    with pytest.raises(RunnerError) as caught:
        done(tiny(tmp_path / "data"), tmp_path / "out", **_chosen(service))
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_plan_asks_nothing_of_a_service(service: Service, line: Line) -> None:
    said = line(
        "plan", "embedding=endpoint", f"embedding.base_url={service.url}", "embedding.model=m-1",
        "embedding.key_env=TEST_API_KEY", "tokenizer=words", "tracking=off", "dataset=native",
        "dataset.path=data",
    )  # fmt: skip
    assert said.code == 0, said
    assert "8 due" in said.out
    assert service.asked == []


def test_another_width_under_the_same_name_is_refused(service: Service, tmp_path: Path) -> None:
    done(tiny(tmp_path / "data"), tmp_path / "out", **_chosen(service))
    service.otherwise = lambda body: answer(
        body, data=[{"index": i, "embedding": [1, 2, 3]} for i in range(len(body["input"]))]
    )
    other = [{"doc_id": "d", "text": "quite another text"}]
    gold = [{"query_id": "q1", "doc_id": "d", "quote": "another"}]
    data = tiny(tmp_path / "other", documents=other, gold=gold)
    with pytest.raises(StoreError, match="holds vectors of 2 dimensions of this model, which now gave 3"):
        done(data, tmp_path / "out", **_chosen(service))
