// A measure by token budget as SVG text: a line, marks and a letter per run; numbers and letters only.

function budgetChart(series, name) {
  const wide = 640, high = 280, left = 44, right = 40, top = 14, foot = 40, px = v => fixed(v, 1).replace(/\.0$/, "");
  const values = series.flatMap(s => s.points.map(p => p[1])), budgets = series[0].points.map(p => p[0]);
  const low = Math.floor(Math.min(...values) * 10) / 10, up = Math.max(Math.ceil(Math.max(...values) * 10) / 10, low + 0.1);
  // Budgets double, so they stand at equal distances on a logarithmic axis.
  const first = Math.log(budgets[0]), across = Math.log(budgets[budgets.length - 1]) - first || 1;
  const x = b => left + (wide - left - right) * (Math.log(b) - first) / across, y = v => top + (high - top - foot) * (up - v) / (up - low);
  let body = "";
  for (let t = Math.round(low * 10); t <= Math.round(up * 10); t++) {
    body += `<path class="grid" d="M${left} ${px(y(t / 10))}H${wide - right}"/><text class="e" x="${left - 8}" y="${px(y(t / 10) + 4)}">${fixed(t / 10, 1)}</text>`;
  }
  budgets.forEach(b => { body += `<text class="m" x="${px(x(b))}" y="${high - foot + 18}">${plain(b, 0)}</text>`; });
  body += `<path class="axis" d="M${left} ${high - foot}H${wide - right}"/><text class="e" x="${wide - right}" y="${high - 4}">tokens, each step doubled</text>`;
  const ends = series.map((s, i) => ({i, at: y(s.points[s.points.length - 1][1])})).sort((a, b) => a.at - b.at);
  ends.forEach((e, k) => { if (k) e.at = Math.max(e.at, ends[k - 1].at + 14); });
  series.forEach((s, i) => {
    const colour = i % 4 + 1, at = ends.find(e => e.i === i).at;
    body += `<path class="l${colour}${i % 2 ? " dash" : ""}" d="M${s.points.map(p => px(x(p[0])) + " " + px(y(p[1]))).join("L")}"/>`;
    body += s.points.map(p => `<circle class="f${colour}" cx="${px(x(p[0]))}" cy="${px(y(p[1]))}" r="3"/>`).join("");
    body += `<text class="k f${colour}" x="${wide - right + 10}" y="${px(at + 4)}">${s.letter}</text>`;
  });
  return `<svg class="chart" viewBox="0 0 ${wide} ${high}" role="img" aria-label="${name}">${body}</svg>`;
}
