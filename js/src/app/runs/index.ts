/** The page of stored runs. */
import "./style.css";
import { render } from "preact";
import { jsx } from "preact/jsx-runtime";
import { RunsPage } from "./RunsPage";

const place = document.getElementById("runs");
if (place) {
  place.replaceChildren();
  render(jsx(RunsPage, {}), place);
}
