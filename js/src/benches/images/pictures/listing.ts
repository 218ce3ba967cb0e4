/** Which pictures step 2 lists, in lines under their terms, and where keys lead among them. */
import type { ImageRow, Images } from "../../../generated/images";
import { matcherOf } from "../../../lib/search";

export type Which = "all" | "remark" | "own";

export interface Head {
  kind: "head";
  key: string;
  /** Number of the term; -1 for pictures of a term that is in no list. */
  term: number;
  shown: number;
}

export interface Line {
  kind: "line";
  key: string;
  term: number;
  images: ImageRow[];
}

export type Item = Head | Line;

/** Pictures that a choice and a search leave. */
function fitting({ images, sources, terms }: Images, which: Which, search: string): ImageRow[] {
  const matches = matcherOf(search);
  return images.filter((image) => {
    const source = sources[image.source] ?? "";
    if (which === "remark" && !image.remark) return false;
    if (which === "own" && source === "drawn") return false;
    return matches(`${terms[image.term]?.name ?? ""} ${image.alt} ${source} ${image.remark}`);
  });
}

/** Lines of pictures under the heads of their terms; terms without any have their head. */
export function itemsOf(images: Images, which: Which, search: string, perLine: number): Item[] {
  const byTerm = new Map<number, ImageRow[]>(images.terms.map((_, i) => [i, []]));
  for (const image of fitting(images, which, search)) {
    if (!byTerm.has(image.term)) byTerm.set(image.term, []);
    byTerm.get(image.term)!.push(image);
  }
  const all = which === "all" && search.trim() === "";
  return [...byTerm].flatMap(([term, found]): Item[] => {
    if (found.length === 0 && !all) return [];
    const lines: Item[] = [{ kind: "head", key: `head ${term}`, term, shown: found.length }];
    for (let i = 0; i < found.length; i += perLine)
      lines.push({
        kind: "line",
        key: `line ${term} ${i}`,
        term,
        images: found.slice(i, i + perLine),
      });
    return lines;
  });
}

/** Where a key leads among the pictures of the lines; null for any other key. */
export function pictureKey(key: string, from: string, items: readonly Item[]): string | null {
  const lines = items.flatMap((item) => (item.kind === "line" ? [item.images] : []));
  if (lines.length === 0) return null;
  let [row, column] = [-1, -1];
  lines.forEach((line, i) => {
    const at = line.findIndex((image) => image.id === from);
    if (at >= 0) [row, column] = [i, at];
  });
  if (row < 0) {
    const known = /^(Arrow|Page)|^Home$|^End$/.test(key);
    return known ? (key === "End" ? lines.at(-1)!.at(-1)! : lines[0]![0]!).id : null;
  }
  const idAt = (r: number, c: number) => {
    const line = lines[Math.min(Math.max(r, 0), lines.length - 1)]!;
    return line[Math.min(c, line.length - 1)]!.id;
  };
  switch (key) {
    case "ArrowRight":
      return (lines[row]![column + 1] ?? lines[row + 1]?.[0])?.id ?? from;
    case "ArrowLeft":
      return (lines[row]![column - 1] ?? lines[row - 1]?.at(-1))?.id ?? from;
    case "ArrowDown":
      return idAt(row + 1, column);
    case "ArrowUp":
      return idAt(row - 1, column);
    case "PageDown":
      return idAt(row + 6, column);
    case "PageUp":
      return idAt(row - 6, column);
    case "Home":
      return lines[0]![0]!.id;
    case "End":
      return lines.at(-1)!.at(-1)!.id;
    default:
      return null;
  }
}
