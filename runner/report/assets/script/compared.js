// Rules of a comparison, the same as runner/comparison and runner/report/wording.py: what differs, which measures
// lead, what is certain by construction, and which template a sentence is.

function isBudget(measure) {
  return /@\d+t$/.test(measure);
}

function isCost(measure) {
  return measure.startsWith("Tokens");
}

function budgetOf(measure) {
  const found = /@(\d+)t$/.exec(measure);
  return found ? +found[1] : null;
}

// Runs may be asked for other measures: only the versions of what two of them share must agree.
function differs(what, values) {
  if (what !== "versions of the measures") return new Set(values).size > 1;
  const all = new Set(values.flatMap(v => v.split(", ")).filter(p => p.includes("=")));
  return new Set([...all].map(p => p.split("=")[0])).size < all.size;
}

// What differs between runs, blocking differences first; a fact is [name, level, field, value].
function differing(runs) {
  const found = runs[0].facts.map(([what, level], i) => ({what, level, values: runs.map(r => r.facts[i][3])}));
  const left = found.filter(d => differs(d.what, d.values));
  return [...left.filter(d => d.level === "blocks"), ...left.filter(d => d.level !== "blocks")];
}

function constructed(base, run, measure) {
  if (base.hits !== run.hits || (base.prev === run.prev && base.next === run.next) || isBudget(measure)) return "";
  if (!measure.endsWith("+")) return "same hits: expansion leaves ranks alone";
  if (measure.startsWith("SpanR") && run.prev >= base.prev && run.next >= base.next) return "expansion only adds";
  if (measure.startsWith("SpanR") && run.prev <= base.prev && run.next <= base.next) return "a narrower window only takes away";
  return "";
}

function certainty(reason) {
  if (reason.startsWith("same hits")) return "construction";
  return reason === "expansion only adds" ? "adds" : "takes";
}

function average(values) {
  const there = Array.from(values).filter(Number.isFinite);
  return there.reduce((s, v) => s + v, 0) / Math.max(there.length, 1);
}

// The measure of the headline at equal top_k, and the one at the budget of runner/comparison/record.py.
function leading(runs, measures, words) {
  let lead = measures.find(m => !isCost(m) && !isBudget(m));
  if (lead === undefined) return [measures.find(m => !isCost(m)) || measures[0]];
  if (runs.some(r => r.prev || r.next) && measures.includes(lead + "+")) lead += "+";
  const known = measures.filter(m => m.startsWith("SpanR@") && words.budgets.includes(budgetOf(m))).map(budgetOf).sort((a, b) => a - b);
  const most = Math.max(...runs.map(r => r.chunk)), least = Math.min(...runs.map(r => average(r.tokens)));
  let holding = known.filter(b => b >= most);
  if (!holding.length) holding = known.slice(-1);
  const filled = holding.filter(b => b * words.filled <= least), last = filled.length ? filled[filled.length - 1] : holding[0];
  return last === undefined ? [lead] : [lead, "SpanR@" + last + "t"];
}

function digitsOf(measure, value) {
  if (isCost(measure)) return Math.abs(value) < 100 && value % 1 ? 1 : 0;
  return measure.startsWith("Yield") ? 4 : 3;
}

function measuredAs(measure, value) {
  return plain(value, digitsOf(measure, value));
}

function levelAs(value) {
  return fixed(100 * value, value < 0.999 ? 1 : 2).replace(/\.?0+$/, "") + "%";
}

// One comparison as its sentence needs it.
function claimed(c, base, run, measure, margin) {
  const share = /^(SpanR|R@|Success|ChromaR)/.test(measure), tokens = [average(base.tokens), average(run.tokens)];
  const thing = measure.startsWith("SpanR") ? "gold text" : measure;
  return {...c, change: run.letter, base: base.letter, thing, share, budget: budgetOf(measure), tokens, margin};
}

function sizeOf(c, value) {
  return c.share ? plain(Math.abs(100 * value), 1) + " points" : plain(Math.abs(value), 3);
}

function costsOf(c) {
  if (c.budget !== null) return {cost: "", price: "", saving: "", cheaper: ""};
  const [before, after] = c.tokens, more = plain(Math.abs(after - before), 0) + " tokens";
  const [dear, cheap] = after < before ? [c.base, c.change] : [c.change, c.base], same = fixed(before, 0) === fixed(after, 0);
  const times = same || !before ? "" : " for " + fixed(after / before, 1) + " times the tokens";
  return {
    cost: times, price: times && "," + times,
    saving: same ? "" : dear === c.base ? "; it saves " + more : "; it costs " + more + " more",
    cheaper: same ? "" : "; " + cheap + " is cheaper by " + more,
  };
}

