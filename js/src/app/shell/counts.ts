/** Numbers beside entries of the navigation, by address. */
export type Counts = Record<string, number>;

/** Shows them; a run that was just saved, here or in a notebook, is counted too. */
export function showCounts(counts: Counts): void {
  for (const [address, count] of Object.entries(counts)) {
    const place = document.querySelector(`#menu a[href="${CSS.escape(address)}"] .count`);
    if (place && place.textContent !== String(count)) place.textContent = String(count);
  }
}
