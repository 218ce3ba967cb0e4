import type { Filling } from "../../lib/bench/TestedBench";
import { spotNow } from "../../lib/bench/tested";
import { Pictures } from "./pictures/Pictures";
import { Specify } from "./specify/Specify";
import type { Store, View } from "./store";
import { Figure } from "./test/Figure";
import { Test } from "./test/Test";
import { KINDS, question } from "./texts";

/** Three steps about pictures, and which words models pair with them. */
export const IMAGES: Filling<Store, View> = {
  name: "Image bench",
  material: "Images",
  question,
  kinds: KINDS,
  tables: [
    { what: "images", title: "Pictures with their scores" },
    { what: "terms", title: "Scores per model and term" },
    { what: "models", title: "Scores per model and question" },
  ],
  parts: [Specify, Pictures, Test],
  figure: Figure,
  isMade: (view) => view.images.images.length > 0,
  notInLink: (view) =>
    view.images.sources.some((source) => source !== "drawn")
      ? "Your pictures do not go into a link: export the dataset"
      : "",
  looked: (view) => ({ "data-image": spotNow(view)?.id ?? "" }),
  onEscape: (store, step) => {
    if (step > 1) store.point(null);
  },
  isDragging: (view) => view.dragging,
};
