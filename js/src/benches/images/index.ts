/** The image bench: module of the Jupyter and the Panel component. */
import { h, render } from "preact";
import type { ImageBenchState } from "../../generated/images";
import { component } from "../../host";
import benchStyle from "../../lib/bench/bench.css";
import handle from "../../lib/bench/handle.css";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import squares from "../../lib/bench/squares.css";
import { TestedBench } from "../../lib/bench/TestedBench";
import tested from "../../lib/bench/tested.css";
import steps from "../../lib/bench/three-steps.css";
import tokens from "../../lib/tokens.css";
import ui from "../../lib/ui.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { IMAGES } from "./filling";
import { Store, type View } from "./store";
import style from "./style.css";

export default component<ImageBenchState>(
  tokens +
    ui +
    benchStyle +
    partsStyle +
    pictureStyle +
    wordLists +
    steps +
    squares +
    handle +
    tested +
    style,
  ({ host, root, onTheme }) => {
    const store = new Store(host);
    render(h(TestedBench<Store, View>, { store, onTheme, filling: IMAGES }), root);
    return () => {
      render(null, root);
      store.dispose();
    };
  },
);
