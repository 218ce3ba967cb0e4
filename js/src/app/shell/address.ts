/** The settings of a bench in the page's address: reload, bookmarks and copied links keep them. */

type Inputs = Record<string, unknown>;

/** Longer queries are cut off by some programs; what is left out keeps its first value. */
export const LONGEST = 30_000;

const NO_SETTINGS = ["generation", "command", "wanted"];

/** The button that copies the page's address. */
export function startCopyLink(): void {
  const button = document.querySelector<HTMLButtonElement>(".copy-link");
  const say = (text: string, milliseconds: number) => {
    if (!button) return;
    button.textContent = text;
    setTimeout(() => {
      button.textContent = "Copy link";
    }, milliseconds);
  };
  button?.addEventListener("click", async () => {
    const isOfRun = new URLSearchParams(location.search).has("run");
    const missing = settings && !isOfRun && notInLink(current(settings.now), settings.first, own);
    if (missing) return say(missing, 6000);
    const copied = await navigator.clipboard.writeText(location.href).then(
      () => true,
      () => false,
    );
    say(copied ? "Copied" : "Copy it from the address bar", 2000);
  });
}

/** Those of the bench on this page, and how it begins. */
let settings: { first: Inputs; now: Inputs } | null = null;

/** What to say of a link that does not carry what the bench holds; empty where it does. */
let own = "";

/** Settings with those that Python has chosen since, such as a table that was just read. */
function current(now: Inputs): Inputs {
  const { Bokeh } = globalThis as { Bokeh?: { documents: readonly BokehDocument[] } };
  const models = (Bokeh?.documents ?? []).flatMap((one) => one.roots());
  const values = models.flatMap((one) => Object.entries(one.data?.attributes ?? {}));
  const plain = values.filter(([name, value]) => name in now && isPlain(value));
  return { ...now, ...Object.fromEntries(plain) };
}

interface BokehDocument {
  roots(): readonly { data?: { attributes: Inputs } }[];
}

/** Writes the settings into the address as they change; `#bench-inputs` holds the first ones. */
export function startAddress(): void {
  const text = document.getElementById("bench-inputs")?.textContent;
  if (!text) return;
  const { first, now } = JSON.parse(text) as { first: Inputs; now: Inputs };
  settings = { first, now };
  document.addEventListener("biaslab:own", (event) => {
    own = (event as CustomEvent<string>).detail;
  });
  document.addEventListener("biaslab:inputs", (event) => {
    Object.assign(now, (event as CustomEvent<Inputs>).detail);
    const query = queryOf(now, first);
    history.replaceState(null, "", `${location.pathname}${query && `?${query}`}`);
  });
}

/** Takes away the note on the run with which a bench opened, when another run is there. */
export function startRunNote(): void {
  document.addEventListener("biaslab:run", (event) => {
    // The first one may never have been on the screen.
    if ((event as CustomEvent<number>).detail > 1) document.querySelector(".reopened")?.remove();
  });
}

/** The query of all settings that differ from the first ones, in a form that a person can read. */
export const queryOf = (inputs: Inputs, first: Inputs) => written(inputs, first).query;

/** What of the settings a link cannot carry, in a sentence; empty where it carries all. */
export function notInLink(inputs: Inputs, first: Inputs, own = ""): string {
  const [name] = written(inputs, first).left;
  if (name === undefined) return own;
  if (name === OWN_TABLE) return "Your table does not go into a link: save the run";
  return `The ${NAMES[name] ?? "settings"} do not fit into a link: save the run`;
}

const OWN_TABLE = "outside";

const NAMES: Inputs = {
  words: "words",
  lists: "word lists",
  controls: "control words",
  pairs: "cue pairs",
  groups: "groups",
  case_text: "texts of your case",
};

function written(inputs: Inputs, first: Inputs): { query: string; left: string[] } {
  const query = new URLSearchParams();
  const left: string[] = [];
  for (const [name, value] of Object.entries(inputs)) {
    if (NO_SETTINGS.includes(name) || !(name in first)) continue;
    if (JSON.stringify(value) === JSON.stringify(first[name])) continue;
    const texts = textsOf(value);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const isOwn = name === OWN_TABLE && texts[0]?.startsWith("own/");
    if (isOwn || query.toString().length + length > LONGEST) left.push(name);
    else for (const text of texts) query.append(name, text);
  }
  return { query: readable(query.toString()), left };
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
