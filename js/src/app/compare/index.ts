/** The page that compares two runs. */
import "./style.css";
import { render } from "preact";
import { jsx } from "preact/jsx-runtime";
import { localTimes } from "../lib/times";
import { ComparisonView } from "./ComparisonView";
import { Tools } from "./Tools";

const place = document.getElementById("comparison");
const tools = document.getElementById("tools");
if (place && tools) {
  const { a = "", b = "", measure = "pse" } = place.dataset;
  const compared = { a, b, measure };
  render(jsx(Tools, compared), tools);
  render(jsx(ComparisonView, compared), place);
  localTimes(".sides time");
}
