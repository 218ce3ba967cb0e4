/** The connection of a bench to its server: while it is lost, the bench is grey and cannot be used. */

import { refusal } from "./silence";

/** A connection that comes back within this time was not missed. */
const GRACE_MS = 300;

interface BokehDocument {
  on_event(
    name: string,
    call: (document: BokehDocument, event: { timeout: number | null }) => void,
  ): void;
}

export interface Place {
  document: Document;
  documents: readonly BokehDocument[];
}

/** Watches the connection once the bench is there. */
export function startLost(): void {
  document.addEventListener(
    "biaslab:shown",
    () => {
      const { Bokeh } = globalThis as { Bokeh?: { documents: readonly BokehDocument[] } };
      watchConnection({ document, documents: Bokeh?.documents ?? [] });
    },
    { once: true },
  );
}

/** Greys the bench of a page while its connection is lost. */
export function watchConnection({ document, documents }: Place): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = async (state: "trying" | "over") => {
    setLost(document, state);
    const why = await refusal();
    if (why && isLost(document)) setLost(document, { why }); // it may be back by now
  };
  for (const one of documents) {
    one.on_event("connection_lost", (_, { timeout }) => {
      clearTimeout(timer);
      timer = setTimeout(() => show(timeout === null ? "over" : "trying"), GRACE_MS);
    });
    one.on_event("client_reconnected", () => {
      clearTimeout(timer);
      setLost(document, null);
    });
  }
}

/** What the page says: it tries again, it has given up, or the server's refusal. */
type Loss = "trying" | "over" | { why: string };

const isLost = (document: Document) =>
  document.querySelector("main#content")?.hasAttribute("data-lost") ?? false;

function setLost(document: Document, state: Loss | null): void {
  const main = document.querySelector<HTMLElement>("main#content");
  if (!main) return;
  const was = main.hasAttribute("data-lost");
  main.toggleAttribute("data-lost", state !== null);
  // A bench goes back to the settings of the answer that it shows.
  if ((state !== null) !== was) {
    document.dispatchEvent(new CustomEvent(state ? "biaslab:lost" : "biaslab:back"));
  }
  for (const bench of main.querySelectorAll<HTMLElement>("[data-root-id]")) {
    bench.inert = state !== null;
  }
  main.querySelector(".lost")?.remove();
  if (state) main.prepend(notice(document, state));
}

function notice(document: Document, state: Loss): HTMLElement {
  const section = document.createElement("section");
  section.className = "lost";
  section.setAttribute("role", "status");
  const text = document.createElement("p");
  if (typeof state === "object") {
    text.textContent = `${state.why} Your settings are in its address.`;
  } else {
    text.textContent =
      "The server does not answer; this is the last result, and the controls are off. ";
    text.textContent +=
      state === "trying"
        ? "The page tries to reach it again."
        : "Start the server again, then load the page again: your settings are in its address.";
  }
  section.append(text);
  if (state !== "trying") {
    const button = document.createElement("button");
    button.className = "button";
    button.type = "button";
    button.textContent = "Load again";
    button.addEventListener("click", () => document.defaultView?.location.reload());
    section.append(button);
  }
  return section;
}
