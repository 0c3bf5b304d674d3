// Paired comparisons of stored runs, the same rules and draws as runner/statistics, so page and terminal agree.

const DRAWS = 2000, EXACT = 16, DRAWN = 65535, ALPHA = 0.05, STEP = 0x9E3779B9;

function mix(word) {
  word = Math.imul(word ^ word >>> 16, 0x85EBCA6B);
  word = Math.imul(word ^ word >>> 13, 0xC2B2AE35);
  return (word ^ word >>> 16) >>> 0;
}

// Word `number` of a stream; the seed is 16 hexadecimal digits, because a number holds 53 bits only.
function words(seed, stream) {
  const low = parseInt(seed.slice(8), 16) | 0, key = parseInt(seed.slice(0, 8), 16) + Math.imul(stream, STEP) | 0;
  return number => mix(mix(Math.imul(number, STEP) + low | 0) ^ key);
}

// How often each unit is drawn in each resample, row by row. Kept, because every comparison reads it.
const countsOf = {};
function resamples(units, seed) {
  const name = units + seed;
  if (countsOf[name]) return countsOf[name];
  const counts = new Uint16Array(DRAWS * units), word = words(seed, 0);
  for (let row = 0, i = 0; row < DRAWS; row++) {
    for (let j = 0; j < units; j++, i++) counts[row * units + Math.floor(word(i) * units / 4294967296)]++;
  }
  return countsOf[name] = counts;
}

// Totals and sizes of the units: questions, or clusters of them. NaN: the question has no value, and counts nowhere.
function unitsOf(values, clusters) {
  const count = clusters ? Math.max(...clusters) + 1 : values.length;
  const u = {totals: new Float64Array(count), sizes: new Float64Array(count), n: 0, sum: 0, all: 0, found: []};
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const at = clusters ? clusters[i] : i;
    u.totals[at] += value;
    u.sizes[at]++;
    u.found.push(value);
  });
  u.n = u.found.length;
  u.totals.forEach(t => { u.sum += t; u.all += Math.abs(t); });
  u.mean = u.sum / Math.max(u.n, 1);
  u.there = u.sizes.reduce((k, s) => k + (s > 0), 0);
  return u;
}

function resampledMeans(u, seed) {
  const count = u.totals.length, counts = resamples(count, seed), out = new Float64Array(DRAWS);
  for (let row = 0, i = 0; row < DRAWS; row++) {
    let total = 0, size = 0;
    for (let j = 0; j < count; j++, i++) {
      total += counts[i] * u.totals[j];
      size += counts[i] * u.sizes[j];
    }
    out[row] = size > 0 ? total / size : u.mean;
  }
  return out;
}

// Standard error and shape of the mean, from the influence of each unit.
function momentsOf(u) {
  const influence = u.totals.map((t, i) => t - u.mean * u.sizes[i]), largest = u.totals.reduce((m, t) => Math.max(m, Math.abs(t)), 0);
  const sum = power => influence.reduce((s, x) => s + x ** power, 0), some = influence.some(x => Math.abs(x) > 1e-12 * largest);
  const second = some ? sum(2) : 0, there = Math.max(u.there, 2);
  const kurtosis = second ? u.there * sum(4) / second ** 2 : 3;
  const freedom = 2 / (2 / (there - 1) + (kurtosis - 3) / there);
  return {
    error: Math.sqrt(u.there / Math.max(u.there - 1, 1) * second) / Math.max(u.n, 1),
    skewness: second ? Math.sqrt(u.there) * sum(3) / second ** 1.5 : 0, kurtosis,
    freedom: Math.min(Math.max(freedom, 1), there - 1),
  };
}

