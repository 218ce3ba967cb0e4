/** Which theme a page shows: from what its host says, else from what is seen, else from the system. */

export type Theme = "light" | "dark";

export function detectTheme(el: Element): Theme {
  const page = document.documentElement;
  const body = document.body;
  const chosen = page.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter) return jupyter === "true" ? "light" : "dark";
  const classes = `${body.className} ${body.dataset.vscodeThemeKind ?? ""}`;
  if (/vscode-high-contrast-light|vscode-light/.test(classes)) return "light";
  if (/vscode-dark|vscode-high-contrast/.test(classes)) return "dark";
  // Panel states its theme as colours on its elements; a plain page paints its background.
  const colour = getComputedStyle(el).getPropertyValue("--panel-background-color");
  const light = luminance(colour) ?? backgroundLuminance(el);
  if (light !== null) return light < 0.4 ? "dark" : "light";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls back with the theme, now and whenever it changes; returns how to stop. */
export function watchTheme(el: Element, call: (theme: Theme) => void): () => void {
  let shown: Theme | null = null;
  const look = () => {
    const theme = detectTheme(el);
    if (theme === shown) return;
    shown = theme;
    call(theme);
  };
  const observer = new MutationObserver(look);
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", look);
  // A host may attach the element, or its style sheets, after rendering.
  const frame = requestAnimationFrame(look);
  look();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", look);
    cancelAnimationFrame(frame);
  };
}

function backgroundLuminance(el: Element): number | null {
  for (let node: Element | null = el; node; node = parent(node)) {
    const light = luminance(getComputedStyle(node).backgroundColor);
    if (light !== null) return light;
  }
  return null;
}

function parent(node: Element): Element | null {
  if (node.parentElement) return node.parentElement;
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Relative lightness of a CSS colour from 0 to 1; null when it is not stated or see-through. */
export function luminance(colour: string): number | null {
  const text = colour.trim();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1];
  if (hex) {
    const digits = hex.length === 3 ? [...hex].map((d) => d + d) : hex.match(/../g)!;
    return weigh(digits.map((d) => Number.parseInt(d, 16)));
  }
  const rgb = /^rgba?\(([^)]+)\)$/
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .map(Number);
  if (!rgb || rgb.length < 3 || rgb.some(Number.isNaN)) return null;
  return rgb.length > 3 && rgb[3]! < 0.5 ? null : weigh(rgb);
}

const weigh = ([r, g, b]: number[]) => (0.2126 * r! + 0.7152 * g! + 0.0722 * b!) / 255;
