/** Numbers and sentences of the association bench as people read them. */
import type { Estimate, Picture, Score, Side, Weat } from "../../generated/association";
import { fixed, whole } from "../../lib/format";
import { LABELS } from "./marks";
import type { Inputs, Spot } from "./store";
import { estimatesOf, sidesOf } from "./store";

export const MODELS: Record<Score["model"], string> = {
  pooled: "Pooled",
  "per-word": "Per word",
  crossed: "Crossed",
  "crossed-equal": "Crossed, one SD",
};

export const number = (v: number | null | undefined, digits = 2) =>
  typeof v === "number" && Number.isFinite(v) ? fixed(v, digits) : "–";

/** "0.01 to 0.24", with the decimals that tell its ends apart, and either from 0. */
export function range(low: number | null, high: number | null, least = 2): string {
  if (low === null || high === null) return "no interval";
  const width = Math.abs(high - low);
  let digits = width < 0.002 ? Math.max(least, 4) : width < 0.02 ? Math.max(least, 3) : least;
  const nears = (end: number) => end !== 0 && Math.abs(end) < 0.5 * 10 ** -digits;
  while (digits < 4 && (nears(low) || nears(high))) digits += 1;
  return `${fixed(low, digits)} to ${fixed(high, digits)}`;
}

export const estimateText = ({ value, low, high }: Estimate) =>
  `${number(value)} (${range(low, high)})`;

/** A p value with two digits that count: "0.016", "0.00047". */
export function pText(p: number): string {
  if (!Number.isFinite(p)) return "?";
  return p >= 0.1 ? fixed(p, 2) : String(Number(p.toPrecision(2)));
}

/** "4 of 252 splits reach it, p = 0.016"; where splits are drawn, that is said. */
export function splitsText(weat: Weat): string {
  const kind = weat.exact ? "splits" : "random splits";
  const verb = weat.exceed === 1 ? "reaches" : "reach";
  return `${whole(weat.exceed)} of ${whole(weat.partitions)} ${kind} ${verb} it, p = ${pText(weat.p)}`;
}

/** How many distances lie beyond the ends of the axis, where triangles tell of them. */
export function beyondText(side: Side | null, [low, high]: readonly [number, number]): string {
  const n = side?.distances.flat(2).filter((d) => d < low || d > high).length ?? 0;
  return n === 0 ? "" : `${whole(n)} beyond the axis`;
}

export interface Step {
  title: string;
  count: string;
  lost: string;
}

/** The four steps of throwing the data away, and what each of them loses. */
export function stepsOf(picture: Picture | null): Step[] {
  const side = picture?.before;
  const means = side?.means.flat().filter((v) => v !== null).length ?? 0;
  const macs = side?.connections.filter((c) => c.mac !== null).length ?? 0;
  const numbers = (n: number) => (side ? `${whole(n)} ${n === 1 ? "number" : "numbers"}` : "–");
  const weat = side?.weat ?? null;
  return [
    {
      title: "Every distance",
      count: numbers(side?.total ?? 0),
      lost: "nothing lost: each tick is a pair of words",
    },
    {
      title: "A mean per word and list",
      count: numbers(means),
      lost: "lost: the spread around each mean",
    },
    {
      title: "Means of means (MAC)",
      count: numbers(macs),
      lost: "lost: which word, and how many points each mean had",
    },
    {
      title: "One effect size (WEAT)",
      count: weat ? `1 number, ceiling ${number(weat.ceiling)}` : side ? "no number" : "–",
      lost: `lost: the scale, the controls${weat ? `; ${lengths(picture!, weat)} words set the ceiling` : ""}`,
    },
  ];
}

/** "5 + 5": how many words of the two groups stand behind WEAT. */
function lengths({ protected: words }: Picture, { groups }: Weat): string {
  return groups.map((g) => words.filter((p) => p.group === g).length).join(" + ");
}

/** What stands in the readout for a spot: words, list and number. */
export function spotText(picture: Picture, spot: Spot, model: Inputs["model"]): string {
  const side = sidesOf(picture)[spot.side];
  const word = picture.protected[spot.word];
  const connection = side?.connections[spot.connection];
  if (!side || !word || !connection) return "";
  const kind = LABELS[connection.key];
  const distances = side.distances[spot.word]?.[spot.connection] ?? [];
  const before = picture.after ? `${spot.side === 1 ? "after" : "before"} debiasing, ` : "";
  if (spot.view === "posterior") {
    const posterior = estimatesOf(side, model);
    const estimate = posterior?.words[spot.word]?.[spot.connection];
    const level = Math.round(picture.interval_level * 100);
    const text = estimate ? `${estimateText(estimate)}, ${level} % HPDI` : "no data";
    return `${before}${word.word}, ${kind}: ${text}, ${MODELS[posterior?.model ?? model].toLowerCase()} model`;
  }
  const distance = spot.point === null ? undefined : distances[spot.point];
  if (distance === undefined) {
    const mean = side.means[spot.word]?.[spot.connection];
    return `${before}${word.word}, ${kind}: mean ${number(mean, 3)} of ${whole(distances.length)}`;
  }
  const term = picture.terms[side.terms[spot.word]![spot.connection]![spot.point!]!];
  return `${before}${word.word} – ${term?.term ?? "?"} (${term?.list ?? "?"}, ${kind}): distance ${number(distance, 3)}; bold marks: the same word elsewhere`;
}

/** What a screen reader says of a row of points. */
export function pointsLabel(side: Side, word: string, index: number): string {
  const parts = side.connections.map((c, i) => {
    const n = side.distances[index]?.[i]?.length ?? 0;
    return `${LABELS[c.key]} ${number(side.means[index]?.[i])}, ${whole(n)} distances`;
  });
  return `${word}: mean ${parts.join("; ")}`;
}

/** What a screen reader says of a row of estimates. */
export function posteriorLabel(
  side: Side,
  model: Inputs["model"],
  word: string,
  i: number,
): string {
  const words = estimatesOf(side, model)?.words[i] ?? [];
  const parts = side.connections.map((c, k) => {
    const estimate = words[k];
    return `${LABELS[c.key]} ${estimate ? estimateText(estimate) : "no data"}`;
  });
  return `${word}: ${parts.join("; ")}`;
}
