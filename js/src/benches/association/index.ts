/** The association bench: module of the Jupyter and the Panel component. */
import { h, render } from "preact";
import type { AssociationBenchState } from "../../generated/association";
import { component } from "../../host";
import benchStyle from "../../lib/bench/bench.css";
import panels from "../../lib/bench/panels.css";
import partsStyle from "../../lib/bench/parts.css";
import pictureStyle from "../../lib/bench/picture.css";
import steps from "../../lib/bench/three-steps.css";
import tokens from "../../lib/tokens.css";
import ui from "../../lib/ui.css";
import wordLists from "../../lib/word-lists/word-lists.css";
import { Bench } from "./Bench";
import { Store } from "./store";
import style from "./style.css";

export default component<AssociationBenchState>(
  tokens + ui + benchStyle + partsStyle + pictureStyle + wordLists + steps + panels + style,
  ({ host, root, onTheme }) => {
    const store = new Store(host);
    render(h(Bench, { store, onTheme }), root);
    return () => {
      render(null, root);
      store.dispose();
    };
  },
);
