/** The occupations view: module of the Jupyter and the Panel component. */

import { OCCUPATIONS_TERMS } from "../../generated/glossary";
import type { OccupationsBenchState } from "../../generated/occupations";
import type { Host } from "../../host";
import { benchModule } from "../../lib/bench/module";
import panels from "../../lib/bench/panels.css";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import chart from "../../lib/chart/chart.css";
import lane from "../../lib/chart/lane.css";
import sides from "../../lib/chart/sides.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + wordLists + panels + chart + lane + sides + style,
  (host: Host<OccupationsBenchState>) => new Store(host),
  Bench,
  OCCUPATIONS_TERMS,
);
