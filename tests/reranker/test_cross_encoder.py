"""`cross_encoder`: raw logits of a pair alone, bit-equal in any order; identity without a model library."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import choice
from reranker.models import BI_ENCODER, TEXTS, WORDS, packaged, random_cross_encoder

from runner.errors import ComponentError, RequestError, UnknownNameError
from runner.registry import parse
from runner.reranker.contract import Scored
from runner.reranker.cross_encoder import CrossEncoder

QUERY = "where owls hunt"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return random_cross_encoder(tmp_path_factory.mktemp("models") / "one")


@pytest.fixture(scope="module")
def right(model: str) -> Scored:
    return _score(model, TEXTS)


def _score(model: str, texts: list[str], *, threads: int = 2, query: str = QUERY, **changes: Any) -> Scored:
    return CrossEncoder(model=model, revision=None, **changes).load(threads, "cpu").score(query, texts)


def test_scores_are_finite_float64_and_tell_texts_apart(right: Scored) -> None:
    assert (right.scores.shape, right.scores.dtype) == ((len(TEXTS),), np.float64)
    assert np.isfinite(right.scores).all()
    assert len(set(right.scores.tolist())) >= len(TEXTS) - 1  # the empty and the blank text are one
    assert right.scores[2] == right.scores[3]


def test_bit_equal_in_any_order_slice_and_number_of_threads(model: str, right: Scored) -> None:
    draw = np.random.default_rng(1).permutation(len(TEXTS))
    for order in (range(len(TEXTS))[::-1], draw, [4], [5, 5, 5], [*range(3, 9)]):
        for threads in (1, 3):
            got = _score(model, [TEXTS[i] for i in order], threads=threads)
            for part in Scored.__slots__:
                assert np.array_equal(getattr(got, part), getattr(right, part)[list(order)])


def test_another_process_gives_the_same_bits(model: str, right: Scored, tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np\nfrom runner.reranker.cross_encoder import CrossEncoder\n"
        "model, out, query, *texts = sys.argv[1:]\n"
        "scorer = CrossEncoder(model=model, revision=None).load(2, 'cpu')\n"
        "np.save(out, scorer.score(query, texts).scores)"
    )
    some = [8, 4, 11]
    command = [sys.executable, "-c", code, model, str(tmp_path / "s.npy"), QUERY, *(TEXTS[i] for i in some)]
    subprocess.run(command, check=True, capture_output=True)
    assert np.array_equal(np.load(tmp_path / "s.npy"), right.scores[some])


def test_a38_the_logits_are_the_librarys_own_without_its_sigmoid(model: str, right: Scored) -> None:
    import torch
    from sentence_transformers import CrossEncoder as Theirs

    theirs = Theirs(model, device="cpu", local_files_only=True)
    pairs = [(QUERY, t) for t in TEXTS]
    logits = theirs.predict(pairs, activation_fn=torch.nn.Identity(), batch_size=4)
    assert np.abs(logits - right.scores).max() < 1e-5
    served = theirs.predict(pairs)  # its default for one label
    assert np.abs(served - 1 / (1 + np.exp(-right.scores))).max() < 1e-5
    assert right.scores.min() < 0  # no probability


def test_a38_logits_that_a_sigmoid_would_make_equal_stay_apart(tmp_path: Path) -> None:
    """The head's weights × -1,000: logits so large that float32 sigmoids are all 0 or 1."""
    from safetensors.torch import load_file, save_file

    model = random_cross_encoder(tmp_path / "big")
    file = Path(model) / "model.safetensors"
    weights = load_file(file)
    weights["classifier.weight"] *= -1000
    save_file(weights, file, metadata={"format": "pt"})
    scores = _score(model, TEXTS[:2] + TEXTS[6:]).scores
    beyond = scores[scores > 40]
    assert len(beyond) > 1
    assert {1 / (1 + math.exp(-s)) for s in beyond} == {1.0}
    assert len(set(beyond.tolist())) == len(beyond)


def test_truncation_is_counted_and_what_is_not_read_moves_nothing(model: str) -> None:
    """64 places, three of them special; the longer side gives way first, as in the library."""
    query, base = "owls hunt", ["the"] * 59
    long, other = (" ".join([*base, *["of"] * 9, w]) for w in ("red", "blue"))
    got = _score(model, [long, other, " ".join(base), "", "owls"], query=query)
    assert got.tokens_total is not None
    assert got.tokens_read is not None
    assert got.tokens_total.tolist() == [71, 71, 61, 2, 3]
    assert got.tokens_read.tolist() == [61, 61, 61, 2, 3]
    assert got.scores[0] == got.scores[1] == got.scores[2] != got.scores[4]


