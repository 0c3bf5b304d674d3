"""`semantic`: distances, the four rules as arithmetic, and the limits on sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import helpers
import numpy as np
import pytest
from pydantic import ValidationError
from tokenizer import toys

from runner.strategy.contract import Source, Tools
from runner.strategy.semantic import Semantic

ANGLES = {"A": 0.0, "B": 0.1, "C": 1.2, "D": 1.3, "E": 2.9}


def _embed(texts: Sequence[str]) -> np.ndarray:
    """A sentence `Ax.` has the direction of its letter; a window that of its first."""
    turns = np.array([ANGLES[t[0]] for t in texts])
    return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)


TOOLS = Tools(toys.words(), _embed)
TEXT = "Ax. Bx. Cx. Dx. Ex."


def _cut(text: str = TEXT, **settings: object) -> list[str]:
    strategy = Semantic.model_validate({"buffer": 0, **settings})
    return [text[p.start : p.end] for p in strategy.pieces(Source("d", text), TOOLS)]


def test_each_rule_as_arithmetic() -> None:
    # d = 1 - cos of 0.1, 1.1, 0.1, 1.6: 0.005, 0.546, 0.005, 1.029; mean 0.396.
    # 66th percentile: between the second and third of four (0.005, 0.546), 0.98 of the way: 0.535.
    assert _cut(rule="percentile", threshold=66) == ["Ax. Bx.", "Cx. Dx.", "Ex."]
    assert _cut(rule="percentile") == ["Ax. Bx. Cx. Dx.", "Ex."]
    # Deviation 0.427: mean + 1 · 0.427 = 0.823; mean + 0.3 · 0.427 = 0.524.
    assert _cut(rule="standard_deviation", threshold=1.0) == ["Ax. Bx. Cx. Dx.", "Ex."]
    assert _cut(rule="standard_deviation", threshold=0.3) == ["Ax. Bx.", "Cx. Dx.", "Ex."]
    assert _cut(rule="standard_deviation") == [TEXT]
    # Quartiles 0.005 and 0.667: mean + 0.5 · 0.662 = 0.727.
    assert _cut(rule="interquartile", threshold=0.5) == ["Ax. Bx. Cx. Dx.", "Ex."]
    # Slopes 0.541, 0, 0.242, 1.024: above the median (0.391) are the first and the last.
    assert _cut(rule="gradient", threshold=50) == ["Ax.", "Bx. Cx. Dx.", "Ex."]


def test_equal_distances_have_no_break() -> None:
    for rule in ("percentile", "standard_deviation", "interquartile", "gradient"):
        assert _cut("Ax. Ax. Ax. Ax.", rule=rule, threshold=0.0) == ["Ax. Ax. Ax. Ax."]
        assert _cut("Ax.", rule=rule) == ["Ax."]
        assert _cut("Ax. Cx.", rule=rule) == ["Ax. Cx."]


def test_a_buffer_embeds_neighbors_too() -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> np.ndarray:
        seen.extend(texts)
        return _embed(texts)

    Semantic(buffer=1).pieces(Source("d", "Ax. Bx.  Cx. Dx."), Tools(toys.words(), embed))
    assert seen == ["Ax. Bx.", "Ax. Bx.  Cx.", "Bx.  Cx. Dx.", "Cx. Dx."]


def test_small_pieces_join_and_long_ones_are_cut_at_the_greatest_distance() -> None:
    # A sentence is two tokens.
    every = {"rule": "standard_deviation", "threshold": 0.0}
    assert _cut(**every) == ["Ax. Bx.", "Cx. Dx.", "Ex."]
    assert _cut(**every, min_tokens=4, max_tokens=6) == ["Ax. Bx.", "Cx. Dx. Ex."]
    assert _cut(rule="standard_deviation", max_tokens=8) == ["Ax. Bx. Cx. Dx.", "Ex."]
    assert _cut(rule="standard_deviation", max_tokens=4) == ["Ax. Bx.", "Cx. Dx.", "Ex."]
    assert _cut("A b c d e f.", max_tokens=3) == ["A b c", "d e f", "."]


def test_refusals() -> None:
    with pytest.raises(ValidationError, match="min_tokens 9 is above max_tokens 4"):
        Semantic(min_tokens=9, max_tokens=4)
    with pytest.raises(ValidationError, match="asks a percentile"):
        Semantic(threshold=101.0)


def test_a_run_keys_the_chunking_by_the_model(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    strategy = helpers.choice("strategy", "semantic")
    run = helpers.done(data, tmp_path / "outputs", strategy=strategy)
    assert run.chunks.height == 3
    _, one = helpers.prepared(data, tmp_path / "outputs", strategy=strategy)
    _, other = helpers.prepared(data, tmp_path / "outputs", strategy=strategy, embedding__dimensions=32)
    assert one.chunks == run.meta["keys"]["chunks"] != other.chunks
    again = helpers.done(data, tmp_path / "elsewhere", strategy=strategy)
    assert helpers.recorded(again) == helpers.recorded(run)
