"""A gate in words: text, Markdown for a pull request, JUnit XML for CI. Data is never markup in them."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from runner.gating.judgement import Case, Flip, Gate
from runner.report import numbers
from runner.text import grid, one_line, visible

_SHOWN = 50
"""Flipped questions listed in text and Markdown; the XML has all."""
_HEAD = ["measure", "n", "baseline", "candidate", "difference", "interval", "level", "p (Holm)", "standing"]
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@])")


def text(gate: Gate) -> str:
    """For a terminal."""
    rows = [[*_cells(c), "ok" if c.passed else "FAIL"] for c in gate.cases]
    lines = [f"baseline  {gate.sides[0]}", f"candidate {gate.sides[1]}", ""]
    lines += [grid([*_HEAD, "gate"], rows, [1, 2, 3, 4, 6, 7]), "", verdict(gate)]
    lines += [f"note: {n}" for n in gate.notes]
    lost, gained = _sides(gate)
    lines.append(f"questions: {len(lost)} lost, {len(gained)} gained ({gate.clusters})")
    lines += [f"  lost    {one_line(f.query)}  at {f.stage}" for f in lost[:_SHOWN]]
    lines += [f"  gained  {one_line(f.query)}  (was lost at {f.stage})" for f in gained[:_SHOWN]]
    lines += [f"  {_more(lost, gained)}"] if _more(lost, gained) else []
    return "\n".join(lines)


def verdict(gate: Gate) -> str:
    """One sentence."""
    rule = "not shown to be within" if gate.strict else "significantly worse by more than"
    bad = [c.measure for c in gate.cases if not c.passed]
    why = [f"{', '.join(bad)}: {rule} the margin of {gate.margin:g}"] if bad else []
    if gate.slow and gate.latency is not None:
        why.append(f"the search takes {gate.latency:.2f} times the baseline's, above {gate.latency_limit:g}")
    if why:
        return f"FAIL: {'; '.join(why)}"
    good = "every measure is shown to be within" if gate.strict else f"no measure is {rule}"
    return f"OK: {good} the margin of {gate.margin:g}"


def markdown(gate: Gate) -> str:
    """For a comment on a pull request."""
    lines = [f"**Retrieval gate: {_plain(verdict(gate))}**", "", f"| {' | '.join(_HEAD)} |"]
    lines.append("| --- " + "| ---: " * 7 + "| --- |")
    lines += [f"| {' | '.join(_plain(x) for x in _cells(c))} |" for c in gate.cases]
    lost, gained = _sides(gate)
    lines += ["", f"{len(lost)} questions lost, {len(gained)} gained; {_plain(gate.clusters)}."]
    lines += [f"- lost: {_plain(one_line(f.query))}, at {f.stage}" for f in lost[:_SHOWN]]
    lines += [f"- gained: {_plain(one_line(f.query))}, was lost at {f.stage}" for f in gained[:_SHOWN]]
    lines += [f"- {_more(lost, gained)}"] if _more(lost, gained) else []
    lines += [f"- note: {_plain(n)}" for n in gate.notes]
    lines += ["", f"Baseline {_plain(gate.sides[0])}, candidate {_plain(gate.sides[1])}."]
    return "\n".join(lines) + "\n"


def junit(gate: Gate) -> str:
    """A suite with a case for each measure, for the latency where it was asked, for each flipped question.

    A lost question is no failure where the gate opens: its case is skipped, with the stage as message.
    """
    suite = Xml.Element("testsuite", name="retrieval gate", errors="0", time="0")
    for case in gate.cases:
        node = _case(suite, "measure", case.measure)
        if not case.passed:
            _failed(node, "measure", f"{case.measure}: {case.standing}", " ".join(_cells(case)))
    if gate.latency is not None:
        node = _case(suite, "latency", "search")
        if gate.slow:
            _failed(node, "latency", verdict(gate))
    for flip in gate.flips:
        node = _case(suite, "question", flip.query)
        said = f"{'gained; was lost' if flip.gained else 'lost'} at {flip.stage}"
        if flip.gained:
            Xml.SubElement(node, "system-out").text = _xml(said)
        elif gate.passed:
            Xml.SubElement(node, "skipped", message=_xml(said))
        else:
            _failed(node, flip.stage, said)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    root = Xml.Element("testsuites")
    root.append(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _case(suite: Xml.Element, kind: str, name: str) -> Xml.Element:
    return Xml.SubElement(suite, "testcase", classname=f"gate.{kind}", name=_xml(name), time="0")


def _failed(node: Xml.Element, kind: str, message: str, detail: str = "") -> None:
    Xml.SubElement(node, "failure", message=_xml(message), type=kind).text = _xml(detail or message)


def _cells(c: Case) -> list[str]:
    return [
        c.measure,
        str(c.n),
        numbers.measured(c.measure, c.baseline),
        numbers.measured(c.measure, c.candidate),
        numbers.difference(c.measure, c.difference),
        numbers.ends(c.measure, c.difference, c.low, c.high),
        numbers.level(c.level),
        numbers.p_value(c.p_corrected),
        c.standing,
    ]


def _sides(gate: Gate) -> tuple[list[Flip], list[Flip]]:
    return [f for f in gate.flips if not f.gained], [f for f in gate.flips if f.gained]


def _more(lost: list[Flip], gained: list[Flip]) -> str:
    """What the lists leave out."""
    left = sum(max(0, len(side) - _SHOWN) for side in (lost, gained))
    return f"and {left} more; --json and the XML list all" if left else ""


def _xml(value: str) -> str:
    """What XML 1.0 can hold: control characters become visible."""
    return visible(value)


def _plain(value: str) -> str:
    """Text that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", visible(value, keep=""))
