import type { ComponentChildren } from "preact";
import { about } from "../format";
import { useLasting } from "../hooks";
import { WithTerms } from "../ui/Term";
import { Ghost } from "./Ghost";
import { isWholePage } from "./Question";
import type { Action, Message, Span } from "./records";
import type { AnyStore, AnyView } from "./store";
import { WaitingLine } from "./WaitingLine";

const ROLES: Record<Span["role"], string> = {
  plain: "",
  strong: "strong",
  group1: "strong g1",
  group2: "strong g2",
  quiet: "quiet",
  with: "strong with",
  against: "strong against",
};

interface Props {
  store: AnyStore;
  view: AnyView;
  /** Stands before the first word, such as whether to trust it. */
  before?: ComponentChildren;
  /** Stands behind the grey line, such as a question with its answer. */
  aside?: ComponentChildren;
  /** Stands between the sentence and its grey line: what bears on how it is read. */
  note?: ComponentChildren;
  /** Characters of the longest sentence, note and grey line that are usual, to keep room for. */
  room?: readonly [sentence: number, note: number, caveat: number];
}

/** The picture's headline: the verdict, or what stands in its way. Its room is reserved. */
export function Verdict({ store, view, before, aside, note, room }: Props) {
  const { answer, waiting, overdue } = view;
  const slow = useLasting(waiting, 300);
  const message = answer.state === "ready" ? null : answer.message;
  return (
    <section class={`verdict held ${message ? answer.state : ""}`} aria-label="Verdict">
      {room && (
        <div class="in">
          {["sentence", "note", "caveat"].map((part, i) => (
            <Ghost key={part} look={`as-${part}`} count={room[i]!} />
          ))}
        </div>
      )}
      <div class="in">
        {view.line.jobs.length > 0 ? (
          <WaitingLine store={store} line={view.line} />
        ) : message ? (
          <MessageBlock store={store} view={view} message={message} />
        ) : (
          <Sentence view={view} before={before} aside={aside} note={note} />
        )}
        {view.line.note && (
          <p class="caveat" role="status" data-testid="time-limit">
            {view.line.note}
          </p>
        )}
      </div>
      <div class={`waiting ${slow ? "on" : ""}`} aria-hidden="true" />
      {overdue && (
        <p class="overdue" role="status" data-testid="overdue">
          No answer yet. If the server or the kernel has stopped, start it again; your settings are
          kept.
        </p>
      )}
    </section>
  );
}

function Sentence({ view, before, aside, note }: Omit<Props, "store">) {
  const { picture, message } = view.answer;
  const spans = picture?.verdict ?? [];
  // Of another build it is another sentence, whose words have not moved here from the last one's.
  const build = spans.map((span) => span.role).join();
  return (
    <>
      <p key={build} class="sentence" data-testid="verdict">
        {before}
        <Spans spans={spans} />
      </p>
      {note}
      <p class="caveat" data-testid="caveat">
        <WithTerms text={picture?.caveat ?? ""} />
        {message?.text && ` ${message.text}`}
        {aside && <> {aside}</>}
      </p>
    </>
  );
}

/** A sentence whose parts have roles. */
export function Spans({ spans }: { spans: readonly Span[] }) {
  return (
    <>
      {spans.map((span, i) => (
        <span key={i} class={ROLES[span.role] ?? ""}>
          {unbroken(span.text)}
        </span>
      ))}
    </>
  );
}

/** A number is not torn from its per cent sign at the end of a line. */
function unbroken(text: string) {
  return text.split(/(\S+ %)/).map((part, i) =>
    i % 2 ? (
      <span key={part} class="nowrap">
        {part}
      </span>
    ) : (
      <WithTerms key={i} text={part} />
    ),
  );
}

function MessageBlock({
  store,
  view,
  message,
}: {
  store: AnyStore;
  view: AnyView;
  message: Message;
}) {
  const { answer, progress } = view;
  const running = progress.total > 0;
  return (
    <div role={answer.state === "error" ? "alert" : undefined}>
      <p class="message-title" data-testid="message-title">
        {message.title}
      </p>
      <p class="message-text" data-testid="message-text">
        {message.text}
        {running && progress.seconds_left !== null && ` ${left(progress.seconds_left)}`}
      </p>
      <div class="actions wrap-row">
        {running && <ProgressBar view={view} />}
        {actionsOf(view, message).map((action, i) => {
          const look = `button ${i === 0 && !running ? "first" : ""}`;
          return action.page ? (
            <a key={action.label} class={look} href={action.page} data-testid="message-page">
              {action.label}
            </a>
          ) : (
            <button
              key={action.label}
              type="button"
              class={look}
              data-testid="message-action"
              onClick={() => store.act(action)}
            >
              {action.label}
            </button>
          );
        })}
      </div>
    </div>
  );
}

const left = (seconds: number) => {
  const text = about(seconds);
  return `${text[0]!.toUpperCase()}${text.slice(1)} left.`;
};

function ProgressBar({ view: { progress } }: { view: AnyView }) {
  const share = Math.min(1, Math.max(0, progress.done / progress.total));
  const percent = Math.round(share * 100);
  return (
    <>
      <div
        class="progress"
        role="progressbar"
        aria-label={progress.message || "Progress"}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        data-testid="progress"
      >
        <div style={{ width: `${percent}%` }} />
      </div>
      <span class="quiet t11">{percent} %</span>
    </>
  );
}

/** The message's own buttons; for an unknown word its neighbours; for long work a way to stop. */
function actionsOf({ answer, progress }: AnyView, message: Message): Action[] {
  // Only the app has other benches to lead to.
  const actions = message.actions.filter(({ page }) => !page || isWholePage());
  if (actions.length > 0) return actions;
  if (answer.unknown) return suggestionActions(answer.unknown.suggestions);
  const partial = answer.picture && progress.total > 0 && progress.done > 0;
  return partial ? [{ label: `Stop, keep ${Math.floor(progress.done)}`, command: "stop" }] : [];
}

export const suggestionActions = (words: readonly string[]): Action[] =>
  words.map((word) => ({ label: word, set: { word } }));
