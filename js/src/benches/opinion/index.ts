/** The opinion bench: module of the Jupyter and the Panel component. */
import { OPINION_TERMS } from "../../generated/glossary";
import type { OpinionBenchState } from "../../generated/opinion";
import type { Host } from "../../host";
import { benchModule } from "../../lib/bench/module";
import panels from "../../lib/bench/panels.css";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import chart from "../../lib/chart/chart.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + panels + chart + style,
  (host: Host<OpinionBenchState>) => new Store(host),
  Bench,
  OPINION_TERMS,
);