def test_max_length(model: str) -> None:
    got = _score(model, ["the " * 8 + "sea", "the " * 8 + "fox", "the"], query="owls", max_length=10)
    assert got.tokens_read is not None
    assert got.tokens_read.tolist() == [7, 7, 2]
    assert got.scores[0] == got.scores[1]
    with pytest.raises(ComponentError, match="65 is more than the model's 64 places"):
        _score(model, ["a"], max_length=65)


def test_bf16_is_near_and_is_another_identity(model: str, right: Scored) -> None:
    got = _score(model, TEXTS, precision="bf16").scores
    assert not np.array_equal(got, right.scores)
    assert np.corrcoef(got, right.scores)[0, 1] > 0.99
    assert np.array_equal(_score(model, TEXTS[::-1], precision="bf16", threads=3).scores[::-1], got)


def test_a_checkpoint_in_half_precision_is_read_in_single(tmp_path: Path, model: str, right: Scored) -> None:
    got = _score(random_cross_encoder(tmp_path / "half", half=True), TEXTS).scores
    assert not np.array_equal(got, np.float16(got))
    assert np.abs(got - right.scores).max() < 0.1


def test_a_model_without_one_trained_logit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="gives 3 values a pair; a reranker needs a single logit"):
        _score(random_cross_encoder(tmp_path / "three", labels=3), ["a"])
    with pytest.raises(ComponentError, match=r"is no cross-encoder: its files lack classifier\."):
        _score(random_cross_encoder(tmp_path / "none", head=False), ["a"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ComponentError, match="is no cross-encoder that loads here"):
        _score(str(tmp_path / "empty"), ["a"])


@pytest.mark.model
def test_a_bi_encoder_is_refused() -> None:
    folder = packaged(*BI_ENCODER)
    with pytest.raises(ComponentError, match="is no cross-encoder: its files lack"):
        _score(str(folder), ["a"])


def test_a58_a_model_that_brings_code_is_refused_and_not_run(tmp_path: Path, model: str) -> None:
    evil = random_cross_encoder(tmp_path / "evil")
    ran = tmp_path / "ran"
    (Path(evil) / "modeling_evil.py").write_text(f"open({str(ran)!r}, 'w')\n", "utf-8")
    config = Path(evil) / "config.json"
    said = json.loads(config.read_text("utf-8"))
    said |= {"model_type": "evil", "auto_map": {k: "modeling_evil.E" for k in
             ("AutoConfig", "AutoModelForSequenceClassification")}}  # fmt: skip
    config.write_text(json.dumps(said), "utf-8")
    with pytest.raises(ComponentError, match="is no cross-encoder that loads here"):
        _score(evil, ["a"])
    assert not ran.exists()
    with pytest.raises(UnknownNameError, match=r"reranker\.trust_remote_code: no such option"):
        parse("reranker", {**choice("reranker", "cross_encoder"), "trust_remote_code": True})


def test_identity_moves_with_everything_that_moves_a_score(tmp_path: Path, model: str) -> None:
    one = CrossEncoder(model=model, revision=None)
    other = random_cross_encoder(tmp_path / "other", labels=3)
    found = [
        one.identity(),
        CrossEncoder(model=other, revision=None).identity(),
        CrossEncoder(model=model, revision=None, max_length=32).identity(),
        CrossEncoder(model=model, revision=None, precision="bf16").identity(),
    ]
    assert len({json.dumps(i, sort_keys=True) for i in found}) == len(found)
    assert (one.identity()["activation"], one.identity()["precision"]) == ("identity", "fp32")
    same = CrossEncoder(model=model, revision="0" * 40, pool=7, on_error="fallback")
    assert same.identity() == one.identity()


def test_identity_loads_no_model_library(model: str) -> None:
    code = (
        "import sys\nfrom runner.reranker.cross_encoder import CrossEncoder\n"
        f"CrossEncoder(model={model!r}, revision=None).identity()\n"
        "print({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_config_is_checked(model: str) -> None:
    for wrong in (
        {"max_length": 3},
        {"precision": "fp16"},
        {"pool": 0},
        {"revision": "main"},
        {"digests": []},
    ):
        with pytest.raises(RequestError, match=r"reranker\."):
            parse("reranker", {"name": "cross_encoder"} | wrong)
    with pytest.raises(ComponentError, match=r"model\.safetensors: digest .* is not upstream's"):
        CrossEncoder(model=model, digests={"model.safetensors": "0" * 64}).identity()
    assert len(WORDS) == len(set(WORDS))
