// Writes the font of the served app: Inter, cut to the characters and weights that its pages use.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import subsetFont from "subset-font";

const LIMIT = 100_000;
/** First and last characters: texts in European languages, and the signs of axes and formulas. */
const RANGES = [
  [0x20, 0x7e], // ASCII
  [0xa0, 0x17f], // Latin-1 and Latin Extended-A
  [0x218, 0x21b], // Romanian
  [0x2b9, 0x2dd], // modifier letters
  [0x300, 0x304], // combining accents
  [0x370, 0x3ff], // Greek
  [0x1e00, 0x1eff], // Latin Extended Additional
  [0x2000, 0x209c], // punctuation, superscripts and subscripts
  [0x20a0, 0x20c0], // currencies
  [0x2122, 0x2122], // ™
  [0x2190, 0x21ff], // arrows
  [0x2200, 0x22ff], // mathematical operators
  [0x25a0, 0x25ff], // geometric shapes
];
// The optical size is fixed, so that a canvas measures what the page draws.
const AXES = { wght: { min: 400, max: 700 }, opsz: 14 };

/** Writes `inter.woff2` and, as it asks to be handed on with the font, its licence; its bytes. */
export async function writeFont(folder) {
  const home = dirname(createRequire(import.meta.url).resolve("inter-ui/package.json"));
  const whole = readFileSync(join(home, "variable", "InterVariable.woff2"));
  const characters = RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)),
  );
  const font = await subsetFont(whole, characters.join(""), {
    targetFormat: "woff2",
    variationAxes: AXES,
  });
  if (font.length > LIMIT) throw new Error(`inter.woff2 is over its limit of ${LIMIT} bytes.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "inter.woff2"), font);
  copyFileSync(join(home, "LICENSE.txt"), join(folder, "inter-LICENSE.txt"));
  return font.length;
}
