/** On a narrow screen the navigation folds behind a button. */
export function startMenu(): void {
  const side = document.querySelector<HTMLElement>(".side");
  const button = side?.querySelector<HTMLButtonElement>(".menu");
  if (!side || !button) return;
  const show = (open: boolean) => {
    side.toggleAttribute("data-open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => show(!side.hasAttribute("data-open")));
  side.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !side.hasAttribute("data-open")) return;
    show(false);
    button.focus();
  });
}
