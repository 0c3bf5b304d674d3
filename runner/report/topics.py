"""The four facts on top of a page: effect, interval, cost, not shown; and what neighbors bought, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.measure_names import is_share
from runner.report import notices, numbers
from runner.runs import Run

SURFACES = 4
"""Values of the other axes at which it is said what the neighbors bought; the heat maps have all."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact: its name, the value in large, and what must stand with it."""

    name: str
    value: str
    more: str = ""


def facts(body: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], runs: Sequence[Run]) -> list[Fact]:
    """The four facts of the answer; none where nothing is compared.

    Args:
        body: of the group.
        rows: its comparisons with the baseline.
        runs: of the group.
    """
    key = body.get("answer", {}).get("candidate")
    mine = {r["measure"]: r for r in rows if r["candidate"] == key}
    decisive = mine.get(body["main"][-1])
    if decisive is None:
        return []
    return [_effect(decisive), _interval(decisive), _cost(body, key), _open(body, decisive, runs)]


def _effect(r: Mapping[str, Any]) -> Fact:
    m = r["measure"]
    means = f"{numbers.measured(m, r['baseline_mean'])} to {numbers.measured(m, r['candidate_mean'])}"
    return Fact("Effect", numbers.difference(m, r["difference"]), f"{m}, {means}")


def _interval(r: Mapping[str, Any]) -> Fact:
    n = numbers.several(r["n"], "question")
    if r["low"] is None:
        return Fact("Interval", "–", f"too few for one: {n}")
    more = f"{numbers.level(r['level'])}, {n}, Holm p {numbers.p_value(r['p_corrected'])}"
    return Fact("Interval", numbers.ends(r["measure"], r["difference"], r["low"], r["high"]), more)


def _cost(body: Mapping[str, Any], key: str) -> Fact:
    costs = {f["run"]: f for f in body["front"]}
    base, mine = costs[body["baseline"]], costs[key]
    times = f"{mine['tokens'] / base['tokens']:.1f}×" if base["tokens"] else "–"
    more = [f"tokens a question, {base['tokens']:,.0f} to {mine['tokens']:,.0f}"]
    if None not in (base["milliseconds"], mine["milliseconds"]):
        took = (numbers.milliseconds(f["milliseconds"]) for f in (base, mine))
        more.append("{} to {} ms".format(*took))
    if None in (base["money"], mine["money"]):
        more.append("money not known: no price in the config")
    else:
        more.append(f"money of the run {base['money']:,.2f} to {mine['money']:,.2f}")
    return Fact("Cost", times, "; ".join(more))


def _open(body: Mapping[str, Any], r: Mapping[str, Any], runs: Sequence[Run]) -> Fact:
    enriched = {run.config["enrichment"]["name"] for run in runs} - {"none"}
    gaps = notices.Gaps(
        undecided=(r["difference"], r["budget"]) if r["budget"] and r["verdict"] == "undecided" else None,
        price=any(f["money"] is not None for f in body["front"]),
        test_split=all(run.config.get("split") == "test" for run in runs),
        placebo=not enriched or "shuffled" in enriched,
    )
    return Fact("Not shown", notices.not_shown(gaps))


def bought(body: Mapping[str, Any]) -> list[str]:
    """What the neighbors bought, in words, at each value of the other axes; empty: no window was varied."""
    found = [s for s in body.get("surfaces", []) if any(w.get("yield") is not None for w in s["windows"])]
    return [_bought(s) for s in found[:SURFACES]]


def _bought(found: Mapping[str, Any]) -> str:
    added = [w for w in found["windows"] if w.get("yield") is not None]
    most, widest = max(added, key=lambda w: w["yield"]), added[-1]
    measure, base = found["measure"], found["windows"][0]
    said = (
        f"{measure}{found['rest'] and ' at ' + found['rest']}: from {_window(base)} to {_window(widest)} the "
        f"context grows from {base['tokens']:,.0f} to {widest['tokens']:,.0f} tokens and the measure by "
        f"{_gain(measure, widest['difference'])}."
    )
    if most["yield"] <= 0:
        return said
    said += f" {_window(most)} buys most per token: {_gain(measure, most['yield'])} per 1,000 added."
    less = f"{said} {_window(widest)} buys {_gain(measure, widest['yield'])} per 1,000."
    return said if most is widest else less


def _window(w: Mapping[str, Any]) -> str:
    return f"±{w['prev']}/{w['next']}"


def _gain(measure: str, value: float) -> str:
    return f"{numbers.points(value)} points" if is_share(measure) else numbers.difference(measure, value)
