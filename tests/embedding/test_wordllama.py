"""`wordllama`: its package's own table, read from files, gives what its own library gives."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from embedding.models import encode, packaged

from runner import model_files
from runner.embedding.wordllama import INSTALL, WordLlama
from runner.errors import ComponentError


def test_without_the_package_its_line_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(model_files, "folder_in_package", lambda package, inside: None)
    with pytest.raises(ComponentError, match="pip install --no-deps wordllama"):
        WordLlama().identity()


@pytest.mark.model
def test_vectors_are_its_own_librarys() -> None:
    """Literals: `WordLlamaInference(…).embed(text, norm=True)` of wordllama 0.4.0.post1, each text alone."""
    packaged("wordllama", "weights", INSTALL)
    texts = [
        "How do owls hunt at night?", "Owls hunt after dark by hearing.",
        "The stock market fell sharply on Monday.", "héllo 😀 wörld", "x" * 400,
    ]  # fmt: skip
    got = encode(WordLlama().load(2, "cpu"), *texts).vectors
    first = [-0.024250861257314682, 0.00036096363328397274, -0.04114524647593498, 0.10870160907506943]
    cosines = [0.6475803256034851, -0.05719322711229324, 0.04848508536815643, -0.00835949182510376]
    assert got.shape == (5, 256)
    assert np.abs(got[0, :4] - first).max() < 1e-6
    assert np.abs(got[1:] @ got[0] - cosines).max() < 1e-5
    assert "wordllama" not in sys.modules
