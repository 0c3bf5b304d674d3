"""`e5_small`: it has its prompts, from the config or the model, or there is no run."""

from __future__ import annotations

from pathlib import Path

import pytest
from embedding.models import stub

from runner.embedding.e5_small import E5Small
from runner.errors import RequestError
from runner.registry import parse


def test_upstreams_prompts_are_the_default(tmp_path: Path) -> None:
    assert E5Small(model=stub(tmp_path / "m")).prompts() == ("query: ", "passage: ")


@pytest.mark.parametrize("left_out", ["query_prompt", "document_prompt"])
def test_a19_no_prompt_is_refused_with_the_mend(left_out: str) -> None:
    with pytest.raises(
        RequestError, match=r"set query_prompt \(upstream's is 'query: '\) and document_prompt"
    ):
        parse("embedding", {"name": "e5_small", left_out: ""})


def test_a19_the_models_own_must_be_there(tmp_path: Path) -> None:
    own = {"query_prompt": None, "document_prompt": None}
    with pytest.raises(RequestError, match="trained with prompts"):
        E5Small(model=stub(tmp_path / "m", prompts={"query": "query: "}), **own).prompts()
    declared = stub(tmp_path / "n", prompts={"query": "ask: ", "passage": "tell: "})
    assert E5Small(model=declared, **own).prompts() == ("ask: ", "tell: ")
