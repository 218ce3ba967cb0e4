import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
// @ts-expect-error a script of the build, without types
import { pack as packed } from "../pack.mjs";
import { unpack } from "../src/lib/unpack";

const pack = packed as (text: string) => [string, string];

const src = join(process.cwd(), "src");
const sheets = readdirSync(src, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".css"));

test("every style sheet comes out of its packing as it went in, in less room", () => {
  assert.ok(sheets.length > 10);
  for (const name of sheets) {
    const text = readFileSync(join(src, name), "utf8");
    const [pieces, rest] = pack(text);
    assert.equal(unpack(pieces, rest), text, name);
    assert.ok(pieces.length + rest.length < text.length, name);
  }
});

test("texts with nothing to pack, with $, with every letter, and empty ones stay as they are", () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ!&*+/=>?@^_|~";
  for (const text of [
    "",
    "a",
    "$& $1 $& $1 $& $1 $& $1 $& $1",
    letters,
    letters + letters,
    "é é é é é",
  ]) {
    const [pieces, rest] = pack(text);
    assert.equal(unpack(pieces, rest), text);
  }
});
