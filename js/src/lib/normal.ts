/**
 * Standard normal distribution function.
 *
 * Series for small |z|, continued fraction for the tails: absolute error below 1e-14.
 */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) return Number.NaN;
  const x = Math.abs(z);
  if (x > 38) return z > 0 ? 1 : 0;
  const upper = x < 3 ? 0.5 - seriesArea(x) : tail(x);
  return z > 0 ? 1 - upper : upper;
}

const density = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** Area from 0 to x: phi(x) (x + x^3/3 + x^5/15 + ...). */
function seriesArea(x: number): number {
  let term = x;
  let sum = x;
  for (let k = 3; term > 1e-17 * sum; k += 2) {
    term *= (x * x) / k;
    sum += term;
  }
  return density(x) * sum;
}

/** Area above x, by Laplace's continued fraction. */
function tail(x: number): number {
  let fraction = x;
  for (let k = 60; k > 0; k--) fraction = x + k / fraction;
  return density(x) / fraction;
}
