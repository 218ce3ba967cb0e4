import { useEffect, useRef, useState } from "preact/hooks";
import { getJson } from "../lib/api";
import { day } from "../lib/times";
import type { Card, Row } from "./records";
import { size } from "./shown";

interface Props {
  row: Row;
  /** It was just added, below on the page. */
  isNew: boolean;
  mayShare: boolean;
  onAct: (what: string, name: string) => Promise<void>;
  onRemove: (name: string) => Promise<void>;
  onClose: () => void;
}

/** What is known of a subject, and what it can be asked. */
export function CardPanel({ row, isNew, mayShare, onAct, onRemove, onClose }: Props) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNew) return;
    title.current?.focus({ preventScroll: true });
    title.current?.closest(".subjects")?.scrollIntoView();
  }, [isNew, row.name]);
  const [card, setCard] = useState<Card | null>(null);
  const [problem, setProblem] = useState("");
  // The card follows the state of its row.
  useEffect(() => {
    let over = false;
    getJson<Card>(`api/subjects/card?name=${encodeURIComponent(row.name)}`)
      .then((next) => !over && setCard(next))
      .catch((error) => !over && setProblem(error.message));
    return () => {
      over = true;
    };
  }, [row.name, row.state]);
  const attempt = (work: Promise<void>) =>
    work.then(() => setProblem("")).catch((error) => setProblem(error.message));
  const shown = card?.name === row.name ? card : null;
  const fits = shown?.questions.filter((question) => question.fits) ?? [];
  const first = fits.find((question) => question.name === shown?.first) ?? fits[0];
  const isService = row.group === "Services";
  return (
    <aside class="panel card" aria-label={row.name}>
      <button type="button" class="close" aria-label="Close the card" onClick={onClose}>
        ×
      </button>
      <h2 ref={title} tabIndex={-1}>
        {row.name}
      </h2>
      <p class="quiet">{shown?.about ?? row.about}</p>
      {shown?.planted && (
        <p class="planted">
          <strong>A bias is planted on purpose.</strong> {shown.planted}
        </p>
      )}
      {(problem || row.problem) && <p class="problem">{problem || row.problem}</p>}
      {shown && <Facts card={shown} />}
      {shown && (
        <>
          <h3>What it can be asked</h3>
          <ul class="questions">
            {[...shown.questions]
              .sort((a, b) => Number(b.fits) - Number(a.fits))
              .map((question) => (
                <li key={question.name} class={question.fits ? "" : "unfit"}>
                  <span>
                    <b>{question.title}</b>
                    {!question.fits && <small>{question.reason}</small>}
                  </span>
                  {question.fits && (
                    <a class="button" href={address(question.address, row.name)}>
                      Open<span class="visually-hidden"> {question.title}</span>
                    </a>
                  )}
                </li>
              ))}
          </ul>
        </>
      )}
      <p class="acts">
        {first && (
          <a class="button primary" href={address(first.address, row.name)}>
            Ask it in {first.title}
          </a>
        )}
        {row.opens && (row.state === "failed" || (row.state === "closed" && !isService)) && (
          <button type="button" class="button" onClick={() => attempt(onAct("open", row.name))}>
            {row.state === "failed" ? "Try again" : "Load now"}
          </button>
        )}
        {row.opens && row.state === "open" && (
          <button type="button" class="button" onClick={() => attempt(onAct("unload", row.name))}>
            {row.memory > 0 ? `Unload, free ${size(row.memory)}` : "Close"}
          </button>
        )}
        {shown && <CopyCode code={shown.code} />}
        {mayShare && (row.own || row.shared_by) && (
          <button
            type="button"
            class="button plain"
            onClick={() => attempt(onAct(row.shared_by ? "withdraw" : "share", row.name))}
          >
            {row.shared_by ? "Stop sharing" : "Share with everybody"}
          </button>
        )}
        {row.own && (
          <button type="button" class="button plain" onClick={() => attempt(onRemove(row.name))}>
            Remove
          </button>
        )}
      </p>
    </aside>
  );
}

const address = (bench: string, name: string) => `${bench}?subject=${encodeURIComponent(name)}`;

function Facts({ card }: { card: Card }) {
  const memory = card.memory > 0 ? `, ${size(card.memory)} in memory` : "";
  const last = card.last_run ? `, the last one on ${day(card.last_run)}` : "";
  const facts: [string, string][] = [
    ...card.facts,
    ["Size, memory", card.bytes ? `${size(card.bytes)} on disk${memory}` : memory.slice(2)],
    [
      "Used in",
      card.runs ? `${card.runs} ${card.runs === 1 ? "run" : "runs"}${last}` : "no run yet",
    ],
  ];
  return (
    <>
      <List facts={facts} />
      {card.made.length > 0 && (
        <details>
          <summary>How it was made</summary>
          <List facts={card.made} />
        </details>
      )}
    </>
  );
}

const List = ({ facts }: { facts: readonly (readonly [string, string])[] }) => (
  <dl>
    {facts
      .filter(([, text]) => text)
      .map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
  </dl>
);

export function CopyCode({ code }: { code: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" class="button plain" onClick={copy}>
      {copied ? "Copied" : "Copy as code"}
    </button>
  );
}
