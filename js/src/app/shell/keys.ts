/** `?` leads to the help page, unless a person is writing. */
export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
    // Inside a bench the event's own target is in a shadow root.
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement && isWriting(target)) return;
    location.href = document.querySelector<HTMLAnchorElement>(".help-link")?.href ?? "help";
  });
}

const isWriting = (element: HTMLElement) =>
  element.isContentEditable || element.matches("input, textarea, select");
