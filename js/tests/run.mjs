// Bundles the tests and runs them with Node's own test runner: nothing more to install.
// Arguments are parts of the names of the files that are wanted.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { options } from "../build.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const names = readdirSync(HERE)
  .filter((name) => /\.test\.tsx?$/.test(name))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
/** Where a failure stands in the sources is for who looks at a few files: reading maps takes time. */
const mapped = wanted.length > 0;
/** Nothing is laid out here, and happy-dom reads every style sheet again for each element. */
const noStyles = {
  name: "no-styles",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, () => ({ contents: 'export default ""', loader: "js" }));
  },
};
// Inside the package, so that the bundles find happy-dom in node_modules.
const outdir = mkdtempSync(join(HERE, "..", "node_modules", ".tests-"));
try {
  await build({
    ...options,
    entryPoints: names.map((name) => join(HERE, name)),
    outdir,
    outExtension: { ".js": ".mjs" },
    platform: "node",
    external: ["happy-dom"],
    plugins: [noStyles],
    sourcemap: mapped && "inline",
  });
  const files = names.map((name) => join(outdir, name.replace(/\.tsx?$/, ".mjs")));
  const run = spawnSync(
    process.execPath,
    [
      ...(mapped ? ["--enable-source-maps"] : []),
      ...["--test", `--test-concurrency=${availableParallelism()}`],
      ...files,
    ],
    {
      stdio: "inherit",
    },
  );
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
