/** What the matrix shows: the languages that were run, then those that are chosen only. */
import type { Cell, DistributionState, MatrixRow } from "../../../generated/rating";
import { isTranslator, nameOf, runOf, SHARES_NAME, serviceOf, type View } from "../store";

export interface Rows {
  /** Of the last run. */
  answered: readonly MatrixRow[];
  /** All that have a line. */
  all: readonly MatrixRow[];
}

const EMPTY: Cell = {
  counts: [],
  mentions: 0,
  unresolved: 0,
  done: 0,
  total: 0,
  predicted: false,
};

function notRun(language: string, title: string, blocks: number): MatrixRow {
  return {
    language,
    title,
    state: "queued",
    message: "not run yet",
    cells: Array.from({ length: blocks }, () => EMPTY),
    points: [],
    paper: null,
    corrected: null,
    shown: false,
    probabilities: [],
    unresolved: 0,
  };
}

export function rowsOf(view: Pick<View, "answer" | "inputs" | "services">): Rows {
  const { picture } = view.answer;
  const service = serviceOf(view);
  const own = picture && (picture.service === view.inputs.service || runOf(view).running);
  const answered = own ? picture.rows : [];
  const languages = service?.languages ?? [];
  // Languages that were chosen for another service are not asked for.
  const codes = new Set(languages.map((one) => one.code));
  const wanted = isTranslator(view) ? view.inputs.middles.filter((code) => codes.has(code)) : [""];
  const { length } = view.inputs.distributions;
  const known = new Set(answered.map((row) => row.language));
  const title = (code: string) =>
    code ? (languages.find((one) => one.code === code)?.title ?? code) : "directly";
  const rest = wanted
    .filter((code) => !known.has(code))
    .map((code) => notRun(code, title(code), length));
  return { answered, all: [...answered, ...rest] };
}

/** How a block is called: by its shares, wherever its name says nothing else. */
export const blockName = ({ name, shares }: DistributionState) =>
  name && !SHARES_NAME.test(name) ? name : nameOf(shares);
