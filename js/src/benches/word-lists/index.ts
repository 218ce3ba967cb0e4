/** The word-list editor on its own: module of the Jupyter and the Panel component. */
import { WORD_LISTS_TERMS } from "../../generated/glossary";
import type { WordListEditorState } from "../../generated/word-lists";
import type { Host } from "../../host";
import { benchModule } from "../../lib/bench/module";
import words from "../../lib/word-lists/word-lists.css";
import { Editor } from "./Editor";
import { Store } from "./store";
import style from "./style.css";

export default benchModule(
  words + style,
  (host: Host<WordListEditorState>) => new Store(host),
  Editor,
  WORD_LISTS_TERMS,
);
