"""The gate at the command line: files, both sides by name, targets that cannot be written, wrong requests."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree as Xml

import helpers
import pytest
from helpers import done

from runner.cli import main
from runner.gating import baseline


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    helpers.tiny(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_the_command_line(at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = done(at / "data", at / "outputs")
    assert main(["gate", "--save", "base.json", "--candidate", first.key]) == 0
    saved = (at / "base.json").read_bytes()
    assert main(["gate", "--save", "again.json", "--candidate", first.key]) == 0
    assert (at / "again.json").read_bytes() == saved
    assert baseline.read(at / "base.json") == baseline.of_run(first)
    asked = ["gate", "--baseline", "base.json", "--measure", "SpanR@3"]
    assert main([*asked, first.key]) == 0
    assert f"candidate {first.short} (native, " in capsys.readouterr().out
    named = {}
    for side in ("base.json", first.key):  # a file and a run lead with the same measure
        capsys.readouterr()
        assert main(["gate", "--baseline", side, "--candidate", first.key, "--json"]) == 0
        named[side] = [c["measure"] for c in json.loads(capsys.readouterr().out)["cases"]]
    assert list(named.values()) == [["SpanR@3"]] * 2
    less = done(at / "data", at / "outputs", top_k=1)
    files = ["--junit", "j.xml", "--summary", "s.md"]
    capsys.readouterr()
    main([*asked, "--candidate", less.key, "--json", *files])
    found = json.loads(capsys.readouterr().out)
    assert {f["stage"] for f in found["flips"]} <= {"top_k", "fusion"}
    assert Xml.parse(at / "j.xml").getroot().tag == "testsuites"  # noqa: S314 - our own
    assert (at / "s.md").read_text("utf-8").startswith("**Retrieval gate:")
    one = helpers.QUERIES[:1]
    gold = [g for g in helpers.GOLD if g["query_id"] == one[0]["query_id"]]
    helpers.tiny(at / "other", queries=one, gold=gold)
    other = done(at / "other", at / "outputs")
    for wrong in (
        [*asked, "--candidate", other.key],
        [*asked, "--margin", "-1"],
        ["gate", "--baseline", "base.json", "--measure", ""],
        ["gate", "--baseline", "base.json", "--measure", "SpanR@3,"],
        [*asked, "--budget-tokens", "500"],
        ["gate", "--baseline", "none.json"],
        ["gate", "--baseline", "data/queries.jsonl"],
        ["gate", "--baseline", "base.json", "--measure", "SpanR@9"],
        ["gate"],
        [*asked, "--junit", "no/such/j.xml"],
        [*asked, "--junit", "data"],
        [*asked, "--junit", ""],
        [*asked, "--junit", "same.xml", "--summary", "same.xml"],
        [*asked, "--junit", "ok.xml", "--summary", "no/such/s.md"],
        [*asked, "--save", "no/such/b.json"],
        ["gate", "--save", "b.json", "--measure", "SpanR@3"],
        ["gate", "--expected", "all", "--baseline", "base.json"],
        ["gate", "--baseline", "b" * 300],
        [*asked, first.key, "--candidate", first.key],
    ):
        assert main(wrong) == 2, wrong
        assert "error:" in capsys.readouterr().err
    assert not (at / "ok.xml").exists(), "every target is looked at before one is written"
    os.mkfifo(at / "pipe")
    (at / "link.json").symlink_to(at / "base.json")
    assert main(["gate", "--save", "pipe"]) == 2
    assert main(["gate", "--save", "link.json", less.key]) == 0
    assert (at / "link.json").is_symlink()
    assert baseline.read(at / "base.json").run == less.key
