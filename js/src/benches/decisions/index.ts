/** The decision bench: module of the Jupyter and the Panel component. */
import type { DecisionBenchState } from "../../generated/decisions";
import { DECISIONS_TERMS } from "../../generated/glossary";
import type { Host } from "../../host";
import handle from "../../lib/bench/handle.css";
import { benchModule } from "../../lib/bench/module";
import parts from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import chart from "../../lib/chart/chart.css";
import lane from "../../lib/chart/lane.css";
import sides from "../../lib/chart/sides.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  chart + lane + sides + pictureStyle + parts + handle + style,
  (host: Host<DecisionBenchState>) => new Store(host),
  Bench,
  DECISIONS_TERMS,
);
