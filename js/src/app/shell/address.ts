/** The settings of a bench in the page's address: reload, bookmarks and copied links keep them. */

type Inputs = Record<string, unknown>;

/** Longer queries are cut off by some programs; what is left out keeps its first value. */
export const LONGEST = 30_000;

const NO_SETTINGS = ["generation", "command", "wanted"];

/** The button that copies the page's address. */
export function startCopyLink(): void {
  const button = document.querySelector<HTMLButtonElement>(".copy-link");
  button?.addEventListener("click", async () => {
    const copied = await navigator.clipboard.writeText(location.href).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? "Copied" : "Copy it from the address bar";
    setTimeout(() => {
      button.textContent = "Copy link";
    }, 2000);
  });
}

/** Writes the settings into the address as they change; `#bench-inputs` holds the first ones. */
export function startAddress(): void {
  const text = document.getElementById("bench-inputs")?.textContent;
  if (!text) return;
  const { first, now } = JSON.parse(text) as { first: Inputs; now: Inputs };
  const inputs = { ...now };
  document.addEventListener("biaslab:inputs", (event) => {
    Object.assign(inputs, (event as CustomEvent<Inputs>).detail);
    const query = queryOf(inputs, first);
    history.replaceState(null, "", `${location.pathname}${query && `?${query}`}`);
  });
}

/** The query of all settings that differ from the first ones, in a form that a person can read. */
export function queryOf(inputs: Inputs, first: Inputs): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(inputs)) {
    if (NO_SETTINGS.includes(name) || !(name in first)) continue;
    if (JSON.stringify(value) === JSON.stringify(first[name])) continue;
    const texts = textsOf(value);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (query.toString().length + length > LONGEST) continue;
    for (const text of texts) query.append(name, text);
  }
  return readable(query.toString());
}

/** A setting as the values of its parameter. */
function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [isPlain(value) ? String(value) : JSON.stringify(value)];
  if (value.length === 0) return [""];
  if (value.every(isPlain)) return value.map(String);
  if (value.every(isPair)) return value.map((pair) => pair.join("/"));
  return [JSON.stringify(value)];
}

const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every((cue) => typeof cue === "string" && !cue.includes("/"));

/** Signs that an address may hold as they are. */
function readable(query: string): string {
  return query.replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
}
