/** The psychometric bench: module of the Jupyter and the Panel component. */

import { PSYCHOMETRIC_TERMS } from "../../generated/glossary";
import type { PsychometricBenchState } from "../../generated/psychometric";
import type { Host } from "../../host";
import handle from "../../lib/bench/handle.css";
import { benchModule } from "../../lib/bench/module";
import pictureStyle from "../../lib/bench/picture.css";
import lane from "../../lib/chart/lane.css";
import sides from "../../lib/chart/sides.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { Bench } from "./Bench";
import layers from "./layers.css";
import panel from "./panel.css";
import passages from "./passages.css";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  lane + sides + pictureStyle + wordLists + handle + panel + layers + passages + style,
  (host: Host<PsychometricBenchState>) => new Store(host),
  Bench,
  PSYCHOMETRIC_TERMS,
);
