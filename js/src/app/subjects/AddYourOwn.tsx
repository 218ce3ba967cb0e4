import { AddFile } from "./AddFile";
import { AddService } from "./AddService";
import { CopyCode } from "./CardPanel";
import type { Library } from "./records";

const FUNCTION = `import biaslab as bl

def triage(text: str) -> str:
    return my_model(text).label

bl.subjects.add(triage, name="triage")
`;

interface Props {
  library: Library;
  onAdded: (name: string) => void;
}

/** Three ways to bring a subject of one's own. */
export function AddYourOwn({ library, onAdded }: Props) {
  return (
    <section id="add" class="add" tabIndex={-1}>
      <h2>
        Add your own{" "}
        <small>
          nothing leaves this machine until you try a service; the kind is found before anything is
          loaded
        </small>
      </h2>
      <div class="ways">
        <AddFile library={library} onAdded={onAdded} />
        <AddService local={library.local} onAdded={onAdded} />
        <section class="panel">
          <h3>A Python function</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone */}
          <pre tabIndex={0}>{FUNCTION}</pre>
          <p class="quiet">
            In a notebook. It lives as long as the kernel runs: text in, text out, one call for each
            trial. bl.services.open_own("triage") opens it.
          </p>
          <p class="acts">
            <CopyCode code={FUNCTION} />
          </p>
        </section>
      </div>
    </section>
  );
}
