import { useRef } from "preact/hooks";
import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { useBench } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { Dock } from "./Dock";
import { Header, question } from "./Header";
import { Layers } from "./Layers";
import { Passages } from "./Passages";
import { Picture } from "./picture/Picture";
import { Rail } from "./Rail";
import type { Store, View } from "./store";

const TABLES = [
  { what: "estimates", title: "Estimates: PSE, JND, intervals" },
  { what: "responses", title: "Raw responses: switch points, or answers" },
] as const;
/** The rail folds above the picture where that is narrow. */
const WIDTHS = { narrow: 720, medium: 800, middle: 0 };

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const picture = useRef<SVGSVGElement>(null);
  const { view, frame } = useBench<View>(store, onTheme, WIDTHS);
  return (
    <article
      {...frame}
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
