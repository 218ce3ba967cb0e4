/** The tour: a card beside the thing that each step is about, over the real pages. */
import "./style.css";
import { findDeep, whenFound } from "./find";
import { STEPS } from "./steps";

const KEY = "biaslab-tour";

/** Starts at the step of the address, or goes on where the tour was left for another page. */
export function startTour(): void {
  const requested = new URLSearchParams(location.search).get("tour");
  if (requested !== null) sessionStorage.setItem(KEY, requested);
  const kept = sessionStorage.getItem(KEY);
  if (kept === null) return;
  show(Math.min(Math.max(Number(kept) || 0, 0), STEPS.length - 1));
}

function end(): void {
  sessionStorage.removeItem(KEY);
  document.querySelector(".tour")?.remove();
  mark(null);
}

function go(index: number): void {
  if (index >= STEPS.length) {
    end();
    return;
  }
  sessionStorage.setItem(KEY, String(index));
  const page = STEPS[index]!.page;
  if (isHere(page)) show(index);
  else location.href = page;
}

const isHere = (page: string) => location.pathname.endsWith(`/${page.split("?")[0]}`);

function show(index: number): void {
  const step = STEPS[index]!;
  if (!isHere(step.page)) {
    end();
    return;
  }
  document.querySelector(".tour")?.remove();
  const card = document.createElement("aside");
  card.className = "tour";
  card.setAttribute("aria-label", "Tour");
  const title = child(card, "h2", step.title);
  title.tabIndex = -1;
  child(card, "p", step.text);
  const line = child(card, "p", `${index + 1} of ${STEPS.length}`);
  line.className = "place";
  const buttons = child(card, "p", "");
  button(buttons, "End the tour", end);
  if (index > 0) button(buttons, "Back", () => go(index - 1));
  const last = index === STEPS.length - 1;
  button(buttons, last ? "Done" : "Next", () => go(index + 1)).className = "button primary";
  card.addEventListener("keydown", (event) => {
    if (event.key === "Escape") end();
  });
  document.body.append(card);
  title.focus({ preventScroll: true });
  mark(null);
  whenFound(step.target, (found) => {
    if (!card.isConnected) return;
    found.scrollIntoView({ block: "nearest" });
    mark(step.target);
    place(card, found);
  });
}

function child(parent: Element, tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

function button(parent: Element, label: string, act: () => void): HTMLElement {
  const made = child(parent, "button", label);
  made.className = "button";
  made.addEventListener("click", act);
  return made;
}

let frame = 0;

/** Draws a ring around an element, wherever it moves; none for null. */
function mark(target: string | null): void {
  cancelAnimationFrame(frame);
  document.querySelector(".tour-ring")?.remove();
  if (target === null) return;
  const ring = child(document.body, "div", "");
  ring.className = "tour-ring";
  const follow = () => {
    const box = findDeep(document, target)?.getBoundingClientRect();
    ring.hidden = !box;
    if (box)
      Object.assign(ring.style, {
        left: `${box.left - 6}px`,
        top: `${box.top - 6}px`,
        width: `${box.width + 12}px`,
        height: `${box.height + 12}px`,
      });
    frame = requestAnimationFrame(follow);
  };
  follow();
}

/** Puts the card into the corner that is farthest from what it is about. */
function place(card: HTMLElement, found: Element): void {
  const box = found.getBoundingClientRect();
  card.dataset.at = box.top + box.height / 2 > innerHeight / 2 ? "top" : "bottom";
}
