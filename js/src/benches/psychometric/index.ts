/** The psychometric bench: module of the Jupyter and the Panel component. */
import { h, render } from "preact";
import type { PsychometricBenchState } from "../../generated/psychometric";
import { component } from "../../host";
import benchStyle from "../../lib/bench/bench.css";
import handle from "../../lib/bench/handle.css";
import pictureStyle from "../../lib/bench/picture.css";
import tokens from "../../lib/tokens.css";
import ui from "../../lib/ui.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default component<PsychometricBenchState>(
  tokens + ui + benchStyle + pictureStyle + wordLists + handle + style,
  ({ host, root, onTheme }) => {
    const store = new Store(host);
    render(h(Bench, { store, onTheme }), root);
    return () => {
      render(null, root);
      store.dispose();
    };
  },
);
