/** A linear map from a domain to pixels, and back. */
export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
}

export function linear(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const [d0, d1] = domain;
  const [r0, r1] = range;
  const slope = d1 === d0 ? 0 : (r1 - r0) / (d1 - d0);
  const scale = (value: number) => (d1 === d0 ? (r0 + r1) / 2 : r0 + (value - d0) * slope);
  const invert = (pixel: number) => (slope === 0 ? d0 : d0 + (pixel - r0) / slope);
  return Object.assign(scale, { invert, domain, range });
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** A round step (1, 2 or 5 times a power of ten) of which about `count` fit into the domain. */
export function tickStep(low: number, high: number, count: number): number {
  const span = high - low;
  if (!(span > 0)) return 1;
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= 0.75 * rough) ?? 10;
  return factor * power;
}

/** The multiples of `step` from low to high. */
export function ticks(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const ticks: number[] = [];
  for (let k = first; k <= last; k++) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

/** From the least to the greatest value there is, with a margin as a share of their range. */
export function domainOver(
  values: readonly (number | null | undefined)[],
  margin: number,
): [number, number] {
  const all = values.filter((v): v is number => Number.isFinite(v));
  if (all.length === 0) return [0, 1];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = margin * (high - low || Math.abs(high) || 1);
  return [low - room, high + room];
}

/** Round values on an axis, counted from the neutral one, so that it is always among them. */
export function axisTicks(
  [low, high]: readonly [number, number],
  neutral: number,
  room: number,
  each = 58,
) {
  const step = tickStep(low, high, Math.max(2, Math.floor(room / each)));
  return ticks(low - neutral, high - neutral, step).map((t) =>
    Number((t + neutral).toPrecision(12)),
  );
}
