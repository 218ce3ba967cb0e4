/**
 * Keys pressed in a component are the component's.
 *
 * JupyterLab's shortcuts do not see into a shadow root: a letter typed into a field there is a
 * command to it, and "dd" would delete the cell. Shortcuts with Ctrl or Cmd, such as saving, stay
 * the host's, except those that a text field needs itself.
 */
const EDITING = new Set(["a", "c", "v", "x", "y", "z", "arrowleft", "arrowright", "backspace"]);

export function keepKeys(root: HTMLElement): void {
  root.addEventListener("keydown", (event) => {
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    const edits = isTextField(event.target) && EDITING.has(event.key.toLowerCase());
    if (!command || edits) event.stopPropagation();
  });
}

const isTextField = (target: EventTarget | null) =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && /^(text|search|number|password|url)$/.test(target.type));
