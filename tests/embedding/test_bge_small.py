"""`bge_small`: an instruction for queries alone, the first token's vector, upstream's files or none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from embedding.models import encode, stub, transformer

from runner.embedding.bge_small import BgeSmall
from runner.embedding.huggingface import HuggingFace
from runner.errors import ComponentError


def test_the_instruction_is_for_queries_alone(tmp_path: Path) -> None:
    made = BgeSmall(model=stub(tmp_path / "m"), digests={})
    assert made.prompts() == ("Represent this sentence for searching relevant passages: ", "")
    assert BgeSmall(model=made.model, digests={}, query_prompt="").prompts() == ("", "")


def test_another_model_under_its_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="is not upstream's 3c9f31665447"):
        BgeSmall(model=stub(tmp_path / "m")).identity()


@pytest.mark.model
def test_the_models_files_say_how_tokens_are_pooled(tmp_path: Path) -> None:
    """The same weights, once with the first token's vector and once with the mean of all."""
    cls, mean = transformer(tmp_path / "cls", "cls"), transformer(tmp_path / "mean", "mean")
    got = [encode(HuggingFace(model=m).load(1, "cpu"), "the sea").vectors[0] for m in (cls, mean)]
    as_bge = encode(BgeSmall(model=cls, digests={}).load(1, "cpu"), "the sea").vectors[0]
    assert np.array_equal(as_bge, got[0])
    assert not np.allclose(got[0], got[1], atol=1e-4)
