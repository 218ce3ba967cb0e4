/** What stands above the last result of a bench whose kernel is gone. */

export function goneNotice(about: string, runAgain: () => void): HTMLElement {
  const box = document.createElement("header");
  box.style.cssText =
    "padding: 10px 14px; font: 13px/1.5 var(--jp-ui-font-family, system-ui, sans-serif);" +
    " color: var(--jp-ui-font-color1, #16191d)";
  box.dataset.testid = "kernel-gone";
  const title = document.createElement("strong");
  title.textContent = "The kernel is gone; this is the last result";
  title.style.cssText = "display: block; font-size: 14px; color: light-dark(#7a5200, #e9be62)";
  const text = document.createElement("div");
  text.textContent = `${about ? `${about}. ` : ""}Run this cell again to go on: your settings come back.`;
  const button = document.createElement("button");
  button.textContent = "Run this cell again";
  button.style.cssText =
    "margin-top: 8px; padding: 4px 12px; font: inherit; color: inherit; cursor: pointer;" +
    " background: none; border: 1px solid #868e98; border-radius: 6px";
  button.addEventListener("click", runAgain);
  box.append(title, text, button);
  return box;
}
