/** From pasted or typed text to terms. */

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
// Control characters inside a line come from broken copies; a tab has separated cells before.
const CONTROL = /[\p{Cc}\p{Cs}]/gu;

/** More characters than this are not even looked through: the page would stand still. */
export const LONGEST_TEXT = 10_000_000;

/**
 * Terms of a column or table copied from a spreadsheet, or of a list in a text.
 *
 * Lines, tabs, commas and semicolons separate; a term of several words stays one; what stands in
 * "quotes" is one term, separators and all. Outer spaces and empty cells go.
 */
export function parseTerms(text: string): string[] {
  const terms: string[] = [];
  for (const line of text.replace(/^\ufeff/, "").split(LINE_END)) {
    if (!/[\t,;"]/.test(line)) push(terms, line);
    else for (const cell of cells(line)) push(terms, cell);
  }
  return terms;
}

function push(terms: string[], cell: string): void {
  const term = clean(cell);
  if (term) terms.push(term);
}

/** A term without outer spaces and control characters. */
export const clean = (term: string) => term.replace(CONTROL, "").trim();

function* cells(line: string): Generator<string> {
  let cell = "";
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quoted && c === '"' && line[i + 1] === '"') {
      cell += c;
      i++;
    } else if (quoted && c === '"') quoted = false;
    else if (quoted) cell += c;
    // A quote inside a word, as in 5" or rock'n"roll, is that word's.
    else if (c === '"' && !cell.trim() && line.includes('"', i + 1)) quoted = true;
    else if (c === "\t" || c === "," || c === ";") {
      yield cell;
      cell = "";
    } else cell += c;
  }
  yield cell;
}

/** Terms as a column, which a spreadsheet takes and `parseTerms` reads back. */
export const asColumn = (terms: readonly string[]) =>
  terms.map((t) => (/[,;"]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t)).join("\n");
