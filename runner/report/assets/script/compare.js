// The page that compares: reads the runs of the address, asks for their data, and writes what the rules say.

const R = window.report, LETTERS = "ABCDEF";
let turn = 0;

function node(tag, cls, ...kids) {
  const el = document.createElement(tag);
  if (cls) el.className = cls;
  el.append(...kids.filter(k => k !== null));
  return el;
}

function shapeOf(kind) {
  const space = R.one("body > svg").namespaceURI, svg = document.createElementNS(space, "svg"), use = document.createElementNS(space, "use");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", "#g-" + kind);
  svg.append(use);
  return svg;
}

function tagOf(kind, words) {
  return node("span", "tag " + kind, shapeOf(kind), words);
}

function letterOf(run) {
  return node("span", "letter k" + (LETTERS.indexOf(run.letter) + 1), run.letter);
}

function badgeOf(b) {
  const el = node("button", "badge " + b.form, b.text);
  el.type = "button";
  el.title = b.tooltip;
  if (b.label) el.setAttribute("aria-label", b.label);
  return el;
}

function linked(text, address) {
  if (!address) return R.inert(text);
  const a = node("a", "", R.inert(text));
  a.setAttribute("href", address);
  return a;
}

function section(id, title, lede, ...kids) {
  const el = node("section", "block", node("h2", "", title), lede ? node("p", "lede", lede) : null, ...kids);
  el.id = id;
  return el;
}

// A table in a region that the keyboard can scroll.
function tableOf(caption, heads, rows, cls = "stick") {
  const head = node("tr", "", ...heads.map(h => { const th = node("th", h.className && h.className.startsWith("letter") && cls !== "stick" ? "r" : "", h); th.scope = "col"; return th; }));
  const table = node("table", cls, node("caption", "", ...caption), node("thead", "", head), node("tbody", "", ...rows));
  const region = node("div", "scroll", table);
  region.tabIndex = 0;
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", caption[0].textContent);
  return region;
}

function rowOf(head, ...cells) {
  const th = node("th", "", head);
  th.scope = "row";
  return node("tr", "", th, ...cells);
}

function notesOf(warnings, words, blocks) {
  return [
    ...warnings.map(([head, body]) => node("div", "note warn", node("p", "", node("b", "head", shapeOf("warn"), head), " ", R.inert(body)))),
    ...blocks.map(d => {
      const said = fill(words.templates.blocked, {what: d.what, a: d.values[0], b: d.values.find(v => v !== d.values[0])});
      return node("div", "note block", node("p", "", node("b", "head", shapeOf("block"), words.tags.blocked[1]), " ", R.inert(said)));
    }),
  ].map(n => { n.setAttribute("role", "note"); return n; });
}

function cardsOf(runs, base, differ) {
  const names = new Set(differ.map(d => d.what));
  return node("ul", "cards", ...runs.map((r, i) => {
    const facts = r.cards.map(([name, said]) => [name, node("span", names.has(name) ? "diff" : "", R.inert(said))]);
    const rows = [["Neighbors", badgeOf(r.badge)], ...facts, ["Experiment", linked(r.experiment, r.page)], ["Run", node("span", "mono", r.short)]];
    const pick = node("input", "");
    Object.assign(pick, {type: "radio", name: "base", value: r.key, checked: r === base});
    pick.addEventListener("change", () => { location.hash = R.address({runs: runs.map(x => x.key).join(","), base: r.key}); });
    const notes = r.warnings.length ? node("details", "data", node("summary", "", r.warnings.length + " warnings"), node("ul", "", ...r.warnings.map(w => node("li", "", R.inert(w))))) : null;
    return node("li", "card k" + (i + 1), node("h2", "", letterOf(r), R.inert(r.name)),
      node("dl", "kv", ...rows.flatMap(([name, said]) => [node("dt", "", name), node("dd", "", said)])),
      node("label", "small radio", pick, " Baseline"), notes);
  }));
}

function matrixOf(runs, differ) {
  const rows = differ.map(d => rowOf(d.what, ...d.values.map((v, i) => node("td", "mono", i && v !== d.values[0] ? node("span", "diff", R.inert(v)) : R.inert(v))),
    node("td", "", d.level === "blocks" ? tagOf("block", "Blocks") : tagOf("warn", "Warns"))));
  const same = runs[0].facts.filter(f => !differ.some(d => d.what === f[0])).map(f => f[0]);
  const table = differ.length ? tableOf([node("b", "", "What differs")], ["What", ...runs.map(letterOf), "Level"], rows) : node("p", "", "Nothing that matters differs.");
  return section("matrix", "Can these runs be compared?", "", table, node("p", "small muted", "The same in all: " + same.join(", ") + "."));
}

function cell(text, run, measure, value) {
  const td = node("td", "r", text);
  Object.assign(td.dataset, {run: run.key, measure, value});
  return td;
}

