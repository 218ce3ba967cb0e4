// Builds one self-contained ES module per bench: src/benches/NAME/index.ts -> static/NAME.js, and
// per page of the served app: src/app/NAME/index.ts -> static/app/NAME.js and NAME.css.
// A module is stored in every notebook that shows it, so its size is limited here.
// Beside them the font of the served app: static/fonts/. And the extension of JupyterLab.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { writeFont } from "./font.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const LIMIT = 205_000;

/** Type and space sizes: constants, inlined so that they add nothing to a bundle. */
function sizes() {
  const css = readFileSync(join(HERE, "src", "lib", "sizes.css"), "utf8");
  return new Map(
    [...css.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
  );
}

function withSizes(css) {
  const known = sizes();
  return css.replace(/var\((--(?:text|space)-\w+)\)/g, (_, name) => {
    const value = known.get(name);
    if (!value) throw new Error(`src/lib/sizes.css has no ${name}.`);
    return value;
  });
}

/** Style sheets are imported as text, because they go into a shadow root. */
const cssAsText = {
  name: "css-as-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = withSizes(readFileSync(path, "utf8"));
      const { code } = await transform(css, { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

export const options = {
  bundle: true,
  format: "esm",
  target: "es2022",
  // The automatic form writes "children" into each element, which takes 4 kB of a bench.
  tsconfigRaw: { compilerOptions: { jsx: "react" } },
  jsxFactory: "createElement",
  jsxFragment: "Fragment",
  inject: [join(HERE, "src", "lib", "jsx.ts")],
  legalComments: "none",
  charset: "utf8",
  plugins: [cssAsText],
  logLevel: "warning",
};

export function benches() {
  const folder = join(HERE, "src", "benches");
  return readdirSync(folder).map((name) => join(folder, name, "index.ts"));
}

/** In pages of the app a style sheet is a file, and the colours of benches belong to the root. */
const cssOfPages = {
  name: "css-of-pages",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, ({ path }) => {
      const css = withSizes(readFileSync(path, "utf8"));
      return { contents: css.replaceAll(/^\.bench(?=[[ ])/gm, ":root"), loader: "css" };
    });
  },
};

async function buildPages(outdir) {
  const folder = join(HERE, "src", "app");
  const entryPoints = readdirSync(folder)
    .map((name) => join(folder, name, "index.ts"))
    .filter((path) => existsSync(path));
  const plain = { ...options, tsconfigRaw: undefined, inject: [], plugins: [cssOfPages] };
  const settings = { ...plain, entryPoints, outdir, minify: true };
  await build({ ...settings, outbase: folder, entryNames: "[dir]" });
}

async function main() {
  const outdir = join(HERE, "..", "widgets", "biaslab_widgets", "static");
  const entryPoints = benches();
  await build({ ...options, entryPoints, outdir, entryNames: "[dir]", minify: true });
  for (const entry of entryPoints) {
    const file = join(outdir, `${basename(dirname(entry))}.js`);
    const { size } = statSync(file);
    const packed = gzipSync(readFileSync(file)).length;
    console.log(`${basename(file)}: ${size} bytes, ${packed} compressed`);
    if (size > LIMIT) throw new Error(`${basename(file)} is over its limit of ${LIMIT} bytes.`);
  }
  await buildPages(join(outdir, "app"));
  const lab = join(HERE, "..", "widgets", "jupyter_labextension", "static");
  const container = join(HERE, "src", "lab", "container.ts");
  const plain = { ...options, inject: [], plugins: [] };
  const outfile = join(lab, "remoteEntry.js");
  await build({ ...plain, format: "iife", entryPoints: [container], outfile, minify: true });
  console.log(`remoteEntry.js: ${statSync(outfile).size} bytes`);
  console.log(`inter.woff2: ${await writeFont(join(outdir, "fonts"))} bytes`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
