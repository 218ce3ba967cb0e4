// Builds one self-contained ES module per bench: src/components/NAME.ts -> static/NAME.js.
// A module is stored in every notebook that shows it, so its size is limited here.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const LIMIT = 180_000;

/** Style sheets are imported as text, because they go into a shadow root. */
const cssAsText = {
  name: "css-as-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: css.code, loader: "text" };
    });
  },
};

export const options = {
  bundle: true,
  format: "esm",
  target: "es2022",
  // Panel rewrites these two in the browser, and turns `return[a]??b` into a name that nobody knows.
  supported: { "nullish-coalescing": false, "optional-chain": false },
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  plugins: [cssAsText],
  logLevel: "warning",
};

export function benches() {
  const folder = join(HERE, "src", "components");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

async function main() {
  const outdir = join(HERE, "..", "widgets", "biaslab_widgets", "static");
  const entryPoints = benches();
  await build({ ...options, entryPoints, outdir, minify: true });
  for (const entry of entryPoints) {
    const file = join(outdir, basename(entry).replace(/\.ts$/, ".js"));
    const { size } = statSync(file);
    const packed = gzipSync(readFileSync(file)).length;
    console.log(`${basename(file)}: ${size} bytes, ${packed} compressed`);
    if (size > LIMIT) throw new Error(`${basename(file)} is over its limit of ${LIMIT} bytes.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