function verdictCell(c, measure, reason, words) {
  if (reason) return tagOf(...words.tags[certainty(reason)]);
  if (!isCost(measure)) return tagOf(words.tags[c.verdict][0], fill(words.tags[c.verdict][1], {margin: fixed(words.margin, 3)}));
  if (!c.interval || c.interval[0] <= 0 && c.interval[1] >= 0) return tagOf(...words.tags.undecided);
  return tagOf(...(c.mean > 0 ? words.tags.dearer : words.tags.cheaper));
}

// The row of a measure: the baseline's value, then value, difference with interval, and verdict of each other run.
function measureRow(measure, found, base, others, words) {
  const most = Math.max(1e-9, ...found.flatMap(c => [Math.abs(c.mean), ...(c.interval || []).map(Math.abs)]));
  const cells = found.flatMap((c, i) => {
    const run = others[i], reason = constructed(base, run, measure), digits = digitsOf(measure, c.mean), drawn = node("td", "drawn");
    const kind = reason || isCost(measure) ? "open" : words.tags[c.verdict][0];
    if (c.interval) drawn.innerHTML = intervalCell(c.mean, ...c.interval, most, kind, isCost(measure) ? 0 : words.margin);
    const said = c.interval ? levelAs(c.level) + ": " + interval(...c.interval, digits) : "no interval: " + c.n + " questions";
    const difference = node("td", "", node("span", "nowrap", signed(c.mean, digits)), document.createElement("br"), node("span", "ci", said));
    Object.assign(difference.dataset, {run: run.key, base: base.key, measure, value: c.mean, low: c.interval ? c.interval[0] : "", high: c.interval ? c.interval[1] : ""});
    const value = average(run.values[measure]);
    return [cell(measuredAs(measure, value), run, measure, value), difference, drawn, node("td", "", verdictCell(c, measure, reason, words))];
  });
  const value = average(base.values[measure]);
  return rowOf(node("span", "mono", measure), cell(measuredAs(measure, value), base, measure, value), ...cells);
}

function flipsOf(runs, base, asked) {
  const flips = asked.filter(q => new Set(runs.map(r => r.lost[q] === "")).size > 1 && runs.every(r => r.lost[q] !== undefined));
  const rows = flips.slice(0, 100).map(q => rowOf(linked(base.texts[q] || q, runs.map(r => r.pages[q]).find(Boolean)),
    ...runs.map(r => node("td", "", r.lost[q] ? tagOf("worse", "lost at " + r.lost[q]) : tagOf("better", "found")))));
  const lede = "All gold in the context of one run, and not of another: " + flips.length + " of " + Object.keys(base.lost).length + " questions with gold" + (flips.length > 100 ? "; the first 100 are shown." : ".");
  return section("flips", "Questions that flip", lede, flips.length ? tableOf([node("b", "", "Questions that flip")], ["Question", ...runs.map(letterOf)], rows) : "");
}

function curveOf(runs, measures, budgets) {
  const found = measures.filter(m => m.startsWith("SpanR@") && budgets.includes(budgetOf(m))).sort((a, b) => budgetOf(a) - budgetOf(b));
  const rows = found.map(m => rowOf(plain(budgetOf(m), 0), ...runs.map(r => { const v = average(r.values[m]); return cell(measuredAs(m, v), r, m, v); })));
  if (!found.length) return "";
  const series = runs.map(r => ({letter: r.letter, points: found.map(m => [budgetOf(m), average(r.values[m])])}));
  const drawn = node("div", "scroll"), title = "SpanR by token budget";
  drawn.innerHTML = budgetChart(series, title + "; the same values stand in the table beside it");
  drawn.tabIndex = 0;
  drawn.setAttribute("role", "region");
  drawn.setAttribute("aria-label", "Chart of " + title);
  const figure = node("figure", "fig", node("figcaption", "", node("b", "", title), node("span", "", "Means; the intervals of the differences stand under Measures.")), drawn);
  return section("curve", "At every budget", "", node("div", "cols", figure, tableOf([node("b", "", "SpanR by token budget"), " of the context, filled in rank order"], ["Tokens", ...runs.map(letterOf)], rows, "tight")));
}

function decoded(run, letter) {
  const values = {};
  Object.keys(run.measures || {}).forEach(m => { values[m] = R.floats(run.measures[m]); });
  return {...run, letter, values, tokens: run.tokens ? R.floats(run.tokens) : []};
}

