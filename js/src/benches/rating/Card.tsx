import { downloadReply } from "../../lib/export";
import { Disclosure } from "../../lib/ui/Disclosure";
import { MenuItem } from "../../lib/ui/MenuItem";
import { runOf, type Store, type View } from "./store";

const FORMATS = [
  { format: "html", title: "HTML, to publish" },
  { format: "markdown", title: "Markdown" },
  { format: "json", title: "JSON, with its schema" },
] as const;

/** The rating as a card for a catalogue of APIs. */
export function RatingCard({ store, view }: { store: Store; view: View }) {
  const run = runOf(view);
  const take = async (format: string) =>
    downloadReply(await store.command("card", { format }), `rating-card.${format}`);
  return (
    <Disclosure
      label="Rating card"
      text="Rating card"
      testid="card"
      look="button plain"
      class="tables"
      disabled={run.number === 0 || run.running}
    >
      {(close) =>
        FORMATS.map(({ format, title }) => (
          <MenuItem
            key={format}
            testid={`card-${format}`}
            onPick={() => {
              close();
              void take(format);
            }}
          >
            {title}
          </MenuItem>
        ))
      }
    </Disclosure>
  );
}
