/** Which pairs are in the table, by attribute, and where keys lead in it. */
import type { PairRow, Sentences } from "../../../generated/sentences";
import { listKey } from "../../../lib/keys";
import { matcherOf } from "../../../lib/search";

export type Which = "all" | "remark" | "edited";

export interface Head {
  kind: "head";
  key: string;
  name: string;
  list: string;
  /** All pairs of the attribute, and those that are shown. */
  count: number;
  shown: number;
}

export interface Entry {
  kind: "pair";
  key: string;
  pair: PairRow;
}

export type Item = Head | Entry;

function fits(pair: PairRow, which: Which, matches: (text: string) => boolean): boolean {
  if (which === "remark" && !pair.remark) return false;
  if (which === "edited" && !pair.edited) return false;
  return matches(`${pair.attribute} ${pair.stereotyped} ${pair.against} ${pair.remark}`);
}

/** Pairs under the heads of their attributes, in the order of the lists. */
export function itemsOf(sentences: Sentences, which: Which, search: string): Item[] {
  const matches = matcherOf(search);
  const groups = new Map<string, { head: Head; pairs: PairRow[] }>();
  const group = (name: string, list: string) => {
    const key = `${list} / ${name}`;
    const head: Head = { kind: "head", key: `head ${key}`, name, list, count: 0, shown: 0 };
    if (!groups.has(key)) groups.set(key, { head, pairs: [] });
    return groups.get(key)!;
  };
  for (const { name, list, pairs } of sentences.attributes) if (pairs > 0) group(name, list);
  for (const pair of sentences.pairs) {
    const own = group(pair.attribute, pair.list);
    own.head.count++;
    if (!fits(pair, which, matches)) continue;
    own.head.shown++;
    own.pairs.push(pair);
  }
  return [...groups.values()].flatMap(({ head, pairs }) =>
    pairs.length === 0
      ? []
      : [head, ...pairs.map((pair): Entry => ({ kind: "pair", key: pair.id, pair }))],
  );
}

export const emptyAttributes = ({ attributes }: Sentences) =>
  attributes.filter((one) => one.pairs === 0).map((one) => one.name);

export type Side = "stereotyped" | "against";

export interface Place {
  pair: string;
  side: Side;
}

/** Where a key leads among the pairs of the table; null for any other key. */
export function placeKey(key: string, from: Place | null, items: readonly Item[]): Place | null {
  const pairs = items.flatMap((item) => (item.kind === "pair" ? [item.pair.id] : []));
  if (pairs.length === 0) return null;
  const at = from ? pairs.indexOf(from.pair) : -1;
  const side = from?.side ?? "stereotyped";
  if (key === "ArrowRight" || key === "ArrowLeft")
    return {
      pair: pairs[Math.max(at, 0)]!,
      side: key === "ArrowRight" ? "against" : "stereotyped",
    };
  const to = listKey(key, at, pairs.length);
  return to === null ? null : { pair: pairs[to]!, side };
}
