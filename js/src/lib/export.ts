/** Pictures for papers and slides: the drawn SVG with its styles written out, and a PNG of it. */
import type { Reply } from "../generated/shared";
import { wrap } from "./textwidth";

/** Presentation properties that a style sheet may have set. */
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-opacity",
  "paint-order",
  "opacity",
  "font-size",
  "font-weight",
  "font-style",
  "font-variant-numeric",
  "text-anchor",
  "stop-color",
];

/** Of texts in a picture that is taken along: it cannot bring a font of the page. */
export const FONT =
  "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 20;

export interface Caption {
  title: string;
  text: string;
  note: string;
}

/** A standalone SVG of a drawn picture, its question above and its verdict below. */
export function standaloneSvg(picture: SVGSVGElement, caption: Caption): string {
  const paper = getComputedStyle(picture);
  const colour = (name: string) => paper.getPropertyValue(name).trim() || "#000";
  const width = Number(picture.getAttribute("width"));
  const height = Number(picture.getAttribute("height"));
  const body = picture.cloneNode(true) as SVGSVGElement;
  inline(picture, body);
  for (const part of body.querySelectorAll("[data-screen-only]")) part.remove();

  const title = wrap(caption.title, 16, width);
  const text = wrap(caption.text, 13, width);
  const note = wrap(caption.note, 11, width);
  const top = MARGIN + title.length * 22 + 10;
  const below = top + height + 8;
  const total = below + text.length * 19 + note.length * 16 + MARGIN + 6;

  const out = document.createElementNS(SVG, "svg");
  out.setAttribute("xmlns", SVG);
  const w = width + 2 * MARGIN;
  const size = { width: w, height: total, viewBox: `0 0 ${w} ${total}`, "font-family": FONT };
  for (const [name, value] of Object.entries(size)) out.setAttribute(name, String(value));
  const paperRect = document.createElementNS(SVG, "rect");
  paperRect.setAttribute("width", "100%");
  paperRect.setAttribute("height", "100%");
  paperRect.setAttribute("fill", colour("--surface"));
  out.append(paperRect);

  lines(out, title, MARGIN + 15, 22, {
    "font-size": "16",
    "font-weight": "600",
    fill: colour("--ink"),
  });
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("transform", `translate(${MARGIN} ${top})`);
  group.append(...body.childNodes);
  out.append(group);
  lines(out, text, below + 13, 19, { "font-size": "13", fill: colour("--ink") });
  const noteTop = below + text.length * 19 + 17;
  lines(out, note, noteTop, 16, { "font-size": "11", fill: colour("--ink-3") });
  return new XMLSerializer().serializeToString(out);
}

function lines(
  out: Element,
  texts: string[],
  y: number,
  step: number,
  style: Record<string, string>,
) {
  texts.forEach((text, i) => {
    const line = document.createElementNS(SVG, "text");
    const place = { x: String(MARGIN), y: String(y + i * step) };
    for (const [name, value] of Object.entries({ ...place, ...style }))
      line.setAttribute(name, value);
    line.textContent = text;
    out.append(line);
  });
}

/** Writes the computed style of each element onto its copy. */
function inline(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const name of PROPERTIES) {
    const value = style.getPropertyValue(name);
    if (value) to.setAttribute(name, value);
  }
  for (const name of ["class", "style", "tabindex", "role"]) to.removeAttribute(name);
  for (const name of to.getAttributeNames()) {
    if (name.startsWith("aria-") || name === "data-testid") to.removeAttribute(name);
  }
  const copies = [...to.children];
  [...from.children].forEach((child, i) => {
    inline(child, copies[i]!);
  });
}

/** A PNG of a standalone SVG at `zoom` pixels per unit. */
export async function pngOf(svg: string, zoom = 2): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * zoom;
    canvas.height = image.naturalHeight * zoom;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("This browser cannot make a PNG here. Use SVG instead.");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Hands a file to the browser's download. */
export function download(filename: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Hands the file that a reply brings to the browser; `filename` where it names none. */
export function downloadReply(reply: Reply, filename: string): void {
  if (!reply.ok || reply.content === undefined) return;
  const type = reply.media_type ?? "text/plain";
  download(reply.filename ?? filename, new Blob([reply.content], { type }));
}

/** A file name from words: lower case, no spaces. */
export function fileName(...parts: string[]): string {
  const safe = parts.map((p) =>
    p
      .toLowerCase()
      .replace(/[^\p{L}\p{N}.]+/gu, "-")
      .replace(/^-|-$/g, ""),
  );
  return safe.filter(Boolean).join("-") || "picture";
}
