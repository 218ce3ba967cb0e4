import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { download, downloadReply, fileName, pngOf, standaloneSvg } from "../export";
import { Disclosure } from "../ui/Disclosure";
import { MenuItem } from "../ui/MenuItem";
import { How } from "./How";
import type { AnyStore, AnyView } from "./store";

export interface Drawn {
  svg: SVGSVGElement;
  /** Takes away what was drawn only to be taken along. */
  done?: () => void;
}

interface Props {
  store: AnyStore;
  view: AnyView;
  /** Draws the whole picture, however much of it is on the screen. */
  picture: () => Drawn | null;
  /** The question, as the title of an exported picture. */
  title: string;
  /** What its verdict begins with there. */
  lead?: string;
  /** Parts of an exported picture's file name. */
  file: [bench: string, about: string];
  /** There is nothing to take along now, whatever is on the screen. */
  blocked?: boolean;
  /** Tables to choose from where CSV is several; what Python calls each, and its title. */
  tables?: readonly { what: string; title: string }[];
  /** Buttons before those that take something along. */
  before?: ComponentChildren;
}

/** Where the numbers come from, and the ways to take them along. */
export function Footer(props: Props) {
  const { store, view, picture, title, tables, blocked } = props;
  const [bench, about] = props.file;
  const [busy, setBusy] = useState(false);
  const { state } = view.answer;
  const shown = state === "ready" || state === "cannot-say";
  const ready = view.answer.picture !== null && shown && !busy && !blocked;
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      store.notify(error instanceof Error ? error.message : String(error), false);
    } finally {
      setBusy(false);
    }
  };
  const file = (name: "csv" | "json", args?: Record<string, unknown>) =>
    run(async () => {
      let reply = await store.command(name, args);
      // What takes long to make is asked for again until it is there.
      while (reply.ok && reply.content === undefined) reply = await store.command(name, args);
      downloadReply(reply, `biaslab.${name}`);
    });
  const image = (kind: "png" | "svg") =>
    run(async () => {
      const drawn = picture();
      if (!drawn) return;
      const svg = standaloneSvg(drawn.svg, caption(view, title, props.lead));
      drawn.done?.();
      const name = `${fileName(bench, about)}.${kind}`;
      const blob = kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await pngOf(svg);
      download(name, blob);
      store.notify(`${name} is in your downloads.`);
    });
  const code = () =>
    run(async () => {
      const reply = await store.command("code");
      if (!reply.ok || reply.content === undefined) return;
      await copy(reply.content);
      store.notify("Python that makes this result is on the clipboard.");
    });
  const exports = [
    ["csv", () => file("csv")],
    ["json", () => file("json")],
    ["png", () => image("png")],
    ["svg", () => image("svg")],
  ] as const;
  return (
    <>
      <How store={store} view={view} />
      <footer class="foot quiet t11">
        <p class="provenance" data-testid="provenance">
          {view.answer.picture?.footer.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </p>
        <p class={`notice ${view.notice?.ok === false ? "bad" : ""}`} data-testid="notice">
          {view.notice && <Notice text={view.notice.text} />}
        </p>
        <div class="exports">
          {props.before}
          {exports.map(([name, go]) =>
            name === "csv" && tables ? (
              <Disclosure
                key={name}
                label="Tables as CSV"
                text="CSV"
                testid="export-csv"
                look="button plain"
                class="tables"
                disabled={!ready}
              >
                {(close) =>
                  tables.map((table) => (
                    <MenuItem
                      key={table.what}
                      testid={`csv-${table.what}`}
                      onPick={() => {
                        close();
                        void file("csv", { what: table.what });
                      }}
                    >
                      {table.title}
                    </MenuItem>
                  ))
                }
              </Disclosure>
            ) : (
              <button
                key={name}
                type="button"
                class="button plain"
                data-testid={`export-${name}`}
                disabled={!ready}
                onClick={go}
              >
                {name.toUpperCase()}
              </button>
            ),
          )}
          <button
            type="button"
            class="button plain"
            data-testid="copy-code"
            disabled={!ready}
            onClick={code}
          >
            Copy as code
          </button>
          <button
            type="button"
            class="button"
            data-testid="save-run"
            disabled={!ready}
            onClick={() => run(() => store.command("save"))}
          >
            Save run
          </button>
        </div>
      </footer>
    </>
  );
}

/** What a command has done; in the served app an id of a run leads to its page. */
function Notice({ text }: { text: string }) {
  const inApp = document.getElementById("bench-inputs") !== null;
  const parts = inApp ? text.split(/\b([0-9a-z]{10})\b(?=[.,])/) : [text];
  return (
    <>
      {parts.map((part, i) =>
        i % 2 ? (
          <a key={part} href={`run?id=${part}`}>
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </>
  );
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error(
      "This page may not write to the clipboard. Allow it in the browser’s settings.",
    );
  }
}

function caption(view: AnyView, title: string, lead = "") {
  const { picture } = view.answer;
  const verdict = picture?.verdict.map((span) => span.text).join("") ?? "";
  return {
    title,
    text: `${lead}${verdict} ${picture?.caveat ?? ""}`.trim().replaceAll(" %", "\u00a0%"),
    note: (picture?.footer ?? []).join(" · "),
  };
}