// Efron's bias-corrected and accelerated interval, from a vector of resampled means.
function bca(u, means, alpha) {
  const equal = 1e-12 * u.all / Math.max(u.n, 1), ordered = means.slice().sort();
  let under = 0;
  means.forEach(m => { under += (m < u.mean - equal) + (m <= u.mean + equal); });
  const least = 0.5 / DRAWS, z0 = quantile(Math.min(Math.max(under / (2 * DRAWS), least), 1 - least)), a = momentsOf(u).skewness / (6 * Math.sqrt(Math.max(u.there, 1)));
  return [quantile(alpha / 2), -quantile(alpha / 2)].map(z => {
    const place = below(z0 + (z0 + z) / (1 - a * (z0 + z))) * (DRAWS - 1), i = Math.floor(place);
    return ordered[i] + (ordered[Math.min(i + 1, DRAWS - 1)] - ordered[i]) * (place - i);
  });
}

// Sign flips: all patterns of up to 16 units that differ, else 65,535 drawn ones.
function signFlip(u, seed) {
  const differ = u.totals.filter(t => t !== 0), least = Math.abs(u.sum) - 1e-10 * u.all;
  if (differ.length <= EXACT) {
    let reached = [0], hits = 0;
    differ.forEach(t => { reached = reached.flatMap(r => [r + t, r - t]); });
    reached.forEach(r => { hits += Math.abs(r) >= least; });
    return hits / reached.length;
  }
  const wide = Math.ceil(u.totals.length / 32), word = words(seed, 1), sums = new Float64Array(wide * 4 * 256);
  // The sum of each byte's flipped units, for all 256 bytes: eight units at a time.
  for (let i = 0; i < sums.length; i++) {
    for (let bit = 0; bit < 8; bit++) if (i >> bit & 1) sums[i] += u.totals[(i >> 8) * 8 + bit] || 0;
  }
  let hits = 0;
  for (let row = 0, number = 0; row < DRAWN; row++) {
    let flipped = 0;
    for (let j = 0; j < wide; j++, number++) {
      const w = word(number), at = j << 10;
      flipped += sums[at + (w & 255)] + sums[at + 256 + (w >>> 8 & 255)] + sums[at + 512 + (w >>> 16 & 255)] + sums[at + 768 + (w >>> 24)];
    }
    hits += Math.abs(u.sum - 2 * flipped) >= least;
  }
  return (hits + 1) / (DRAWN + 1);
}

// Holm: corrected p, and the level at which each one is tested.
function holm(p) {
  const m = p.length, order = p.map((_, i) => i).sort((a, b) => p[a] - p[b]), ranked = order.map(i => p[i]);
  const stopped = ranked.findIndex((x, i) => x > ALPHA / (m - i)), last = stopped < 0 ? m : stopped;
  const corrected = [], level = [];
  let most = 0;
  order.forEach((i, rank) => {
    most = Math.max(most, (m - rank) * p[i]);
    corrected[i] = Math.min(most, 1);
    level[i] = ALPHA / (m - Math.min(ranked.indexOf(p[i]), last));
  });
  return {corrected, level};
}

// The interval at the level of its Holm step; the end near 0 follows the test where the two would contradict.
function intervalAt(u, seed, p, level, rejected) {
  const {freedom} = momentsOf(u), there = Math.max(u.there, 2), reach = studentQuantile(freedom, 1 - level / 2);
  const wider = reach / quantile(1 - ALPHA / 2) * Math.sqrt(there / (there - 1));
  let [low, high] = bca(u, resampledMeans(u, seed), ALPHA);
  low = u.mean - Math.max(u.mean - low, 0) * wider;
  high = u.mean + Math.max(high - u.mean, 0) * wider;
  if ((low > 0 || high < 0) !== rejected) {
    let short = Math.abs(u.mean) * reach / Math.max(studentQuantile(freedom, 1 - p / 2), 1e-9);
    if (rejected) short = Math.min(short, Math.abs(u.mean) * (1 - 1e-9));
    if (u.mean >= 0) low = u.mean - short;
    if (u.mean <= 0) high = u.mean + short;
  }
  return [low, high];
}

