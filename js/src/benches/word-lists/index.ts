/** The word-list editor on its own: module of the Jupyter and the Panel component. */
import { h, render } from "preact";
import type { WordListEditorState } from "../../generated/word-lists";
import { component } from "../../host";
import benchStyle from "../../lib/bench/bench.css";
import tokens from "../../lib/tokens.css";
import ui from "../../lib/ui.css";
import words from "../../lib/word-lists/word-lists.css";
import { Editor } from "./Editor";
import { Store } from "./store";
import style from "./style.css";

export default component<WordListEditorState>(
  tokens + ui + benchStyle + words + style,
  ({ host, root, onTheme }) => {
    const store = new Store(host);
    render(h(Editor, { store, onTheme }), root);
    return () => {
      render(null, root);
      store.dispose();
    };
  },
);
