"""Splits: every question in one half, strata even, fewer questions among more, never by accident."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import helpers
import pytest

from runner.errors import RequestError
from runner.keyring import corpus_meta, keyring
from runner.parts import parts
from runner.splits import drawn


def strata(**sizes: int) -> dict[str, str]:
    return {f"{name}{i}": name for name, n in sizes.items() for i in range(n)}


@pytest.mark.parametrize("seed", range(20))
def test_halves_are_even_as_a_whole_and_in_every_stratum(seed: int) -> None:
    asked = strata(a=40, b=7, c=1, d=1, e=2)
    found = drawn(asked, seed)
    assert sorted(d.query_id for d in found) == sorted(asked)
    by_part = Counter(d.part for d in found)
    assert abs(by_part["dev"] - by_part["test"]) <= 1  # 51 questions: 26 and 25
    for name in "abcde":
        mine = Counter(d.part for d in found if asked[d.query_id] == name)
        assert abs(mine["dev"] - mine["test"]) <= 1, name


def test_the_first_questions_of_a_half_are_of_different_strata() -> None:
    asked = strata(a=40, b=40, c=40)
    first = [d.query_id[0] for d in drawn(asked, 0) if d.part == "dev"][:3]
    assert sorted(first) == ["a", "b", "c"]


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_questions() -> None:
    asked = strata(a=20, b=20)
    backwards = dict(reversed(asked.items()))
    assert drawn(asked, 3) == drawn(backwards, 3)
    assert {d.query_id for d in drawn(asked, 3) if d.part == "dev"} != {
        d.query_id for d in drawn(asked, 4) if d.part == "dev"
    }


def prints(data: Path, outputs: Path, **changes: object) -> dict[str, str]:
    return helpers.prepared(data, outputs, **changes)[1].fingerprints


def test_a_half_is_other_questions_and_the_same_documents(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    whole, dev, test = (prints(data, tmp_path / "o", split=s) for s in ("all", "dev", "test"))
    assert whole["documents"] == dev["documents"] == test["documents"]
    assert len({p["queries"] for p in (whole, dev, test)}) == 3
    assert prints(data, tmp_path / "o", split="dev") == dev


def test_chunks_and_indexes_are_shared_and_searches_are_not(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    dev, test = (helpers.prepared(data, tmp_path / "o", split=s)[1] for s in ("dev", "test"))
    assert (dev.chunks, dev.indexes) == (test.chunks, test.indexes)
    assert dev.legs != test.legs


def test_the_manifest_says_which_questions_were_asked(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    run = helpers.done(data, tmp_path / "o", split="dev", questions=1)
    said = run.meta["data"]
    total = len(helpers.QUERIES)
    assert said["split"] == {"part": "dev", "questions": 1, "seed": 0, "of": total}
    assert run.table("queries").height == said["queries"] == 1
    assert run.data == f"{Path(run.config['dataset']['path']).name} dev, 1 of {total} questions"


def test_a_half_without_gold_is_refused(tmp_path: Path) -> None:
    one = [helpers.QUERIES[0]]
    gold = [g for g in helpers.GOLD if g["query_id"] == one[0]["query_id"]]
    data = helpers.tiny(tmp_path / "data", queries=one, gold=gold)
    with pytest.raises(RequestError, match="holds no question with gold"):
        corpus_meta(parts(helpers.config(data, split="test")), helpers.session(tmp_path / "o"))


def test_all_questions_have_the_key_they_had_before_there_were_halves(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    own = helpers.session(tmp_path / "o")
    p = parts(helpers.config(data))
    assert keyring(p, own).corpus == corpus_meta(p, own)[0]
    assert "split" not in corpus_meta(p, own)[1]