function verdictOf(interval, margin) {
  if (!interval) return "undecided";
  if (-margin <= interval[0] && interval[1] <= margin) return "equivalent";
  return interval[0] > 0 ? "better" : interval[1] < 0 ? "worse" : "undecided";
}

// The probability that n units decide rightly; mean and spread of t by its expansion in the sample's deviations.
function decides(n, effect, alpha, margin) {
  const mean = Math.abs(effect.mean), error = effect.deviation / Math.sqrt(n);
  const half = studentQuantile(n - 1, 1 - alpha / 2) * error, inner = margin - half;
  let right = 0;
  if (mean > 0) {
    const size = mean / effect.deviation, more = effect.kurtosis - 1, skewness = effect.skewness * Math.sign(effect.mean);
    const centre = Math.sqrt(n) * size * (1 + 3 * more / (8 * n)) - skewness / (2 * Math.sqrt(n));
    const spread = Math.sqrt(Math.max(0.05, 1 - size * skewness + size ** 2 * more / 4));
    right += below((centre - Math.max(half, inner) / error) / spread);
  }
  if (inner > 0 && mean <= margin) right += below((inner - mean) / error) - below((-inner - mean) / error);
  return Math.min(1, right);
}

// The least number of units that decides rightly in 80 of 100 cases; null: more than ten million.
function needed(effect, alpha, margin) {
  let low = fewest(alpha), high = 1e7;
  if (effect.deviation === 0) return effect.mean || margin ? low : null;
  if (decides(high, effect, alpha, margin) < 0.8) return null;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (decides(middle, effect, alpha, margin) >= 0.8) high = middle; else low = middle + 1;
  }
  return low;
}

function fewest(alpha) {
  return 1 + Math.ceil(Math.log2(1 / alpha));
}

// One family of comparisons: columns of differences per question (candidate minus baseline, higher is better).
function contrasts(columns, seed, {clusters = null, margin = 0} = {}) {
  const units = columns.map(c => unitsOf(c, clusters)), p = units.map(u => signFlip(u, seed)), {corrected, level} = holm(p);
  return units.map((u, i) => {
    const interval = u.there < fewest(ALPHA) ? null : intervalAt(u, seed, p[i], level[i], corrected[i] <= ALPHA);
    const verdict = verdictOf(interval, margin), m = momentsOf(u);
    let need = null;
    if (verdict === "undecided" && u.there > 1) {
      need = needed({mean: u.mean, deviation: m.error * Math.sqrt(u.there), skewness: m.skewness, kurtosis: m.kurtosis}, level[i], margin);
    }
    const count = test => u.found.filter(test).length;
    return {
      n: u.n, mean: u.mean, interval, level: 1 - level[i], p: p[i], corrected: corrected[i], verdict,
      wins: count(d => d > 0), ties: count(d => d === 0), losses: count(d => d < 0),
      needed: need && Math.max(u.n + 1, Math.ceil(need * u.n / u.there)),
    };
  });
}

// In what share of the resamples each run has the highest mean, over the questions that all have; ties share.
function firstShares(runs, seed, clusters = null) {
  const there = runs[0].map((_, i) => runs.every(r => Number.isFinite(r[i]))), kept = list => Array.from(list).filter((_, i) => there[i]);
  const left = clusters && kept(clusters), names = left && [...new Set(left)].sort((a, b) => a - b);
  const units = runs.map(r => unitsOf(kept(r), left && left.map(c => names.indexOf(c))));
  const means = units.map(u => resampledMeans(u, seed)), shares = runs.map(() => 0);
  const equal = 1e-12 * Math.max(...units.map(u => u.found.reduce((m, v) => Math.max(m, Math.abs(v)), 0)));
  for (let row = 0; row < DRAWS; row++) {
    const most = Math.max(...means.map(m => m[row])), first = means.map(m => m[row] >= most - equal);
    first.forEach((is, i) => { if (is) shares[i] += 1 / DRAWS / first.filter(Boolean).length; });
  }
  return shares;
}
