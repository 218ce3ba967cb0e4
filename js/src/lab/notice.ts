/** What stands above the last result of a bench whose kernel is gone. */
import type { ShownBench } from "./records";

const BUTTON =
  "padding: 4px 12px; font: inherit; color: inherit; cursor: pointer; background: none;" +
  " border: 1px solid #868e98; border-radius: 6px";
const COPIED_MS = 2000;

/** @param bench - What the output says of the bench; null where it says nothing. */
export function goneNotice(bench: ShownBench | null, runAgain: () => void): HTMLElement {
  const box = document.createElement("header");
  box.style.cssText =
    "padding: 10px 14px; font: 13px/1.5 var(--jp-ui-font-family, system-ui, sans-serif);" +
    " color: var(--jp-ui-font-color1, #16191d)";
  box.dataset.testid = "kernel-gone";
  const title = document.createElement("strong");
  title.textContent = "The kernel is gone; this is the last result";
  title.style.cssText = "display: block; font-size: 14px; color: light-dark(#7a5200, #e9be62)";
  const text = document.createElement("div");
  const facts = [bench?.about, bench?.time && `computed ${moment(bench.time)}`].filter(Boolean);
  const about = facts.length > 0 ? `${facts.join(", ")}. ` : "";
  text.textContent = `${about}Run this cell again to go on: your settings come back.`;
  const acts = document.createElement("div");
  acts.style.cssText = "display: flex; gap: 8px; margin-top: 8px";
  acts.append(button("Run this cell again", runAgain));
  const code = bench?.code;
  if (code) acts.append(button("Copy as code", (self) => void copy(code, self)));
  box.append(title, text, acts);
  return box;
}

function button(label: string, act: (self: HTMLElement) => void): HTMLElement {
  const made = document.createElement("button");
  made.textContent = label;
  made.style.cssText = BUTTON;
  made.addEventListener("click", () => act(made));
  return made;
}

async function copy(code: string, button: HTMLElement): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The browser does not allow copying";
  }
  setTimeout(() => {
    button.textContent = label;
  }, COPIED_MS);
}

/** A time as a person says it, such as "yesterday at 17:31". */
export function moment(time: string, now: Date = new Date()): string {
  const then = new Date(time);
  if (Number.isNaN(then.getTime())) return "";
  const clock = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const days = Math.round((midnight(now) - midnight(then)) / 86_400_000);
  if (days === 0) return `today at ${clock}`;
  if (days === 1) return `yesterday at ${clock}`;
  const day = then.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `on ${day} at ${clock}`;
}

const midnight = (day: Date): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
