/** The posterior bench: module of both hosts' component. */

import { POSTERIOR_TERMS } from "../../generated/glossary";
import type { PosteriorBenchState } from "../../generated/posterior";
import type { Host } from "../../host";
import { benchModule } from "../../lib/bench/module";
import panels from "../../lib/bench/panels.css";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import chart from "../../lib/chart/chart.css";
import sides from "../../lib/chart/sides.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { Bench } from "./Bench";
import portraits from "./portraits/style.css";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + wordLists + panels + chart + sides + style + portraits,
  (host: Host<PosteriorBenchState>) => new Store(host),
  Bench,
  POSTERIOR_TERMS,
);
