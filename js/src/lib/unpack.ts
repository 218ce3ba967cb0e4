/** The text that `pack.mjs` has packed; its pieces are put back from the last to the first. */
export function unpack(pieces: string, packed: string): string {
  if (!pieces) return packed;
  return pieces
    .slice(1)
    .split(pieces[0]!)
    .reduceRight((text, piece) => text.replaceAll(piece[0]!, () => piece.slice(1)), packed);
}
