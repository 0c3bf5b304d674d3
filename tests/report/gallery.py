"""A page with every piece of the site over hard values, made up: what the browser tests open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runner.report import frame, notices, page, prose, wording
from runner.report.assets import bundle, data
from runner.report.badge import Setting, badges
from runner.report.charts import heat, interval
from runner.report.charts._svg import icon
from runner.report.charts.bump import Candidate, bump
from runner.report.charts.curve import Series, curve
from runner.report.charts.scatter import Point, groups, scatter
from runner.report.charts.strip import strip
from runner.report.charts.waterfall import bar
from runner.report.claim import Claim

HOSTILE = '"><script>alert(1)</script>\u202e<img src=x onerror=alert(1)>{{7*7}} \ud800'
LONG = "x" * 3_000
KEY = "0123456789abcdef" * 4
POINTS = [
    Point("±0/0", "fixed_size", 983, 0.682, 0.639, 0.729, baseline=True),
    Point("±0/1", "fixed_size", 1594, 0.754, 0.713, 0.795),
    Point("±1/0", "fixed_size", 1572, 0.721, 0.678, 0.764),
    Point("±1/1", "fixed_size", 2291, 0.792, 0.756, 0.833),
    Point("±0/2", "fixed_size", 2148, 0.768, 0.729, 0.813),
    Point("±2/0", "fixed_size", 2103, 0.723, 0.680, 0.766),
    Point("±1/2", "fixed_size", 2816, 0.806, 0.768, 0.847),
    Point("±2/1", "fixed_size", 2784, 0.795, 0.757, 0.836),
    Point("±2/2", "fixed_size", 3387, 0.810, 0.772, 0.850),
    Point("sentence", "sentence", 612, 0.663, 0.618, 0.708),
    Point("recursive", "recursive", 1188, 0.745, 0.704, 0.786),
    Point(HOSTILE, "heading", 1654, 0.741, 0.700, 0.782),
]


def claim(**changes: Any) -> Claim:
    """A comparison as the design's example has it, changed where a test needs it."""
    facts: dict[str, Any] = {
        "change": "Adding one chunk before and after every hit",
        "base": "fixed_size ±0/0", "thing": "gold text",
        "mean": 0.11, "interval": (0.082, 0.138), "level": 0.95, "n": 300, "p": 0.0011, "verdict": "better",
        "tokens": (983.0, 2291.0), "margin": 0.01,
    }  # fmt: skip
    return Claim(**facts | changes)


def charts() -> dict[str, Any]:
    """Each form of SVG."""
    said = {"name": "made up", "table": "below"}
    budgets = (250, 500, 1000, 1500, 2000, 4000)
    series = [
        Series(f"{letter} ±{i}/{i}", [(b, _at(b, i), _at(b, i) - 0.03, _at(b, i) + 0.03) for b in budgets])
        for i, letter in enumerate("ABCDEF")
    ]
    ranks = [[i + 1, 10 - i, i + 1 if i else None, (i * 3) % 10 + 1] for i in range(10)]
    candidates = [Candidate(f"doc{i}#000{i}", r, gold=i in {2, 7}) for i, r in enumerate(ranks)]
    won, lost = [i / 30 for i in range(1, 31)], [-i / 20 for i in range(1, 16)]
    return {
        "scatter": scatter(POINTS, x_label="context tokens per question, mean", **said),
        "curve": curve(series, x_label="token budget", **said),
        "bump": bump(candidates, ["bm25", "vector", "fused", "final"], top_k=5, **said),
        "strip": strip([0.0] * 40 + won + lost, **said),
    }


def _at(budget: int, run: int) -> float:
    return 0.8 * (1 - 2 ** (-budget / 500)) - 0.04 * run


def rows() -> list[dict[str, Any]]:
    """Rows of a table: one without a value, one with a hostile name, the four forms of a verdict."""
    settings = [Setting(p, p, s == "fixed_size", s) for s in ("fixed_size", "sentence") for p in (0, 1)]
    kinds = [
        ("better", "Better"),
        ("open", "Undecided"),
        ("worse", "Worse"),
        ("same", "Equal by construction"),
    ]
    out = []
    for i in range(8):
        kind, word = kinds[i % 4]
        one = {"name": HOSTILE if i == 3 else f"cell {i}", "key": f"{i:064x}", "kind": kind, "word": word}
        drawn = interval.cell(0.01 * i, 0.01 * i - 0.02, 0.01 * i + 0.02, most=0.15, kind="open", margin=0.01)
        value = None if i == 2 else 0.5 + i * 7 % 5 / 10
        out.append(
            {
                **one,
                "badge": badges([settings[i % 4]])[0],
                "value": value,
                "interval": "" if i == 2 else drawn,
            }
        )
    return out


def facts() -> dict[str, Any]:
    """What the template shows."""
    undecided = claim(
        mean=0.012, interval=(-0.014, 0.039), verdict="undecided", needed=2893, budget=1500, tokens=None
    )
    losses = {"split": (1.0, 0.9), "fusion": (0.9, 0.6), "expansion": (0.6, 0.7), "found": (0.7, 0.7)}
    return {
        "name": HOSTILE,
        "key": KEY,
        "text": prose.passage(f"{HOSTILE} {LONG}", [(0, 9)]),
        "command": f"python -m runner inspect query '{HOSTILE}'",
        "headline": wording.headline(claim(), undecided, constructed="expansion only adds"),
        "also": wording.also([claim(change=HOSTILE, mean=0.036, interval=(0.015, 0.058), p=0.011)]),
        "badges": badges([Setting(0, 0, applied=True, strategy="fixed_size")]),
        "rows": rows(),
        "tints": heat.tints([i / 10 for i in range(7)]),
        "notices": [
            notices.neighbors([(["A"], "±0/0"), (["B", "C"], "±1/1")]),
            notices.embedding([(["A"], HOSTILE), (["B"], "MiniLM")], []),
        ],
        "groups": [(icon(i), g) for i, g in enumerate(groups(POINTS))],
        "losses": [(stage, bar(*shares)) for stage, shares in losses.items()],
        "charts": charts(),
        "data": data.block("sample", {"text": HOSTILE, "end": "</script>\u2028"}),
    }


def write(site: Path, *, inside: bool = False, **changes: Any) -> Path:
    """The page in a folder of a site, with its assets and one file of data beside it; or all in one file."""
    source = (Path(__file__).parent / "gallery.html.j2").read_text("utf-8")
    around = frame.alone() if inside else frame.beside(1)
    html = page.environment().from_string(source).render(frame=around, **facts() | changes)
    path = site / ("gallery.html" if inside else "x/gallery.html")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(html.encode("utf-8"))
    if not inside:
        bundle.write(site)
        (site / "data").mkdir(exist_ok=True)
        body = data.put("run-1", {"text": HOSTILE, "values": data.floats([0.5, float("nan")])})
        (site / "data" / "run-1.js").write_text(body, "utf-8")
    return path
