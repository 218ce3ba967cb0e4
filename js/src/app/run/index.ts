/** The pages of one run, and of many in an order: they read without a script. */
import "./style.css";
import { render } from "preact";
import { jsx } from "preact/jsx-runtime";
import { localTimes } from "../lib/times";
import { Actions } from "./Actions";
import { CopyCode } from "./CopyCode";
import { Tags } from "./Tags";

const run = document.querySelector<HTMLElement>(".run")?.dataset.id;
if (run) {
  show("actions", (place) => jsx(Actions, { id: run, label: place.dataset.label ?? "" }));
  show("tags", (place) => {
    const tags = place.dataset.tags?.split(",").filter(Boolean) ?? [];
    return jsx(Tags, { id: run, first: tags });
  });
}
show("copy-code", () => jsx(CopyCode, {}));
localTimes(".facts time");

function show(id: string, made: (place: HTMLElement) => ReturnType<typeof jsx>) {
  const place = document.getElementById(id);
  if (!place) return;
  place.replaceChildren();
  render(made(place), place);
}
