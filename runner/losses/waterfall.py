"""Where the gold of a run was lost, from what it recorded: the waterfall, and the items of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Annotated, Any

import polars as pl
from pydantic import Field, TypeAdapter

from runner.errors import RequestError
from runner.fates import FOUND, STAGES
from runner.loss_records import Ceiling, Depth, GoldItem, LostQuestion, StageLoss, WhyQuery, WhyRun
from runner.losses.said import sentence
from runner.runs import Run

WORST = 3
"""Questions shown of each stage."""
Row = Mapping[str, Any]
Depths = Mapping[tuple[str, str, int | None, int | None], tuple[Depth, ...]]
"""Deeper looks, by query, document, start and end of an item."""


class Losses:
    """What a run recorded of its gold."""

    def __init__(self, run: Run, deeper: Depths | None = None) -> None:
        """`deeper`: looks that were taken now, for some of its items.

        Raises:
            RequestError: the run is older than attribution.
        """
        self.run = run
        self._deeper = deeper or {}
        if "attribution" not in run.meta:
            raise RequestError(
                f"run {run.short} was recorded before a run said where its gold was lost; move its folder "
                "away and run its config again"
            )
        self.table = run.table("attribution")
        self._asked = dict(run.table("queries").select("query_id", "text").iter_rows())

    def waterfall(self) -> WhyRun:
        """All stages of the run, in order."""
        said = self.run.meta["attribution"]
        n, left = said["n"], said["n"]
        stages = []
        for stage in STAGES:
            items = said["stages"][stage]
            left -= 0 if stage in FOUND else items
            mine = self.table.filter(stage=stage)
            stages.append(
                StageLoss(
                    stage=stage,
                    items=items,
                    share=_share(items, n),
                    left=_share(left, n),
                    questions=mine["query_id"].n_unique(),
                    worst=() if stage in FOUND else tuple(self._worst(mine)),
                )
            )
        ceilings = (Ceiling(name, items, _share(items, n)) for name, items in said["ceilings"].items())
        return WhyRun(
            run=self.run.key,
            data_set=self.run.config["dataset"]["name"],
            n=n,
            questions=self.table["query_id"].n_unique(),
            stages=tuple(stages),
            ceilings=tuple(ceilings),
        )

    def question(self, query_id: str) -> WhyQuery:
        """The gold of one question."""
        rows = self.table.filter(query_id=query_id).to_dicts()
        texts = self._texts(rows)
        items = tuple(self._item(row, texts) for row in rows)
        return WhyQuery(self.run.key, query_id, self._asked[query_id], items)

    def _worst(self, lost: pl.DataFrame) -> Iterator[LostQuestion]:
        """The questions that lost most of their gold here; among equals those furthest from keeping it."""
        n_gold = self.table.group_by("query_id").agg(n_gold=pl.len())
        cut = pl.when(pl.col("stage") == "split_by_chunking").then(1 - pl.col("held"))
        far = cut.otherwise((pl.col("drop_value") - pl.col("drop_limit")).abs().fill_null(0.0))
        by_question = (
            lost.with_row_index("row")
            .with_columns(far.alias("far"))
            .sort("far", descending=True, maintain_order=True)
            .group_by("query_id", maintain_order=True)
            .agg(pl.len().alias("lost"), pl.col("far").first(), pl.col("row").first())
            .join(n_gold, on="query_id")
            .sort(pl.col("lost") / pl.col("n_gold"), "far", "row", descending=[True, True, False])
            .head(WORST)
        )
        rows = lost[by_question["row"].to_list()].to_dicts()
        texts = self._texts(rows)
        for asked, row in zip(by_question.iter_rows(named=True), rows, strict=True):
            query_id = asked["query_id"]
            item = self._item(row, texts)
            yield LostQuestion(query_id, self._asked[query_id], asked["lost"], asked["n_gold"], item)

    def _texts(self, rows: Sequence[Row]) -> dict[str, str]:
        wanted = pl.col("doc_id").is_in(list({r["doc_id"] for r in rows}))
        return dict(self._documents.filter(wanted).iter_rows())

    @cached_property
    def _documents(self) -> pl.DataFrame:
        return self.run.corpus("documents").select("doc_id", "text")

    def _item(self, row: Row, texts: Mapping[str, str]) -> GoldItem:
        legs = {leg: row[f"{leg}_rank"] for leg in self.run.legs}
        deeper = self._deeper.get((row["query_id"], row["doc_id"], row["start"], row["end"]), ())
        return GoldItem(
            **{f: row[f] for f in ("doc_id", "start", "end", "grade", "stage")},
            quote=texts.get(row["doc_id"], "")[slice(row["start"], row["end"])],
            says=sentence(row, legs, self.run.config, self.run.meta["expansion"]),
            reason=row["drop_reason"],
            value=row["drop_value"],
            limit=row["drop_limit"],
            **{f: row[f] for f in ("held", "covered", "covered_expanded", "chunk_id")},
            legs=legs,
            **{f: row[f] for f in ("fused_rank", "final_rank")},
            rerank_rank=row.get("rerank_rank"),
            deeper=deeper,
        )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@cache
def adapter() -> TypeAdapter[WhyRun | WhyQuery]:
    """Both views, told apart by `view`."""
    return TypeAdapter(Annotated[WhyRun | WhyQuery, Field(discriminator="view")])


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what `why --json` says."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "runner why --json"}
    return head | adapter().json_schema(mode="serialization")
