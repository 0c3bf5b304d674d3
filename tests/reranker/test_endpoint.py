"""`endpoint`: what is asked of the service, which answers are refused, and no key that is written down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Line
from helpers import choice, config, session, tiny
from service import Reply, Service, serving

from runner import http_json, pipeline
from runner.errors import ComponentError, RequestError
from runner.registry import parse
from runner.reranker.endpoint import Endpoint
from runner.runs import Run

KEY = "sk-very-secret-0123456789"


def _backwards(body: Any) -> Reply:
    """Scores by length of the text, the last document first, as a service that sorts may give them."""
    results = [{"index": i, "relevance_score": len(d) / 100} for i, d in enumerate(body["documents"])]
    return Reply({"id": "x", "results": results[::-1], "meta": {"billed_units": {"search_units": 1}}})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("RUNNER_TEST_API_KEY", KEY)
    monkeypatch.setattr(http_json, "_back_off", lambda tries: 0.0)
    with serving() as found:
        found.otherwise = _backwards
        yield found


def _endpoint(service: Service, **changes: Any) -> Endpoint:
    settings = {"base_url": service.url, "model": "rerank-1", "key_env": "RUNNER_TEST_API_KEY", **changes}
    return Endpoint(**settings)


def _score(chosen: Endpoint, *texts: str) -> list[float]:
    return chosen.load(1, "cpu").score("a query", list(texts)).scores.tolist()


def test_the_form_of_a_request_and_the_order_of_its_scores(service: Service) -> None:
    assert _score(_endpoint(service), "four", "a", "seventy") == [0.04, 0.01, 0.07]
    (asked,) = service.asked
    assert asked.path == "/v1/rerank"
    assert asked.body == {
        "model": "rerank-1", "query": "a query", "documents": ["four", "a", "seventy"], "top_n": 3,
    }  # fmt: skip
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


def test_a_large_pool_is_asked_in_parts(service: Service) -> None:
    texts = ["x" * n for n in range(1, 8)]
    assert _score(_endpoint(service, documents_per_request=3), *texts) == [len(t) / 100 for t in texts]
    assert [len(a.body["documents"]) for a in service.asked] == [3, 3, 1]
    assert [a.body["top_n"] for a in service.asked] == [3, 3, 1]
    assert _score(_endpoint(service)) == []


def _results(*rows: Any) -> Any:
    return {"results": [{"index": i, "relevance_score": s} for i, s in rows]}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (_results((0, 1.0)), r"left out 1 of 2 documents \(document 1 first\)"),
        (_results((0, 1.0), (0, 2.0)), "scored document 0 twice"),
        (_results((0, 1.0), (1, 2.0), (1, 2.0)), "scored document 1 twice"),
        (_results((0, 1.0), (2, 2.0)), "scored document 2, of 0 to 1"),
        (_results((0, 1.0), (-1, 2.0)), "scored document -1, of 0 to 1"),
        (_results((0, 1.0), (True, 2.0)), "scored document True"),
        (_results((0, 1.0), ("1", 2.0)), "scored document '1'"),
        (_results((0, 1.0), (1, None)), "gave document 1 no score, but None"),
        (_results((0, 1.0), (1, "0.5")), "gave document 1 no score"),
        (_results((0, 1.0), (1, True)), "gave document 1 no score"),
        (_results((0, 1.0), (1, 10.0**308 * 10)), "no JSON"),
        ({"results": [[0, 1.0], [1, 2.0]]}, "scored document None"),
        ({"results": {"0": 1.0}}, "no list `results`"),
        ({"data": []}, "no list `results`"),
        ([], "no list `results`"),
        (None, "no list `results`"),
    ],
)
def test_an_answer_that_is_not_whole_is_refused(service: Service, answer: Any, said: str) -> None:
    service.otherwise = lambda body: Reply(answer)
    with pytest.raises(ComponentError, match=said):
        _score(_endpoint(service, retries=1), "one", "two")


def test_trouble_that_passes_is_waited_for(service: Service) -> None:
    service.replies = [Reply({}, 429, {"Retry-After": "0"}), Reply(drop=True), Reply(b"<html>", 503)]
    assert _score(_endpoint(service, retries=3), "four") == [0.04]
    assert len(service.asked) == 4


def test_identity_is_of_what_answers_and_not_of_how_it_is_reached(service: Service) -> None:
    plain = _endpoint(service)
    assert plain.identity()["activation"] == "as served"
    for other in ({"model": "rerank-2"}, {"base_url": "https://other.example.org"}):
        assert _endpoint(service, **other).identity() != plain.identity()
    for same in ({"key_env": None}, {"timeout": 1.0}, {"retries": 0}, {"requests_per_minute": 10.0},
                 {"price_per_1000_searches": 2.0}):  # fmt: skip
        assert _endpoint(service, **same).identity() == plain.identity()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"base_url": "http://api.example.org"}, r"reranker\.base_url: needs https"),
        ({"base_url": f"https://u:{KEY}@api.example.org"}, r"reranker\.base_url: is recorded"),
        ({"base_url": f"https://api.example.org?key={KEY}"}, r"reranker\.base_url: is recorded"),
        ({"key_env": KEY}, r"reranker\.key_env: the NAME of an environment variable"),
        ({"key_env": "AWS_SECRET_ACCESS_KEY"}, r"reranker\.key_env: the name must end in _API_KEY"),
        ({"model": ""}, r"reranker\.model"),
        ({"api_key": "x"}, r"reranker\.api_key: no such option"),
        ({"pool": 0}, r"reranker\.pool"),
    ],
)
def test_a_config_that_would_tell_a_key_is_refused_and_the_key_not_repeated(wrong: Any, said: str) -> None:
    with pytest.raises(RequestError, match=said) as e:
        parse("reranker", {**choice("reranker", "endpoint"), "model": "m", **wrong})
    assert "sk-" not in str(e.value)


def test_a_run_asks_once_and_writes_the_key_nowhere(service: Service, line: Line) -> None:
    chosen = {
        "name": "endpoint",
        "base_url": service.url,
        "model": "m",
        "key_env": "RUNNER_TEST_API_KEY",
        "pool": 4,
    }
    own = session(line.outputs)
    service.replies = [Reply({"message": f"bad key {KEY}"}, 500)]
    outcome = pipeline.run(config(line.at / "data", reranker=chosen), own)
    pipeline.run(config(line.at / "data", reranker=chosen, top_k=2), own)
    run = Run(own.outputs, outcome.run_key)
    pairs = run.table("candidates")["rerank_score"].drop_nulls()
    assert sum(len(a.body["documents"]) for a in service.asked[1:]) == len(pairs) == own.counters.pairs_scored
    assert (
        json.loads((run.path / "run.json").read_text("utf-8"))["config"]["reranker"]["key_env"]
        == "RUNNER_TEST_API_KEY"
    )
    written = [p for p in line.at.rglob("*") if p.is_file()]
    assert len(written) > 10
    assert not [p for p in written if KEY.encode() in p.read_bytes()]


def test_a40_a_service_that_is_down_for_one_query(service: Service, tmp_path: Path) -> None:
    def says(body: Any) -> Reply:
        return Reply({"message": f"key {KEY}"}, 500) if body["query"] == "copper" else _backwards(body)

    service.otherwise = says
    chosen = {"name": "endpoint", "base_url": service.url, "model": "m", "key_env": "RUNNER_TEST_API_KEY",
              "retries": 1}  # fmt: skip
    asked = config(tiny(tmp_path / "data"), reranker=chosen)
    with pytest.raises(ComponentError, match=r"query 'copper': .*failed 2 times, at last: HTTP 500"):
        pipeline.run(asked, session(tmp_path / "out"))
    falls = config(tmp_path / "data", reranker={**chosen, "on_error": "fallback"})
    own = session(tmp_path / "out")
    run = Run(own.outputs, pipeline.run(falls, own).run_key)
    assert run.meta["fallbacks"] == 1
    reasons = dict(run.table("queries").select("query_id", "reasons").iter_rows())
    assert "HTTP 500" in reasons["q2"]
    assert KEY not in reasons["q2"]
