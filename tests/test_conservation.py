"""Conservation: a lawful trace passes; each law, broken once, is caught and named."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from runner import conservation, expansion, order, selection
from runner.conservation import ConservationError
from runner.fusion import stage as fusion_stage
from runner.fusion.rrf import RRF

Frame = pl.DataFrame


def _hits(rows: list[tuple[int, int, float, int]]) -> Frame:
    schema = {"query": pl.Int64, "chunk": pl.Int64, "score": pl.Float64, "rank": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


LEGS = {
    "b": _hits([(0, 1, 7.0, 1), (0, 2, 3.0, 2), (2, 0, 1.0, 1)]),
    "v": _hits([(0, 2, 0.9, 1), (0, 3, 0.8, 2), (0, 1, 0.1, 3), (2, 4, 0.5, 1), (2, 0, 0.4, 2)]),
}
"""Query 1 found nothing."""
CHUNKS = pl.DataFrame({"doc_id": ["x"] * 5, "tokens": [1] * 5})


def _window() -> Frame:
    named = [h.rename({"score": f"{n}_score", "rank": f"{n}_rank"}) for n, h in LEGS.items()]
    return selection.opened(named[0].join(named[1], on=["query", "chunk"], how="full", coalesce=True))


def _lawful() -> Frame:
    fused = fusion_stage.fuse(_window(), RRF(), {"b": False, "v": True}, set())
    return selection.cut(fused, "fused_score", "fused_rank", 2)


def _put(
    column: str, value: object, *, where: str = "final_rank", is_: int | None = 1
) -> Callable[[Frame], Frame]:
    """Put `value` into `column` of the rows of query 0 whose `where` is `is_`."""

    def change(frame: Frame) -> Frame:
        here = (pl.col("query") == 0) & pl.col(where).eq_missing(is_)
        assert frame.filter(here).height
        return frame.with_columns(pl.when(here).then(pl.lit(value)).otherwise(pl.col(column)).alias(column))

    return change


def test_a_lawful_trace_passes() -> None:
    conservation.candidates(_lawful(), LEGS)
    conservation.candidates(_lawful().sample(fraction=1, shuffle=True, seed=3), LEGS)
    conservation.candidates(_lawful().head(0), {n: h.head(0) for n, h in LEGS.items()})


@pytest.mark.parametrize(
    ("law", "change"),
    [
        ("a candidate appears twice", lambda f: pl.concat([f, f.head(1)])),
        ("b found 3 hits, 2 are candidates", lambda f: f.filter(pl.col("b_rank").ne_missing(2))),
        ("v found 5 hits, 4 are candidates", _put("v_rank", None, where="v_rank", is_=3)),
        ("b found 3 hits, 4 are candidates", _put("b_rank", 3, where="b_rank", is_=None)),
        ("scores or ranks of v were changed", _put("v_score", 0.91, where="v_rank", is_=1)),
        ("scores or ranks of b were changed", _put("b_rank", 3, where="b_rank", is_=2)),
        ("scores or ranks of b were changed", lambda f: f.with_columns(chunk=pl.col("chunk") + 1)),
        ("neither or both of a final rank and a drop", _put("drop_stage", "cut")),
        ("neither or both of a final rank and a drop", _put("final_rank", None, is_=2)),
        ("final_rank is not 1…n", _put("final_rank", 2, is_=1)),
        ("final_rank is not 1…n", _put("final_rank", 0, is_=1)),
        ("final_rank is not 1…n", _put("final_rank", 3, is_=2)),
        ("fused_rank is not 1…n", _put("fused_rank", 4, where="fused_rank", is_=3)),
        ("fused_rank is not 1…n", _put("fused_rank", None, where="fused_rank", is_=1)),
        ("rerank_rank is not 1…n", lambda f: f.with_columns(rerank_rank=pl.col("fused_rank") + 1)),
        ("no leg found", lambda f: pl.concat([f, _invented(f)])),
        ("says it is", _put("fate", "dropped")),
        ("says it is", _put("fate", "hit", is_=None)),
    ],
)
def test_a_broken_law_of_candidates_is_caught(law: str, change: Callable[[Frame], Frame]) -> None:
    with pytest.raises(ConservationError, match=law):
        conservation.candidates(change(_lawful()), LEGS)


def _invented(frame: Frame) -> Frame:
    """A row that no leg found, marked as dropped."""
    empty = pl.DataFrame({c: [None] for c in frame.columns}, schema=frame.schema)
    return empty.with_columns(
        query=pl.lit(1, pl.Int64), chunk=pl.lit(0, pl.Int64), drop_stage=pl.lit("cut"), fate=pl.lit("dropped")
    )


def test_what_earlier_stages_recorded_is_untouched() -> None:
    before = fusion_stage.fuse(_window(), RRF(), {"b": False, "v": True}, set())
    after = selection.cut(before, "fused_score", "fused_rank", 2)
    conservation.untouched(before, after)
    conservation.untouched(before, after.sample(fraction=1, shuffle=True, seed=3))
    for column, changed in (("fused_score", 0.5), ("fused_rank", 9), ("v_norm", None), ("chunk", 7)):
        broken = _put(column, changed, where="fused_rank", is_=1)(after)
        with pytest.raises(ConservationError, match=f"a later stage changed .*{column}"):
            conservation.untouched(before, broken)
    with pytest.raises(ConservationError, match="a later stage lost v_score"):
        conservation.untouched(before, after.drop("v_score"))
    with pytest.raises(ConservationError, match="a later stage changed"):
        conservation.untouched(before, after.tail(-1))


def _expanded() -> tuple[Frame, Frame, Frame]:
    ranking = order.ranking(_lawful())
    windows = expansion.windows(ranking, CHUNKS, 1, 1)
    return windows, expansion.context(windows, CHUNKS), ranking.frame


def test_a_lawful_context_passes() -> None:
    conservation.contexts(*_expanded())
    conservation.contexts(*(f.head(0) for f in _expanded()))


def test_a_broken_law_of_contexts_is_caught() -> None:
    windows, context, hits = _expanded()
    union = "the context is not the union of the windows"
    for broken in (
        context.tail(-1),
        pl.concat([context, context.head(1)]),
        context.with_columns(chunk=pl.lit(0)),
    ):
        with pytest.raises(ConservationError, match=union):
            conservation.contexts(windows, broken, hits)
    with pytest.raises(ConservationError, match=union):
        conservation.contexts(windows.filter(pl.col("chunk") != context["chunk"][0]), context, hits)
    for role in ("hit", "neighbor"):
        with pytest.raises(ConservationError, match="the hits of the context are not"):
            conservation.contexts(windows, context.with_columns(role=pl.lit(role)), hits)
    with pytest.raises(ConservationError, match="the hits of the context are not"):
        conservation.contexts(windows, context, hits.tail(-1))


def test_stages_balance() -> None:
    good = {"stage": "cut", "rows_in": 5, "rows_out": 3, "dropped": 2}
    conservation.stages([good, {"stage": "expansion", "rows_out": 9}])
    with pytest.raises(ConservationError, match="stage cut: 5 in, 3 out, 1 dropped"):
        conservation.stages([good, {**good, "dropped": 1}])
