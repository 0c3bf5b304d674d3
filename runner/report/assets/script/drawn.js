// The interval of a table row as SVG text, the same bytes as runner/report/charts/interval.py; numbers only.

function intervalCell(difference, low, high, most, kind, margin) {
  const px = value => fixed(value, 1).replace(/\.0$/, ""), x = value => 4 + 124 * (value + most) / (2 * most);
  const left = x(-Math.min(margin, most)), band = x(Math.min(margin, most)) - left, a = px(x(low)), b = px(x(high));
  return `<svg class="iv ${kind}" viewBox="0 0 132 16" width="132" height="16" aria-hidden="true">` +
    (margin ? `<rect class="mg" x="${px(left)}" y="0" width="${px(band)}" height="16"/>` : "") +
    `<path class="z" d="M${px(x(0))} 0V16"/><path class="w" d="M${a} 8H${b}M${a} 5V11M${b} 5V11"/>` +
    `<circle class="d" cx="${px(x(difference))}" cy="8" r="3.5"/></svg>`;
}
