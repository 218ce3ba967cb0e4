/** Numbers as people read them: a true minus sign, a space before the per cent sign. */

const MINUS = "\u2212";
const DASH = "\u2013";

export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "?" : value > 0 ? "∞" : `${MINUS}∞`;
  const text = half(Math.abs(value), digits).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** Halves go to the even neighbour, as Python writes them: 62.5 is "62" in every sentence. */
function half(value: number, digits: number): number {
  const scaled = value * 10 ** digits;
  const below = Math.floor(scaled);
  return scaled - below === 0.5 && below % 2 === 0 ? below / 10 ** digits : value;
}

/** A share of 1 in per cent, without the sign: 0.613 is "61". */
export const points = (share: number, digits = 0) => fixed(share * 100, digits);

export const percent = (share: number, digits = 0) => `${points(share, digits)} %`;

/** Decimals that tell an interval's ends apart, and from the neutral 50 where they are not on it. */
export function intervalDigits(interval: readonly [number, number]): number {
  const [low, high] = interval;
  const width = Math.abs(high - low) * 100;
  let digits = width >= 5 ? 0 : width >= 0.5 ? 1 : 2;
  while (digits < 2 && interval.some((v) => v !== 0.5 && Number(points(v, digits)) === 50))
    digits++;
  return digits;
}

/** "52–70 %"; with "to" between where a minus sign would make the dash hard to read. */
export function percentRange(interval: readonly [number, number], digits?: number): string {
  const d = digits ?? intervalDigits(interval);
  const [low, high] = interval.map((v) => points(v, d)) as [string, string];
  const between = low.startsWith(MINUS) || high.startsWith(MINUS) ? " to " : DASH;
  return `${low}${between}${high} %`;
}

/** A switch point in little room: ".62", "1.04", "−.12". */
export function short(value: number): string {
  return fixed(value, 2).replace(/^(\u2212?)0\./, "$1.");
}

/** A count, or an expected count with one decimal. */
export const count = (n: number) => fixed(n, Number.isInteger(n) ? 0 : 1);

const grouped = new Intl.NumberFormat("en");

/** "1,507"; a number's own `toLocaleString` takes Chromium 7 µs, and this a half. */
export const whole = (n: number) => grouped.format(n);

/** "1,507 pairs". */
export const many = (n: number, one: string, several = `${one}s`) =>
  `${whole(n)} ${n === 1 ? one : several}`;

/** Time left, roughly: nobody needs "43.7 s". */
export function about(seconds: number): string {
  if (seconds < 1.5) return "about a second";
  if (seconds < 90) return `about ${Math.round(seconds)} s`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min`;
  return `about ${fixed(seconds / 3600, 1)} h`;
}