// The tables fill row by row, so that the page answers while a thousand questions are resampled.
function measured(place, measures, runs, base, words, differ, mine) {
  const others = runs.filter(r => r !== base), lead = leading(runs, measures, words), known = {};
  const heads = ["Measure", letterOf(base), ...others.flatMap(r => [letterOf(r), r.letter + " \u2212 " + base.letter, node("span", "vh", r.letter + " \u2212 " + base.letter + " drawn"), "Verdict"])];
  const bodies = ["At equal tokens", "At equal top_k"].map(name => {
    const marks = softWarnings(runs, words.notices).map(([head]) => tagOf("warn", head.replace(":", "")));
    const region = tableOf([node("b", "", name), ...marks], heads.map(h => typeof h === "string" ? h : h.cloneNode(true)), [], "stick wide-values");
    place.append(region);
    return region.querySelector("tbody");
  });
  const verdicts = node("div", "");
  place.before(section("verdicts", "Verdicts", "", verdicts));
  const rest = [...lead, ...measures.filter(m => !lead.includes(m)).sort((a, b) => (budgetOf(a) || 0) - (budgetOf(b) || 0))];
  const step = () => {
    if (mine !== turn) return;
    const m = rest.shift();
    if (m === undefined) { place.dataset.done = "yes"; return; }
    known[m] = contrasts(others.map(r => r.values[m].map((v, i) => v - base.values[m][i])), base.seed, {clusters: base.clusters, margin: words.margin});
    bodies[isBudget(m) ? 0 : 1].append(measureRow(m, known[m], base, others, words));
    if (m === lead[lead.length - 1]) verdicts.append(...others.map((r, i) => answerOf(r, i, base, lead, known, words)), firstOf(runs, m, base));
    setTimeout(step, 0);
  };
  step();
}

function firstOf(runs, measure, base) {
  const shares = firstShares(runs.map(r => r.values[measure]), base.seed, base.clusters);
  const said = runs.map((r, i) => { const part = node("span", "", r.letter + " in " + fixed(100 * shares[i], 1) + "%"); Object.assign(part.dataset, {run: r.key, measure, share: shares[i]}); return part; });
  return node("p", "small muted", "Highest mean of " + measure + " in resamples of the questions: ", ...said.flatMap((p, i) => i ? [", ", p] : [p]), ". A winner is named from 90%.");
}

function answerOf(run, i, base, lead, known, words) {
  const [atK, atTokens] = lead.map(m => claimed(known[m][i], base, run, m, words.margin));
  const said = headlineOf(atK, atTokens, constructed(base, run, lead[0]), words);
  const el = node("div", "verdict " + said.kind, node("div", "kick", ...said.tags.map(t => tagOf(...t)), node("span", "", run.letter + " against " + base.letter)), node("p", "", said.sentence));
  el.dataset.run = run.key;
  return el;
}

async function show() {
  const mine = ++turn, at = R.state(), place = R.one("#compared"), words = await R.get("words");
  const names = [...new Set((at.runs || "").split(",").filter(Boolean))].slice(0, 6), got = await Promise.all(names.map(k => R.get(k).catch(() => null)));
  if (mine !== turn) return;
  place.replaceChildren();
  place.hidden = !names.length;
  const gone = names.filter((_, i) => !got[i]), runs = got.filter(Boolean).map((r, i) => decoded(r, LETTERS[i]));
  gone.forEach(k => place.append(node("div", "note block", node("p", "", "No data of the run ", R.inert(k.slice(0, 80)), ": it is not in this report."))));
  R.one("#facts").replaceChildren();
  if (runs.length < 2) {
    if (names.length) place.append(node("div", "note", node("p", "", "Two runs are needed for a comparison. Choose them below.")));
    return;
  }
  const base = runs.find(r => r.key === at.base) || runs[0], differ = differing(runs), blocks = differ.filter(d => d.level === "blocks");
  R.one("#head").textContent = document.title = "Compare " + runs.length + " runs";
  const fact = (name, value) => node("li", "", name + " ", node("b", "", value));
  if (!blocks.length && base.queries) R.one("#facts").append(fact("questions", plain(base.queries.length, 0)), fact("baseline", base.letter));
  place.append(...notesOf(softWarnings(runs, words.notices), words, blocks), cardsOf(runs, base, differ));
  const old = runs.filter(r => r.missing);
  old.forEach(r => place.append(node("div", "note block", node("p", "", r.letter + ": ", R.inert(r.missing)))));
  if (blocks.length || old.length) { place.append(matrixOf(runs, differ)); return; }
  const measures = Object.keys(runs[0].measures).filter(m => runs.every(r => r.measures[m])), tables = section("measures", "Measures", "Difference to " + base.letter + " with its interval, paired by question; the interval is at the level that Holm\u2019s correction leaves.");
  place.append(tables, curveOf(runs, measures, words.budgets), matrixOf(runs, differ), flipsOf(runs, base, base.queries));
  measured(tables, measures, runs, base, words, differ, mine);
  R.say("Comparing " + runs.length + " runs");
}

addEventListener("hashchange", show);
document.addEventListener("DOMContentLoaded", show);
