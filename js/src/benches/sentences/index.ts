/** The sentence bench: module of the Jupyter and the Panel component. */
import { h } from "preact";
import { SENTENCES_TERMS } from "../../generated/glossary";
import type { SentenceBenchState } from "../../generated/sentences";
import type { Host } from "../../host";
import { benchModule } from "../../lib/bench/module";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import squares from "../../lib/bench/squares.css";
import { TestedBench } from "../../lib/bench/TestedBench";
import tested from "../../lib/bench/tested.css";
import steps from "../../lib/bench/three-steps.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { SENTENCES } from "./filling";
import { Store, type View } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + wordLists + steps + squares + tested + style,
  (host: Host<SentenceBenchState>) => new Store(host),
  (props) => h(TestedBench<Store, View>, { ...props, filling: SENTENCES }),
  SENTENCES_TERMS,
);
