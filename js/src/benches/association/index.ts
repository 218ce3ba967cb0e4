/** The association bench: module of the Jupyter and the Panel component. */
import type { AssociationBenchState } from "../../generated/association";
import { ASSOCIATION_TERMS } from "../../generated/glossary";
import type { Host } from "../../host";
import { benchModule } from "../../lib/bench/module";
import panels from "../../lib/bench/panels.css";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import steps from "../../lib/bench/three-steps.css";
import chart from "../../lib/chart/chart.css";
import lane from "../../lib/chart/lane.css";
import sides from "../../lib/chart/sides.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + wordLists + steps + panels + chart + lane + sides + style,
  (host: Host<AssociationBenchState>) => new Store(host),
  Bench,
  ASSOCIATION_TERMS,
);
