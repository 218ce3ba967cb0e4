import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { drawn, useBench } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { Disclosure } from "../../lib/ui/Disclosure";
import { Against } from "./Against";
import { Figure } from "./Figure";
import { Header, title } from "./Header";
import { Opened } from "./Opened";
import { Rows } from "./Rows";
import { agreementOf, groupNames, type Store, type View } from "./store";
import { Words } from "./Words";

/** The panels stand below each other where it is narrow. */
const WIDTHS = { first: 1120, narrow: 860, middle: 0 };

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { figure, view, frame } = useBench<View>(store, onTheme, WIDTHS);
  const { state, picture } = view.answer;
  const stale = picture !== null && (state === "error" || state === "loading" || state === "empty");

  return (
    <article
      {...frame}
      aria-label="Occupations"
      onKeyDown={(event) => {
        if (event.key === "Escape") store.release();
      }}
    >
      <Header store={store} view={view} />
      <div class="body">
        <Verdict
          store={store}
          view={view}
          aside={<WhyNegative view={view} />}
          room={[245, 0, 160]}
        />
        <div class="panels">
          <Rows store={store} view={view} stale={stale} />
          <div class="side">
            <Against store={store} view={view} stale={stale} />
            <Words store={store} view={view} />
          </div>
        </div>
        <Opened store={store} view={view} />
      </div>
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, Figure, { view })}
        title={title(view)}
        file={["occupations", groupNames(view).join(" ")]}
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} />
    </article>
  );
}

function WhyNegative({ view }: { view: View }) {
  const { picture, state } = view.answer;
  if (!picture?.why || state !== "ready") return null;
  const r = agreementOf(view)?.pearson.value ?? 0;
  const question = r < 0 ? "Why is r negative?" : "What does a PSE say?";
  return (
    <Disclosure label={question} text={question} testid="why" class="why outer-card">
      {(close) => (
        <>
          <p>{picture.why}</p>
          <button type="button" class="button" onClick={close}>
            Close
          </button>
        </>
      )}
    </Disclosure>
  );
}
