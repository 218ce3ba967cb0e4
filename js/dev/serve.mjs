// Serves the dev page on this machine and rebuilds it on each load.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import { options } from "../build.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const made = await context({
  ...options,
  entryPoints: [
    "page.ts",
    "occupations.ts",
    "association.ts",
    "posterior.ts",
    "images.ts",
    "rating.ts",
    "decisions.ts",
  ].map((name) => join(HERE, name)),
  outdir: HERE,
  write: false,
  sourcemap: "inline",
});
const port = Number(process.env.PORT ?? 8123);
await made.serve({ servedir: HERE, host: "127.0.0.1", port });
console.log(`http://127.0.0.1:${port}/`);
