// Prints the script of the page on which tests show recorded states: tests/harness/stage.py.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { options } from "../../build.mjs";

const entry = join(dirname(fileURLToPath(import.meta.url)), "page.ts");
const { outputFiles } = await build({ ...options, entryPoints: [entry], write: false });
process.stdout.write(outputFiles[0].text);
