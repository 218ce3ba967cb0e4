/** Where a word is opened in the psychometric bench. */
import { contrastsOf, type Store, type View } from "./store";

/** In the served app a link leads to the psychometric bench; in a notebook it opens below. */
export function openWord(store: Store, view: View, index: number): void {
  const word = view.answer.picture?.words[index];
  if (word === undefined) return;
  const address = addressOf(view, word);
  if (address) window.location.assign(address);
  else void store.open(word);
}

/** Most pairs that travel in an address. */
const MOST_PAIRS = 64;

/** The address of a word in the psychometric bench; null where the psychometric bench is a widget. */
export function addressOf(view: View, word: string): string | null {
  const { psychometric } = view;
  if (!psychometric || /^(IPY_MODEL_|anywidget:)/.test(psychometric)) return null;
  const contrast = contrastsOf(view)[0];
  const pairs = (contrast?.pairs ?? []).slice(0, MOST_PAIRS);
  const query = new URLSearchParams({ subject: view.inputs.subject, word });
  for (const [number, pair] of pairs.entries()) {
    query.append("pairs", pair.join("/"));
    query.append("selected_pairs", String(number));
  }
  return `${psychometric}${psychometric.includes("?") ? "&" : "?"}${query}`;
}
