/** Which words make the rows, in which order. */
import type { Contrast, Picture } from "../../generated/occupations";
import type { Inputs } from "./store";

type Look = Pick<Inputs, "measure" | "sort" | "shown" | "search">;

const LEAN = { group_1: 1, group_2: -1 } as const;

/** Indices into the picture's words: those that are wanted, sorted; words without a number last. */
export function arrange(picture: Picture, contrast: Contrast, look: Look): number[] {
  const wanted = look.search.trim().toLocaleLowerCase();
  const rows = picture.words
    .map((_, i) => i)
    .filter((i) => isShown(contrast.lean[i] ?? 2, look.shown))
    .filter((i) => !wanted || picture.words[i]!.toLocaleLowerCase().includes(wanted));
  const compare = COMPARE[look.sort];
  const key = keyOf(picture, contrast, look);
  return compare
    ? rows.sort((a, b) => compare(key(a), key(b)) || a - b)
    : look.sort === "word"
      ? rows.sort((a, b) => collator.compare(picture.words[a]!, picture.words[b]!) || a - b)
      : rows;
}

/** Words without a clear lean, those without an interval included. */
function isShown(lean: number, shown: Look["shown"]): boolean {
  if (shown === "all") return true;
  return shown === "undecided" ? lean === 0 || lean === 2 : lean === LEAN[shown];
}

const collator = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
type Number_ = number | null | undefined;
type Compare = (a: Number_, b: Number_) => number;

const lastIfMissing =
  (compare: (a: number, b: number) => number): Compare =>
  (a, b) => {
    const known = [a, b].map((v) => typeof v === "number" && Number.isFinite(v));
    if (known[0] && known[1]) return compare(a as number, b as number);
    return Number(known[1]) - Number(known[0]);
  };

const COMPARE: Partial<Record<Look["sort"], Compare>> = {
  value: lastIfMissing((a, b) => b - a),
  width: lastIfMissing((a, b) => a - b),
  outside: lastIfMissing((a, b) => a - b),
};

function keyOf(picture: Picture, contrast: Contrast, look: Look): (i: number) => Number_ {
  const measure = contrast[look.measure];
  if (look.sort === "outside") return (i) => picture.outside[i];
  if (look.sort === "width")
    return (i) => {
      const [low, high] = [measure.low[i], measure.high[i]];
      return low === null || high === null || low === undefined || high === undefined
        ? null
        : high - low;
    };
  return (i) => measure.value[i];
}

export interface Window {
  first: number;
  /** One past the last. */
  last: number;
}

/** Rows that are drawn: those in the scrolled box, and some around it. */
export function windowOf(scroll: number, height: number, row: number, n: number): Window {
  const around = 12;
  const first = Math.max(0, Math.floor(scroll / row) - around);
  const last = Math.min(n, Math.ceil((scroll + height) / row) + around);
  return { first: Math.min(first, last), last };
}

/** Where the box must be scrolled to, so that a row is in it. */
export function scrollTo(place: number, scroll: number, height: number, row: number): number {
  const top = place * row;
  if (top < scroll) return top;
  return top + row > scroll + height ? top + row - height : scroll;
}
