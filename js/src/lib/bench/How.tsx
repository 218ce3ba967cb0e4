/** How a bench comes to its numbers: steps with the current numbers, terms, references. */
import { useContext, useEffect, useState } from "preact/hooks";
import type { How as Explained, Step } from "../../generated/shared";
import { Term, Terms, WithTerms } from "../ui/Term";
import { useUid } from "../uid";
import type { AnyStore, AnyView } from "./store";

/** Python is asked again once inputs have been still for so long, in milliseconds. */
const STILL = 250;

/** A line at the foot of a bench that unfolds the steps; they are asked for only while it is open. */
export function How({ store, view }: { store: AnyStore; view: AnyView }) {
  const [open, setOpen] = useState(false);
  const [explained, setExplained] = useState<Explained | null>(null);
  const [problem, setProblem] = useState("");
  const id = useUid();
  const { inputs, answer, waiting } = view;
  useEffect(() => {
    if (!open || waiting) return;
    let over = false;
    const timer = setTimeout(
      async () => {
        const reply = await store.ask("how");
        if (over) return;
        setProblem(reply.ok ? "" : reply.message);
        if (reply.how) setExplained(reply.how);
      },
      explained ? STILL : 0,
    );
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [open, waiting, inputs, answer.picture]);
  return (
    <div class="how" data-testid="how">
      <div class="how-line quiet">
        <button
          type="button"
          class="how-open"
          data-testid="how-open"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          How this works
        </button>
        <TermList acronyms={true} />
      </div>
      {open && (
        <section id={id} aria-label="How this works" data-testid="how-panel">
          {problem && (
            <p role="status" class="warn-text">
              {problem}
            </p>
          )}
          {explained && <Steps explained={explained} />}
        </section>
      )}
    </div>
  );
}

function Steps({ explained }: { explained: Explained }) {
  return (
    <>
      <p class="ink2" data-testid="how-about">
        {explained.about}
      </p>
      <ol>
        {explained.steps.map((step) => (
          <OneStep key={step.title} step={step} />
        ))}
      </ol>
      <TermList acronyms={false} />
      {explained.references.map(({ text, url }) => (
        <p key={text} class="how-reference ink2">
          {text} {url && <a href={url}>{url.replace("https://", "")}</a>}
        </p>
      ))}
      {explained.guide && <p class="how-reference ink2">In the documentation: {explained.guide}</p>}
    </>
  );
}

/** The acronyms of the bench, spelled out, or its other terms. */
function TermList({ acronyms }: { acronyms: boolean }) {
  const terms = useContext(Terms).filter(({ long }) => (long !== "") === acronyms);
  if (terms.length === 0) return null;
  return (
    <p class="how-terms">
      {!acronyms && "Terms: "}
      {terms.map(({ name, long }, i) => (
        <span key={name}>
          {i > 0 && " · "}
          <Term name={name}>{long ? `${name} (${long})` : name}</Term>
        </span>
      ))}
    </p>
  );
}

function OneStep({ step }: { step: Step }) {
  return (
    <li data-testid="how-step">
      <b>{step.title}</b>
      {step.formula && (
        <p class="how-formula">
          <Formula text={step.formula} />
        </p>
      )}
      {step.numbers.map((line) => (
        <p key={line} class="how-formula accent">
          <Formula text={line} />
        </p>
      ))}
      {step.text && (
        <p>
          <WithTerms text={step.text} />
        </p>
      )}
    </li>
  );
}

/** Text in which `_{...}` stands below the line and `^{...}` above it. */
function Formula({ text }: { text: string }) {
  return (
    <>
      {text
        .replaceAll(" %", "\u00a0%")
        .split(/([_^]\{[^{}]*\})/)
        .map((part, i) => {
          if (i % 2 === 0) return part;
          const inner = part.slice(2, -1);
          return part[0] === "_" ? <sub key={i}>{inner}</sub> : <sup key={i}>{inner}</sup>;
        })}
    </>
  );
}
