/** A version's text in pieces: the group's term, what changed with it, and what stayed. */
import type { PairRow } from "../../generated/sentences";

export interface Piece {
  text: string;
  role: "same" | "term" | "changed";
}

/** Python counts characters where JavaScript counts halves of some: emoji are one. */
export function piecesOf(pair: PairRow, side: 0 | 1): Piece[] {
  const letters = Array.from(side === 0 ? pair.stereotyped : pair.against);
  const roles: Piece["role"][] = letters.map(() => "same");
  const mark = (ends: readonly [number, number] | null | undefined, role: Piece["role"]) => {
    if (ends) roles.fill(role, Math.max(ends[0], 0), Math.max(ends[1], 0));
  };
  for (const change of pair.changes) mark(change[side], "changed");
  mark(pair.terms[side], "term");
  // What changed right beside the term, such as its 's, is one mark with it.
  letters.forEach((_, i) => {
    if (roles[i] === "changed" && roles[i - 1] === "term") roles[i] = "term";
  });
  const pieces: Piece[] = [];
  letters.forEach((letter, i) => {
    const last = pieces.at(-1);
    if (last && last.role === roles[i]) last.text += letter;
    else pieces.push({ text: letter, role: roles[i]! });
  });
  return pieces;
}
