import type { Filling } from "../../lib/bench/TestedBench";
import { spotNow } from "../../lib/bench/tested";
import { womenSecond } from "../../lib/groupOrder";
import { Pairs } from "./pairs/Pairs";
import { Specify } from "./specify/Specify";
import type { Store, View } from "./store";
import { Figure } from "./test/Figure";
import { Test } from "./test/Test";
import { KINDS, QUESTION } from "./texts";

/** Sources of sentences that follow from the word lists. */
const MADE_HERE = ["starter", "templates"];
/** Why a person has set pairs aside. */
const BY_HAND = ["rejected", "removed"];

/** Three steps about pairs of sentences, and which version models find more probable. */
export const SENTENCES: Filling<Store, View> = {
  name: "Sentence bench",
  material: "Sentences",
  question: () => QUESTION,
  kinds: KINDS,
  tables: [
    { what: "sentences", title: "Sentences with their scores" },
    { what: "shares", title: "Shares per model and attribute" },
    { what: "contributions", title: "Word by word" },
  ],
  parts: [Specify, Pairs, Test],
  figure: Figure,
  isMade: (view) => view.sentences.pairs.length > 0,
  notInLink: ({ sentences }) =>
    sentences.pairs.some((pair) => pair.edited || !MADE_HERE.includes(pair.source)) ||
    sentences.rejected.some(({ code }) => BY_HAND.includes(code))
      ? "Your sentences do not go into a link: save the run"
      : "",
  looked: (view) => ({
    "data-pair": spotNow(view)?.id ?? "",
    "data-colours": womenSecond(view.inputs.lists.filter((l) => l.kind === "groups"))
      ? "swapped"
      : "",
  }),
  onEscape: (store, step) => {
    if (step === 3) store.release();
  },
};
