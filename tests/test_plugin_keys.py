"""Plugin keys: another digest of a plugin's source moves every key of what depends on it, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import helpers
import pytest
from enrichment.graphs import bring
from test_run_keys import BASE, GRAPH, RAISED, _keys

from runner import encoding, keys, plugins, registry
from runner.pairs import Pairs
from runner.plugins import Code, Plugin


@pytest.fixture
def at(tmp_path: Path) -> Path:
    bring(GRAPH, helpers.tiny(tmp_path / "data"))
    return tmp_path


def _foreign(patch: pytest.MonkeyPatch, group: str, name: str, digest: str) -> None:
    """From now on the component is taken for a plugin whose source has that digest."""
    code = Code(Plugin(group, name, Path("folder") / f"{name}.py"), digest * 64)
    patch.setitem(plugins._codes, registry.component_class(group, name), code)


@pytest.mark.parametrize(
    ("group", "name", "changes", "right"), RAISED, ids=lambda v: v if isinstance(v, str) else ""
)
def test_another_byte_moves_what_another_version_moves(
    group: str, name: str, changes: dict[str, Any], right: set[str], at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for digest in ("", "a", "b"):
        if digest:
            _foreign(monkeypatch, group, name, digest)
        _, k = helpers.prepared(at / "data", at / "out", **changes)
        found.append(k)
    own, one, other = map(_keys, found)
    assert {s for s in one if one[s] != other[s]} == {s for s in one if one[s] != own[s]} == right
    assert len({k.corpus for k in found}) == (3 if group == "dataset" else 1)
    applies = bool(right) or group == "dataset" or name == "bonus"
    assert found[1].identities.get("plugins", {}) == (
        {f"{group}.{name}": {"digest": "a" * 64, "file": f"{name}.py"}} if applies else {}
    )


def test_vectors_and_pair_scores_are_kept_by_the_digest(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the author's `identity()` says: it knows nothing of the source."""
    here = helpers.session(at / "out")
    models, pairs = set(), set()
    for digest in ("", "a", "b"):
        if digest:
            _foreign(monkeypatch, "embedding", "hashing", digest)
            _foreign(monkeypatch, "reranker", "overlap", digest)
        p, k = helpers.prepared(at / "data", at / "out", **BASE)
        assert encoding.vectors(p, here).key == k.model == keys.digest(["model", k.identities["embedding"]])
        models.add(k.model)
        pairs.add(Pairs(here.store, k.identities["reranker"]).key)
    assert len(models) == len(pairs) == 3


def test_a_run_records_what_it_was_made_with(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _foreign(monkeypatch, "fusion", "bonus", "c")
    run = helpers.done(at / "data", at / "out")
    assert run.meta["identities"]["plugins"] == {"fusion.bonus": {"digest": "c" * 64, "file": "bonus.py"}}
    assert "folder" not in (run.path / "run.json").read_text("utf-8")
