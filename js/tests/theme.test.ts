import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileName } from "../src/lib/export";
import { detectTheme, luminance } from "../src/lib/theme";

test("lightness of colours as pages write them", () => {
  assert.ok(luminance("#fff")! > 0.999);
  assert.ok(luminance("#212529")! < 0.2);
  assert.ok(luminance("rgb(246, 247, 249)")! > 0.9);
  assert.equal(luminance("rgba(0, 0, 0, 0)"), null);
  assert.equal(luminance(""), null);
});

test("what hosts say about their theme", () => {
  const el = document.createElement("div");
  document.body.append(el);
  document.body.className = "vscode-dark";
  assert.equal(detectTheme(el), "dark");
  document.body.className = "vscode-light";
  assert.equal(detectTheme(el), "light");
  document.body.className = "";
  el.style.setProperty("--panel-background-color", "#212529");
  assert.equal(detectTheme(el), "dark", "Panel's dark theme");
  el.style.removeProperty("--panel-background-color");
  el.style.backgroundColor = "rgb(13, 15, 18)";
  assert.equal(detectTheme(el), "dark", "a page that only paints itself dark");
  document.documentElement.dataset.theme = "light";
  assert.equal(detectTheme(el), "light", "an explicit wish counts first");
  delete document.documentElement.dataset.theme;
});

test("file names are plain", () => {
  assert.equal(fileName("psychometric", "<b>Nurse aide</b>"), "psychometric-b-nurse-aide-b");
  assert.equal(fileName("", ""), "picture");
});
