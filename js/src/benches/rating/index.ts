/** The rating bench: module of the Jupyter and the Panel component. */

import { RATING_TERMS } from "../../generated/glossary";
import type { RatingBenchState } from "../../generated/rating";
import type { Host } from "../../host";
import handle from "../../lib/bench/handle.css";
import { benchModule } from "../../lib/bench/module";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import tested from "../../lib/bench/tested.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + handle + tested + style,
  (host: Host<RatingBenchState>) => new Store(host),
  Bench,
  RATING_TERMS,
);
