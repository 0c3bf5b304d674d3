// Numbers as text, the same digits as runner/report/numbers.py: half to even, true minus, no sign on zero.

const MINUS = "\u2212", MISSING = "\u2013";

function fixed(value, digits) {
  let text = Math.abs(value).toFixed(digits);
  // toFixed rounds an exact half up, Python to even; only a half has nothing after its 5.
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 60)), at = exact.length - 60;
  const half = exact.slice(at);
  if (half[0] === "5" && !/[1-9]/.test(half.slice(1))) {
    const down = exact.slice(0, at).replace(/\.$/, "");
    if (+down.slice(-1) % 2 === 0) text = down;
  }
  return (value < 0 && /[1-9]/.test(text) ? "-" : "") + text;
}

function grouped(text) {
  const [whole, rest] = text.split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest === undefined ? "" : "." + rest);
}

function plain(value, digits) {
  return grouped(fixed(value, digits)).replace("-", MINUS);
}

function signed(value, digits) {
  const text = plain(value, digits);
  return text[0] === MINUS || !/[1-9]/.test(text) ? text : "+" + text;
}

function interval(low, high, digits) {
  return signed(low, digits) + " to " + signed(high, digits);
}

function pValue(p) {
  if (p < 0.001) return "<\u00a00.001";
  return "=\u00a0" + plain(p, p < 0.1 ? 3 : 2);
}

function about(count) {
  if (count === null) return MISSING;
  if (count < 100) return "about " + count;
  const unit = 10 ** (String(count).length - 2), part = count / unit, down = Math.floor(part);
  const half = part - down === 0.5;
  return "about " + plain((half ? down + down % 2 : Math.round(part)) * unit, 0);
}

function fill(template, slots) {
  return template.replace(/\{(\w+)\}/g, (all, name) => slots[name]);
}
