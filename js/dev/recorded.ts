/** States of a bench that Python's controller gave: `make recorded` writes them anew. */

/** What only counts messages is not recorded. */
const EXCHANGED = {
  generation: 0,
  command: { id: 0, name: "", args: {} },
  reply: { id: 0, ok: true, message: "" },
};

type Kept = Record<string, unknown>;

/** Records of which only what differs is kept, too. */
const NESTED = ["answer", "picture"];

function merged(whole: Kept, own: Kept): Kept {
  const both = { ...whole, ...own };
  for (const name of NESTED)
    if (whole[name] && own[name]) both[name] = merged(whole[name] as Kept, own[name] as Kept);
  return both;
}

/**
 * The states in a bench's file by scenario, each time a copy: the first one where none is named.
 * That one is there whole, of the others what differs from it.
 */
export function recorded<State>(scenarios: Record<string, Kept>) {
  const [first, whole] = Object.entries(scenarios)[0]!;
  return (scenario = first): State => {
    const own = scenarios[scenario];
    if (!own) {
      const known = Object.keys(scenarios).join(", ");
      throw new Error(`There is no scenario "${scenario}". There are: ${known}.`);
    }
    return structuredClone({ ...EXCHANGED, ...merged(whole, own) }) as State;
  };
}
