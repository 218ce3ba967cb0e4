/** The image bench: module of the Jupyter and the Panel component. */
import { h } from "preact";
import { IMAGES_TERMS } from "../../generated/glossary";
import type { ImageBenchState } from "../../generated/images";
import type { Host } from "../../host";
import handle from "../../lib/bench/handle.css";
import { benchModule } from "../../lib/bench/module";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import squares from "../../lib/bench/squares.css";
import { TestedBench } from "../../lib/bench/TestedBench";
import tested from "../../lib/bench/tested.css";
import steps from "../../lib/bench/three-steps.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { IMAGES } from "./filling";
import { Store, type View } from "./store";
import style from "./style.css";

export default benchModule(
  partsStyle + pictureStyle + wordLists + steps + squares + handle + tested + style,
  (host: Host<ImageBenchState>) => new Store(host),
  (props) => h(TestedBench<Store, View>, { ...props, filling: IMAGES }),
  IMAGES_TERMS,
);
