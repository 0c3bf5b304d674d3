"""What a measure's name says: its group in the table, its variant, and one line for the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from runner.measure_names import deciding
from runner.report import numbers

_NAME = re.compile(r"(?P<base>[^@]+)(?:@(?P<number>\d+)(?P<tokens>t?)(?P<plus>\+?))?")
_SAYS = {
    "SpanR": "share of the gold text that is in {what}",
    "SpanP": "share of {what} that is gold text",
    "SpanIoU": "gold text in {what}, of all text that is gold or in {what}",
    "SpanPΩ": "SpanP if exactly the chunks that touch gold were retrieved: the ceiling this chunking sets",
    "Yield": "gold characters that the neighbors of {hits} add, per character they add",
    "Tokens": "tokens of {what}: what the context costs",
    "nDCG": "gain of {hits} by grade, discounted by rank, against the ideal order",
    "RR": "1 ÷ rank of the first relevant unit in {hits}, 0 without one",
    "R": "share of the relevant units that are in {hits}",
    "P": "share of {hits} that is relevant",
    "AP": "precision at each relevant rank in {hits}, averaged over the relevant units",
    "Success": "1 if {hits} hold a relevant unit, else 0",
    "ChromaR": "SpanR by Chroma's definition: overlaps count twice, in {what}",
    "ChromaP": "SpanP by Chroma's definition: overlaps count twice, in {what}",
    "ChromaIoU": "SpanIoU by Chroma's definition, in {what}",
    "ChromaPΩ": "SpanPΩ by Chroma's definition",
    "ExactR": "share of what exact search finds at that depth that the approximate leg in brackets found",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A measure as a column of a table."""

    measure: str
    base: str
    variant: str
    """What it is measured on, in a word or two."""
    says: str
    expanded: bool
    budget: bool

    def shown(self, value: float) -> str:
        """A value for who decides: a share in percent."""
        share = self.says.startswith("share of")
        return numbers.share(value) if share else numbers.measured(self.measure, value)

    @property
    def suffix(self) -> str:
        """`@5+`, under a head that has the base."""
        return self.measure.removeprefix(self.base)


@dataclass(frozen=True, slots=True)
class Group:
    """Columns of one measure, hits alone beside the expanded context."""

    base: str
    columns: list[Column]


def column(measure: str) -> Column:
    """The column of a measure; any name is taken, an unknown one is called as it is."""
    found = _NAME.fullmatch(measure)
    if found is None:
        return Column(measure, measure, "", "as its name says", expanded=False, budget=False)
    base, number, tokens, plus = found["base"], found["number"], found["tokens"], found["plus"]
    n = f"{int(number):,}" if number else ""
    hits = f"the first {n} hits" if n and not tokens else "all hits"
    if tokens:
        variant, what = f"{n} tokens", f"the context filled in rank order up to {n} tokens"
    elif plus:
        variant, what = "expanded", f"{hits} and their neighbors"
    else:
        variant, what = ("hits" if n else "all hits"), hits
    if base.startswith(("SpanP\u2126", "SpanPΩ", "ChromaP\u2126", "ChromaPΩ")):
        variant = "ceiling"
    says = _SAYS.get(base.partition("(")[0], "as ir-measures defines it, on {hits}")
    says = says.format(what=what, hits=hits)
    return Column(measure, base, variant, says, expanded=bool(plus), budget=bool(tokens))


def grouped(measures: Iterable[str]) -> list[Group]:
    """The columns by base, tokens first (what a cell costs), else in the order given."""
    groups: dict[str, list[Column]] = {}
    for found in map(column, dict.fromkeys(measures)):
        groups.setdefault(found.base, []).append(found)
    ordered = sorted(groups, key=lambda b: b != "Tokens")
    return [Group(b, groups[b]) for b in ordered]


def telling(measures: Iterable[str]) -> str | None:
    """What questions are chosen by: the first span measure with neighbors, else of hits, else no cost."""
    found = [column(m) for m in dict.fromkeys(deciding(measures))]
    spans = [c for c in found if c.base.startswith("Span")]
    chosen = next((c for c in spans if c.expanded), None) or next(iter(spans or found), None)
    return chosen.measure if chosen else None


def key_columns(measures: Iterable[str]) -> list[Column]:
    """The few measures of a question: the telling one on hits and expanded, tokens, the first of ranks."""
    found = [column(m) for m in dict.fromkeys(measures)]
    name = telling(c.measure for c in found)
    base = column(name).base if name else ""
    spans = [c for c in found if c.base == base][:2]
    tokens = [c for c in found if c.base == "Tokens"][-1:]
    ranks = [
        c for c in found if not c.base.startswith(("Span", "Tokens", "Yield", "Chroma")) and c.base != base
    ][:1]
    return [*spans, *tokens, *ranks]


def five(measures: Iterable[str]) -> list[Column]:
    """The few measures that a decision needs: those of a question, and how much of the context is gold."""
    names = list(dict.fromkeys(measures))
    few = key_columns(names)
    known = {c.base for c in few}
    rest = [c for c in map(column, names) if c.base.startswith("Span") and c.base not in known]
    precision = [c for c in rest if c.expanded][:1] or rest[:1]
    return [*few[:2], *precision, *few[2:]]
