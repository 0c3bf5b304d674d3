// Normal and Student distributions. Sources: Marsaglia, "Evaluating the Normal Distribution", JSS 11(4), 2004;
// Abramowitz and Stegun, Handbook of Mathematical Functions, 6.1.47, 26.2.23, 26.5.4, 26.7.1.

function below(x) {
  if (Math.abs(x) > 8) return x < 0 ? 0 : 1;
  let sum = x, last = 0, term = x;
  for (let i = 3; sum !== last; i += 2) {
    last = sum;
    term *= x * x / i;
    sum += term;
  }
  return 0.5 + sum * Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

function quantile(p) {
  if (p > 0.5) return -quantile(1 - p);
  const t = Math.sqrt(-2 * Math.log(p));
  let x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (let i = 0; i < 4; i++) x -= (below(x) - p) * Math.sqrt(2 * Math.PI) * Math.exp(0.5 * x * x);
  return x;
}

// gamma(a + 1/2) / gamma(a): the expansion for large a, reached by the recurrence.
function gammaRatio(a) {
  let factor = 1;
  for (; a < 100; a++) factor *= a / (a + 0.5);
  return factor * Math.sqrt(a) * (1 - 1 / (8 * a) + 1 / (128 * a ** 2) + 5 / (1024 * a ** 3) - 21 / (32768 * a ** 4));
}

// The incomplete beta function as a series of positive terms; one of a and b is 1/2, the other is `large`.
function betaPart(x, a, b, large) {
  let sum = 1, term = 1;
  for (let i = 0; term > sum * 1e-17; i++) sum += term *= x * (a + b + i) / (a + 1 + i);
  return sum * Math.exp(a * Math.log(x) + b * Math.log1p(-x)) * gammaRatio(large) / (a * Math.sqrt(Math.PI));
}

function outside(t, df) {
  if (t === 0) return 1;
  const y = t * t / (df + t * t);
  return y < 0.5 ? 1 - betaPart(y, 0.5, df / 2, df / 2) : betaPart(df / (df + t * t), df / 2, 0.5, df / 2);
}

function studentQuantile(df, p) {
  const tail = 2 * (1 - p);
  let low = 0, high = 1;
  while (outside(high, df) > tail) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (outside(middle, df) > tail) low = middle; else high = middle;
  }
  return (low + high) / 2;
}
