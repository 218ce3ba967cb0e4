import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { usePainted, useView } from "../../lib/bench/hooks";
import { Verdict } from "../../lib/bench/Verdict";
import { useWidth } from "../../lib/hooks";
import type { Theme } from "../../lib/theme";
import { Dock } from "./Dock";
import { Header, question } from "./Header";
import { Layers } from "./Layers";
import { Passages } from "./Passages";
import { Picture } from "./picture/Picture";
import { Rail } from "./Rail";
import type { Store } from "./store";

const TABLES = [
  { what: "estimates", title: "Estimates: PSE, JND, intervals" },
  { what: "responses", title: "Raw responses: switch points, or answers" },
] as const;
/** Below this width the rail folds above the picture. */
const NARROW = 720;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const root = useRef<HTMLElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  const [theme, setTheme] = useState<Theme>("light");
  const view = useView(store);
  const width = useWidth(root, 960);
  useLayoutEffect(() => onTheme(setTheme), [onTheme]);
  usePainted(root, view.answer.generation, view.answer);

  return (
    <article
      ref={root}
      class={`bench ${width < NARROW ? "narrow" : "wide"} ${width < 520 ? "small" : width < 800 ? "medium" : ""}`}
      data-testid="bench"
      data-theme={theme}
      data-state={view.answer.state}
      data-waiting={view.waiting ? "" : undefined}
      aria-label="Psychometric bench"
      onKeyDown={(event) => {
        if (event.key === "Escape" && view.pinned !== null) store.pin(null);
      }}
    >
      <Header view={view} />
      <div class="middle">
        <Rail store={store} view={view} />
        <div class="main">
          <Verdict store={store} view={view} room={[165, 0, 90]} />
          <Picture store={store} view={view} svg={picture} />
        </div>
      </div>
      <Layers store={store} view={view} />
      <Passages store={store} view={view} />
      <Dock store={store} view={view} />
      <Footer
        store={store}
        view={view}
        picture={() => picture.current && { svg: picture.current }}
        title={question(view)}
        file={["psychometric", view.answer.picture?.word ?? ""]}
        tables={TABLES}
      />
      <Announcer view={view} dragging={view.dragging} />
    </article>
  );
}
