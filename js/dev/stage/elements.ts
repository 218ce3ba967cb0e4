/** What the looks share: which elements are seen, and how a fault names one. */

/** Parts that are there for readers of the page, for copies, or to keep a place. */
const UNSEEN = ".visually-hidden, .whole-figure, .mini .control-head, .ghost";

export const hidden = (element: Element): boolean =>
  element.closest(UNSEEN) !== null || !element.checkVisibility({ visibilityProperty: true });

export function named(element: Element): string {
  const { value, dataset } = element as HTMLInputElement;
  const text = (element.textContent || value || "").trim().replace(/\s+/g, " ").slice(0, 40);
  const id = dataset.testid ? `#${dataset.testid}` : "";
  const classes = (element.getAttribute("class") ?? "").trim().replace(/\s+/g, ".");
  return `${element.localName}${id}${classes && "."}${classes} “${text}”`;
}