function slotsOf(c, phrases) {
  const [low, high] = c.interval || [], at = c.budget === null ? "" : " at " + plain(c.budget, 0) + " tokens";
  const ends = !c.interval ? "" : c.share ? interval(100 * low, 100 * high, 1) : interval(low, high, 3);
  const words = {amount: sizeOf(c, c.mean), thing: c.thing, at}, kind = c.share ? "share" : "score";
  const need = about(c.needed), verbs = {};
  for (const verb of ["brings", "gains", "loses"]) verbs[verb] = fill(phrases[verb + ", " + kind], words);
  return {
    ...words, ...costsOf(c), ...verbs, change: c.change, base: c.base, ends,
    difference: c.share ? signed(100 * c.mean, 1) + " points" : signed(c.mean, 3),
    interval: levelAs(c.level) + " interval " + ends, n: plain(c.n, 0), p: pValue(c.corrected),
    margin: sizeOf(c, c.margin), limit: c.margin ? "the margin of \u00b1" + sizeOf(c, c.margin) : "a margin",
    need: need[0].toUpperCase() + need.slice(1),
  };
}

function sentenceOf(c, words) {
  let rule = c.verdict;
  if (rule === "undecided") rule = !c.interval ? "too few" : c.needed !== null && c.needed <= 10 * c.n ? "undecided" : "undecided, far";
  return fill(words.templates[rule], slotsOf(c, words.phrases));
}

// The verdict at equal top_k and at equal tokens: a gain that more context buys is never the headline alone.
function headlineOf(atK, atTokens, reason, words) {
  const tagged = (c, where) => [words.tags[c.verdict][0], fill(words.tags[c.verdict][1], {margin: sizeOf(c, c.margin)}) + where];
  if (!atTokens) {
    if (reason) {
      const rule = certainty(reason), tag = words.tags[rule];
      return {kind: tag[0], tags: [tag], sentence: fill(words.templates[rule], {measure: atK.thing, reason})};
    }
    return {kind: words.tags[atK.verdict][0], tags: [tagged(atK, "")], sentence: sentenceOf(atK, words)};
  }
  const tags = [tagged(atK, " at equal top_k"), tagged(atTokens, " at equal tokens")], kind = tags[1][0];
  if (atK.verdict === "better" && atTokens.verdict !== "better") {
    if (atTokens.verdict === "worse") {
      const {at, interval, p} = slotsOf(atTokens, words.phrases), {loses} = slotsOf({...atTokens, budget: null}, words.phrases);
      return {kind, tags, sentence: fill(words.templates["worse at equal tokens"], {...slotsOf(atK, words.phrases), at, interval, p, loses})};
    }
    return {kind, tags, sentence: fill(words.templates["not at equal tokens"], slotsOf(atK, words.phrases))};
  }
  return {kind, tags, sentence: sentenceOf(atK.verdict === "better" && !reason ? atK : atTokens, words)};
}

function listedAs(names) {
  return names.length < 2 ? names.join("") : names.slice(0, -1).join(", ") + " and " + names[names.length - 1];
}

// The soft warnings, exactly when runs differ on neighbors or model: [head, body].
function softWarnings(runs, templates) {
  const sides = (value, one, many) => {
    const by = new Map();
    runs.forEach(r => by.set(value(r), [...by.get(value(r)) || [], r.letter]));
    return by.size < 2 ? "" : [...by].map(([what, who]) => listedAs(who) + " " + (who.length === 1 ? one : many) + " " + what).join(", ");
  };
  const fact = (run, name) => run.facts.find(f => f[0] === name)[3];
  const windows = sides(r => fact(r, "Neighbor Expansion"), "has", "have"), models = sides(r => fact(r, "Embedding Model"), "uses", "use"), out = [];
  const cut = runs.filter(r => r.cut).map(r => fill(templates.cut, {k: r.cut.toLocaleString("en-US") + (r.cut === 1 ? " chunk" : " chunks"), run: r.letter})).join("");
  if (windows) out.push(["Neighbor Expansion differs:", fill(templates.neighbors, {sides: windows})]);
  if (models) out.push(["Embedding Model differs:", fill(templates.embedding, {sides: models, cut: cut})]);
  return out;
}
