"""Help: every verb, every choice, and for each verb the options that it takes."""

from __future__ import annotations

import re

import pytest
from command import Line
from house.source import CONF, RUNNER

from runner import cli


def test_help_lists_verbs_and_every_choice(line: Line) -> None:
    said = line("--help")
    assert (said.code, said.err) == (0, "")
    for verb in cli.VERBS:
        assert f"python -m runner {verb}" in said.out
    for group in (p for p in CONF.iterdir() if p.is_dir() and p.name not in {"hydra", "expected"}):
        choices = " ".join(sorted(p.stem for p in group.glob("*.yaml")))
        assert f"  {group.name:<11} {choices}\n" in said.out
    assert line("-h").out == said.out
    assert not line.outputs.exists()


@pytest.mark.parametrize("verb", cli.VERBS)
def test_the_help_of_a_verb_has_the_options_that_it_takes(line: Line, verb: str) -> None:
    said = line(verb, "--help")
    assert (said.code, said.err) == (0, "")
    assert f"python -m runner {verb}" in said.out
    place = {"plan": "cli", **dict.fromkeys(cli.RECORDED, "verbs/recorded")}.get(verb, f"verbs/{verb}")
    source = (RUNNER / f"{place}.py").read_text("utf-8")
    if verb in cli.RECORDED:  # they share a file
        source = re.search(rf"def {verb}\(.*?(?=\ndef |\Z)", source, re.DOTALL)[0]  # type: ignore[index]
    taken = set(re.findall(r'"(--[a-z-]+)', source)) - {"--help", "--json", "--outputs"}
    told = set(re.findall(r"--[a-z-]+", said.out)) - {"--json", "--outputs"}
    assert told == taken
